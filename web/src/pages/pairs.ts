// The table of pairs. Only the rows in sight are elements, so that 20,000 scroll as 20 do.
import {columns, documents, Pair, pairs, run, shortName} from "../data";
import {announce, h, replace, save} from "../dom";
import {splitName} from "../names";
import {reason, shares, tokensInPassages, unit} from "../reason";
import {
    changed,
    decisionOf,
    filters,
    knownLabels,
    labelsOf,
    longestLeft,
    lowest,
    pairKey,
    review,
    scoreOf,
    shownPairs,
    verdictOf,
    Verdict,
} from "../state";
import {Row, rowsOf} from "../rows";
import {number, percent, words} from "../words";

const ROW = 34,
    NARROW_ROW = 58, // names one below the other
    PAGE = 10, // rows that Page Up and Page Down move by
    PRINTED = 1_000;

const narrow = matchMedia("(max-width: 900px)");
const rowHeight = () => (narrow.matches ? NARROW_ROW : ROW);
const longestUnit = run.programs ? "token" : run.unit;

interface Column {
    title: string;
    class: string;
    value: (pair: Pair) => number | string | null;
    show: (pair: Pair) => string;
}

const name = (index: number) => shortName(index);
const share = (title: string, side: 0 | 1): Column => ({
    title,
    class: "number narrow",
    value: (pair) => shares(pair)?.[side] ?? null,
    show: (pair) => percent(shares(pair)?.[side] ?? null),
});

const COLUMNS: Column[] = [
    {
        title: words.similarity,
        class: "number",
        value: scoreOf,
        show: (pair) => percent(scoreOf(pair)),
    },
    {
        title: words.first,
        class: "name",
        value: (pair) => name(pair.a),
        show: (pair) => nameWithLabels(pair.a),
    },
    {
        title: words.second,
        class: "name",
        value: (pair) => name(pair.b),
        show: (pair) => nameWithLabels(pair.b),
    },
    {
        title: words.passageWords(unit),
        class: "number",
        value: tokensInPassages,
        show: (pair) => number(tokensInPassages(pair)),
    },
    {
        title: words.longest(longestUnit),
        class: "number narrow",
        value: longestLeft,
        show: (pair) => number(longestLeft(pair)),
    },
    share(words.coverageA, 0),
    share(words.coverageB, 1),
    {
        title: words.cluster,
        class: "number narrow",
        value: (pair) => pair.cluster,
        show: (pair) => String(pair.cluster || ""),
    },
    {
        title: words.decision,
        class: "verdict",
        value: (pair) => verdictOf(pair) ?? "",
        show: (pair) => words[verdictOf(pair) ?? "undecided"],
    },
];

const nameWithLabels = (index: number) =>
    [name(index), ...labelsOf(index).map((label) => `(${label})`)].join(" ");

let sortedBy = 0,
    isAscending = false;

function sorted(list: Pair[]): Pair[] {
    const value = COLUMNS[sortedBy]!.value,
        sign = isAscending ? 1 : -1;
    return [...list].sort((left, right) => {
        const x = value(left),
            y = value(right);
        const order =
            typeof x === "string" || typeof y === "string"
                ? String(x).localeCompare(String(y), "en")
                : (x ?? -1) - (y ?? -1);
        return sign * order || left.index - right.index;
    });
}

const cell = (text: unknown) => {
    const plain = String(text ?? "");
    const safe = /^[=+\-@\t\r]/.test(plain) && Number.isNaN(Number(plain)) ? `'${plain}` : plain;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

function csv(list: Pair[]): string {
    const more = review.passages.length ? [words.withoutDismissedColumn] : [];
    const lines = [[...columns, ...more, "decision", "note"].join(",")];
    for (const pair of list)
        lines.push(
            [
                documents[pair.a]!.name,
                documents[pair.b]!.name,
                ...pair.values.slice(2),
                ...more.map(() => scoreOf(pair)),
                verdictOf(pair) ?? "",
                decisionOf(pair)?.note ?? "",
            ]
                .map(cell)
                .join(","),
        );
    return lines.join("\r\n") + "\r\n";
}

// ---- filters

function check(label: string, checked: boolean, set: (on: boolean) => void): HTMLElement {
    return h(
        "label",
        {class: "check"},
        h("input", {
            type: "checkbox",
            checked,
            onchange: (event: Event) => {
                set((event.target as HTMLInputElement).checked);
                changed();
            },
        }),
        label,
    );
}

/** Leaves a document out by its name, which is completed as it is typed. */
function sourceFilter(): HTMLElement {
    const list = h("datalist", {id: "sources"});
    const input = h("input", {
        list: "sources",
        onfocus: () => {
            if (!list.childElementCount)
                replace(list, ...documents.map((_, i) => h("option", {value: name(i)})));
        },
        onchange: () => {
            const index = documents.findIndex((_, i) => name(i) === input.value.trim());
            if (index < 0) return;
            filters.without.add(index);
            input.value = "";
            changed();
        },
    });
    return h("label", null, words.leaveOutSource, input, list);
}

function resetFilters(): void {
    Object.assign(filters, {
        threshold: Math.min(filters.threshold, lowest),
        search: "",
        minimum: 0,
        quotations: false,
        bibliography: false,
        verdict: "",
    });
    filters.labels.clear();
    filters.without.clear();
    dispatchEvent(new HashChangeEvent("hashchange"));
}

function labelFilter(): HTMLElement | null {
    const labels = knownLabels();
    return labels.length === 0
        ? null
        : h(
              "span",
              {class: "labels"},
              ...labels.map((label) =>
                  check(words.hideLabel(label), filters.labels.has(label), (on) => {
                      on ? filters.labels.add(label) : filters.labels.delete(label);
                  }),
              ),
          );
}

function withoutList(): HTMLElement {
    return h(
        "span",
        null,
        ...[...filters.without].map((index) =>
            h(
                "button",
                {
                    class: "chip",
                    title: words.bringBack,
                    onclick: () => {
                        filters.without.delete(index);
                        changed();
                    },
                },
                `${words.leftOut(name(index))} ✕`,
            ),
        ),
    );
}

function filterBar(count: HTMLElement, chips: HTMLElement): HTMLElement {
    const text = (event: Event) => (event.target as HTMLInputElement).value;
    const verdicts: ["" | Verdict | "undecided", string][] = [
        ["", words.any],
        ["confirmed", words.confirmed],
        ["dismissed", words.dismissed],
        ["undecided", words.undecided],
    ];
    const field = (title: string, input: HTMLElement) => h("label", null, title, input);
    const live = (properties: Record<string, unknown>, set: (value: string) => void) =>
        h("input", {
            ...properties,
            oninput: (event: Event) => {
                set(text(event));
                changed();
            },
        });
    const search = live({type: "search", value: filters.search}, (value) => {
        filters.search = value;
    });
    const minimum = live({type: "number", min: 0, value: filters.minimum || ""}, (value) => {
        filters.minimum = Number(value) || 0;
    });
    const threshold = live(
        {
            type: "number",
            min: 0,
            max: 100,
            step: 0.5,
            value: +(filters.threshold * 100).toFixed(1),
        },
        (value) => {
            filters.threshold = Math.min(1, Math.max(0, Number(value) / 100));
        },
    );
    const decision = h(
        "select",
        {
            onchange: (event: Event) => {
                filters.verdict = text(event) as typeof filters.verdict;
                changed();
            },
        },
        ...verdicts.map(([value, title]) =>
            h("option", {value, selected: value === filters.verdict}, title),
        ),
    );
    const quotations = check(words.hideQuotations, filters.quotations, (on) => {
        filters.quotations = on;
    });
    const bibliography = check(words.hideBibliography, filters.bibliography, (on) => {
        filters.bibliography = on;
    });
    return h(
        "div",
        null,
        h(
            "details",
            {class: "filter-box", open: !narrow.matches},
            h("summary", {class: "button"}, words.filters),
            h(
                "div",
                {class: "filters"},
                field(words.search, search),
                field(words.thresholdPercent, threshold),
                field(words.minimum(unit), minimum),
                field(words.decision, decision),
                sourceFilter(),
                run.programs ? null : quotations,
                run.programs ? null : bibliography,
                labelFilter(),
            ),
        ),
        h(
            "div",
            {class: "filters"},
            count,
            chips,
            h("button", {onclick: resetFilters}, words.reset),
            h(
                "button",
                {onclick: () => save("pairs.csv", "text/csv", csv(sorted(shownPairs())))},
                words.csv,
            ),
        ),
    );
}

// ---- the table

/** Makes what puts a text of a column into an element, however often. */
function putter(column: Column, element: HTMLElement): (text: string) => void {
    const start = document.createTextNode(""),
        end = document.createTextNode("");
    if (column.class !== "name") {
        element.append(start);
        return (text) => (start.data = text);
    }
    element.classList.add("one-line");
    element.append(h("span", null, start), h("span", null, end));
    return (text) => ([start.data, end.data] = splitName(text));
}

/** A row for any pair; its first cell is the link, and a click anywhere follows it. */
function row(pairAt: (position: number) => Pair): Row {
    let pair: Pair;
    const link = h("a"),
        cells = COLUMNS.map((column) => h("span", {class: column.class, role: "cell"})),
        puts = COLUMNS.map((column, i) => putter(column, i ? cells[i]! : link));
    cells[0]!.append(link);
    const box = h(
        "div",
        {
            role: "row",
            onclick: () => (location.hash = link.hash),
            onpointerenter: () => (box.title = reason(pair)),
            onfocusin: () => (box.title = reason(pair)),
        },
        ...cells,
    );
    const fill = (position: number) => {
        pair = pairAt(position);
        const name = `row ${verdictOf(pair) ?? ""}`;
        if (box.className !== name) box.className = name;
        box.setAttribute("aria-rowindex", String(position + 2));
        link.setAttribute("href", `#/pair/${pairKey(pair)}`);
        puts.forEach((put, i) => put(COLUMNS[i]!.show(pair)));
    };
    return {box, fill};
}

/** Moves from row to row by the keys that a list has. */
function moveByKeys(view: HTMLElement, count: () => number, draw: () => void): void {
    view.addEventListener("keydown", (event) => {
        const now = document.activeElement?.closest<HTMLElement>("[role=row]");
        const step = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: PAGE,
            PageUp: -PAGE,
            Home: -Infinity,
            End: Infinity,
        }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const from = now ? Number(now.getAttribute("aria-rowindex")) - 2 : -1;
        const to = Math.min(count() - 1, Math.max(0, from + step)),
            top = to * rowHeight();
        if (top < view.scrollTop) view.scrollTop = top;
        if (top + rowHeight() > view.scrollTop + view.clientHeight)
            view.scrollTop = top + rowHeight() - view.clientHeight;
        draw();
        view.querySelector<HTMLElement>(`[aria-rowindex="${to + 2}"] a`)?.focus();
    });
}

export function pairTable(main: HTMLElement): () => void {
    const count = h("span", {class: "count", role: "status"}),
        chips = h("span");
    const rows = h("div", {class: "rows", role: "presentation"}),
        view = h("div", {class: "view", role: "rowgroup", tabindex: 0}, rows);
    const head = h("div", {class: "row head", role: "row"});
    let list: Pair[] = [];
    const inSight = rowsOf(view, rows, rowHeight, () => row((position) => list[position]!));
    const update = () => {
        list = sorted(shownPairs());
        replace(count, list.length ? words.shown(list.length, pairs.length) : words.emptyTable);
        replace(chips, withoutList());
        replace(
            head,
            ...COLUMNS.map((column, i) =>
                h(
                    "span",
                    {
                        class: column.class,
                        role: "columnheader",
                        "aria-sort":
                            i !== sortedBy ? "none" : isAscending ? "ascending" : "descending",
                    },
                    h(
                        "button",
                        {
                            title: words.sortBy(column.title),
                            onclick: () => {
                                isAscending =
                                    i === sortedBy ? !isAscending : column.class === "name";
                                sortedBy = i;
                                announce(words.sortBy(column.title));
                                update();
                            },
                        },
                        column.title,
                        i === sortedBy ? (isAscending ? " ▲" : " ▼") : "",
                    ),
                ),
            ),
        );
        view.classList.remove("printed");
        inSight.show(list.length);
    };
    moveByKeys(view, () => list.length, inSight.draw);
    window.onbeforeprint = () => {
        view.classList.add("printed");
        inSight.print(PRINTED);
    };
    window.onafterprint = update;
    replace(
        main,
        h("h1", null, words.pairs),
        filterBar(count, chips),
        h(
            "div",
            {
                class: "table",
                role: "table",
                "aria-label": words.pairs,
                "aria-rowcount": pairs.length + 1,
            },
            h("div", {role: "rowgroup"}, head),
            view,
        ),
    );
    update();
    return update;
}
