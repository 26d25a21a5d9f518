// Two documents side by side, with what they share.
import {
    documents,
    IN_BIBLIOGRAPHY,
    IN_QUOTATION,
    Pair,
    Passage,
    Passages,
    passagesOf,
    shortName,
} from "../data";
import {announce, h, markReady, replace, svg} from "../dom";
import {Evidence, evidenceOf} from "../evidence";
import {chance, rarityOf, reason, unit} from "../reason";
import {
    decide,
    decisionOf,
    dismissPassage,
    filters,
    changed,
    isDismissed,
    pairKey,
    similarityWithout,
    shownPairs,
    verdictOf,
    Verdict,
} from "../state";
import {amount, kindNames, number, percent, words} from "../words";
import {score as meter} from "./overview";
import {indexOf, markOf, pane, Pane, scrollTogether, SideIndex, sideOf, topOf} from "./panes";

// ---- the head

function verdictButton(
    pair: Pair,
    verdict: Verdict | undefined,
    title: string,
    key: string,
): HTMLElement {
    return h(
        "button",
        {
            class: verdict ?? "",
            "aria-pressed": String(verdictOf(pair) === verdict),
            onclick: () => decide(pair, {verdict}),
        },
        title,
        " ",
        h("kbd", null, key),
    );
}

const verdictButtons = (pair: Pair) => [
    verdictButton(pair, "confirmed", words.confirm, "c"),
    verdictButton(pair, "dismissed", words.dismiss, "d"),
    verdictButton(pair, undefined, words.undo, "u"),
];

/** Where a note is written; made once, so that nothing that is typed gets lost. */
export function noteInput(note: string | undefined, keep: (note: string) => void): HTMLElement {
    return h("input", {
        class: "note",
        "aria-label": words.note,
        placeholder: words.noteHint,
        value: note ?? "",
        onchange: (event: Event) => keep((event.target as HTMLInputElement).value),
    });
}

function reasons(pair: Pair): HTMLElement {
    const without = similarityWithout(pair);
    const more = chance(pair);
    return h(
        "div",
        {class: "score"},
        meter(without ?? pair.similarity),
        h(
            "div",
            null,
            h("div", null, reason(pair)),
            more ? h("div", {class: "why"}, more) : null,
            without === null
                ? null
                : h(
                      "div",
                      {class: "warm"},
                      words.withoutDismissed(percent(without), percent(pair.similarity)),
                  ),
        ),
    );
}

function steps(pair: Pair): HTMLElement {
    const list = shownPairs(),
        at = list.findIndex((one) => one.index === pair.index);
    const link = (to: Pair | undefined, title: string, key: string) =>
        to
            ? h(
                  "a",
                  {class: "button", href: `#/pair/${pairKey(to)}`, "data-step": key},
                  title,
                  " ",
                  h("kbd", null, key),
              )
            : h("span", {class: "button off"}, title);
    return h(
        "nav",
        {class: "steps", "aria-label": words.pairs},
        h("a", {class: "button", href: "#/pairs"}, words.back),
        link(list[at - 1], words.previousPair, "k"),
        link(at >= 0 ? list[at + 1] : list[0], words.nextPair, "j"),
    );
}

// ---- passages

const fileName = (path: string | undefined) => path?.slice(path.lastIndexOf("/") + 1) ?? "";

/** The lines of a passage on both sides, with their files where there are several. */
function whereIs(passage: Passage, redaction: Redaction): string {
    const side = (one: Passage["a"], isHidden: boolean) =>
        [isHidden ? "" : fileName(one.file), words.lines(...one.lines)].filter(Boolean).join(" ");
    return words.bothLines(
        side(passage.a, redaction === "a"),
        side(passage.b, redaction === "b"),
    );
}

function passageButton(
    pair: Pair,
    passage: Passage,
    index: number,
    redaction: Redaction,
    select: (index: number) => void,
): HTMLElement {
    const off = isDismissed(passage);
    const short = (name: string) => (name.length > 18 ? `${name.slice(0, 17)}…` : name);
    const renames = redaction ? [] : passage.names;
    const names = renames.slice(0, 2).map((one) => `${short(one.a)} → ${short(one.b)}`);
    return h(
        "div",
        {class: `passage c${index % 8}${off ? " dismissed" : ""}`},
        h(
            "button",
            {class: "go", "data-go": index, onclick: () => select(index)},
            h(
                "b",
                null,
                words.passageTitle(index + 1, kindNames(passage.kinds)),
            ),
            h(
                "small",
                null,
                [
                    amount(passage.tokens, unit),
                    rarityOf(passage.documents ?? 0, pair.listed[index] ?? 0),
                    pair.contexts[index]! & IN_QUOTATION ? words.quotation : "",
                    pair.contexts[index]! & IN_BIBLIOGRAPHY ? words.bibliography : "",
                    off ? words.dismissedPassage : "",
                ]
                    .filter(Boolean)
                    .join(" · "),
            ),
            h("small", null, whereIs(passage, redaction)),
            names.length
                ? h(
                      "small",
                      null,
                      names.join(", ") + (renames.length > names.length ? ", …" : ""),
                  )
                : null,
        ),
        h(
            "button",
            {
                class: "small",
                title: off ? words.restorePassage : words.dismissPassage,
                "aria-label": off ? words.restorePassage : words.dismissPassage,
                onclick: () => dismissPassage(passage, !off),
            },
            off ? "↺" : "✕",
        ),
    );
}

function addTo(counts: Map<string, number>, key: string, more: number): void {
    counts.set(key, (counts.get(key) ?? 0) + more);
}

function nameMapping(passages: Passages): HTMLElement | null {
    const names = new Map<string, number>();
    passages.list
        .flatMap((one) => one.names)
        .forEach((one) => addTo(names, `${one.a} → ${one.b}`, one.count));
    return names.size === 0
        ? null
        : h(
              "details",
              null,
              h("summary", null, `${words.names} (${names.size})`),
              h(
                  "ul",
                  {class: "names"},
                  ...[...names]
                      .sort((x, y) => y[1] - x[1])
                      .map(([name, count]) => h("li", null, `${name} (${number(count)})`)),
              ),
          );
}

/** Whether the passages stand in the same order in both documents. */
function isInOrder(passages: Passages): boolean {
    const sorted = [...passages.list].sort(
        (x, y) => x.a.file_index - y.a.file_index || x.a.bytes[0] - y.a.bytes[0],
    );
    return sorted.every((one, i) => {
        const last = sorted[i - 1];
        return (
            !last ||
            last.b.file_index < one.b.file_index ||
            (last.b.file_index === one.b.file_index && last.b.bytes[0] <= one.b.bytes[0])
        );
    });
}

const STRIP_WIDTH = 248,
    STRIP_HEIGHT = 120,
    NUMBERED_BANDS = 12;

/** A strip that shows where the passages went: bands from the first document to the second. */
function orderStrip(
    pair: Pair,
    passages: Passages,
    select: (index: number) => void,
): SVGSVGElement {
    const strip = svg("svg", {
        viewBox: `0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}`,
        class: "strip",
        role: "img",
        "aria-label": words.order,
    });
    const offsets = ([0, 1] as const).map((side) => {
        let sum = 0;
        const starts = documents[indexOf(pair, side)]!.files.map(
            (file) => (sum += file.bytes) - file.bytes,
        );
        return {starts, all: Math.max(1, sum)};
    });
    const y = (passage: Passage, side: SideIndex, end: 0 | 1) => {
        const where = sideOf(passage, side),
            of = offsets[side]!;
        return (((of.starts[where.file_index] ?? 0) + where.bytes[end]) / of.all) * STRIP_HEIGHT;
    };
    const middle = STRIP_WIDTH / 2;
    const curve = (from: number, x: number, to: number) =>
        `C${middle} ${from} ${middle} ${to} ${x} ${to}`;
    passages.list.forEach((one, i) => {
        const band = svg(
            "path",
            {
                class: `band c${i % 8}`,
                "data-band": i,
                onclick: () => select(i),
                d:
                    `M0 ${y(one, 0, 0)}${curve(y(one, 0, 0), STRIP_WIDTH, y(one, 1, 0))}` +
                    `V${y(one, 1, 1)}${curve(y(one, 1, 1), 0, y(one, 0, 1))}Z`,
            },
            svg("title", null, words.passageTitle(i + 1, kindNames(one.kinds))),
        );
        strip.append(band);
        if (passages.list.length <= NUMBERED_BANDS)
            ([0, 1] as const).forEach((side) =>
                strip.append(
                    svg(
                        "text",
                        {
                            x: side ? STRIP_WIDTH - 4 : 4,
                            y: (y(one, side, 0) + y(one, side, 1)) / 2 + 4,
                            "text-anchor": side ? "end" : "start",
                        },
                        String(i + 1),
                    ),
                ),
            );
    });
    return strip;
}

// ---- other evidence

/** Comments and unusual spellings that both have; null where there are none. With `find`, each is a
 * button that calls it with the text. */
export function evidenceList(
    found: Evidence,
    find: ((text: string) => void) | null = null,
): HTMLElement | null {
    const {comments, spellings, among} = found;
    if (!comments.length && !spellings.length) return null;
    const shown = (text: string, content: HTMLElement) =>
        find ? h("button", {class: "find", onclick: () => find(text)}, content) : content;
    return h(
        "section",
        {class: "besides"},
        h("h2", null, words.besides),
        spellings.length
            ? h(
                  "div",
                  null,
                  h("h3", null, words.spellings),
                  h(
                      "ul",
                      null,
                      ...spellings.map(({word, usual}) =>
                          h(
                              "li",
                              null,
                              shown(word, h("b", null, word)),
                              ` ${words.usually(usual)}`,
                          ),
                      ),
                  ),
              )
            : null,
        comments.length
            ? h(
                  "div",
                  null,
                  h("h3", null, words.comments(comments.length)),
                  h(
                      "ul",
                      null,
                      ...comments.map(({text, others}) =>
                          h(
                              "li",
                              null,
                              shown(text, h("q", null, text)),
                              h("small", {class: "soft"}, ` ${words.alsoElsewhere(others, among)}`),
                          ),
                      ),
                  ),
              )
            : null,
    );
}

// ---- the page

export type Redaction = "" | "a" | "b";
let isTogether = true;

/** What else can be done with the pair. */
function actions(pair: Pair, redaction: Redaction, address: (hidden: Redaction) => string) {
    const together = h("input", {
        type: "checkbox",
        checked: isTogether,
        onchange: () => (isTogether = together.checked),
    });
    const link = (href: string, title: string) => h("a", {class: "button", href}, title);
    const redact = (side: Redaction, title: string) => link(address(side), title);
    const leaveOut = (index: number) =>
        h(
            "button",
            {
                onclick: () => {
                    filters.without.add(index);
                    changed();
                    location.hash = "#/pairs";
                },
            },
            words.leaveOut(shortName(index)),
        );
    return [
        h("label", {class: "check"}, together, words.together),
        link(
            `#/evidence/${pairKey(pair)}${redaction ? `/hide-${redaction}` : ""}`,
            words.print,
        ),
        redaction ? redact("", words.showBoth) : null,
        h(
            "details",
            {class: "menu"},
            h("summary", {class: "button"}, words.more),
            h(
                "div",
                null,
                redaction === "a" ? null : redact("a", words.redactFirst),
                redaction === "b" ? null : redact("b", words.redactSecond),
                ...(redaction ? [] : [leaveOut(pair.a), leaveOut(pair.b)]),
            ),
        ),
    ];
}

const keyHints = () =>
    h(
        "span",
        {class: "soft keys"},
        h("kbd", null, "n"),
        " ",
        h("kbd", null, "p"),
        ` ${words.keysPassages}`,
    );

/** The line where a text begins that may go on in the next ones. */
function lineWith(scroller: HTMLElement, text: string): HTMLElement | undefined {
    const lines = [...scroller.querySelectorAll<HTMLElement>(".line")],
        plain = (of: string) => of.replace(/\s+/g, " ").toLowerCase(),
        sought = plain(text).split(" ");
    for (let most = Math.min(sought.length, 6); most > 0; most--) {
        const start = sought.slice(0, most).join(" ");
        const found = lines.find((line) => plain(line.textContent ?? "").includes(start));
        if (found) return found;
    }
    return undefined;
}

export function compare(
    main: HTMLElement,
    pair: Pair,
    first: number,
    redaction: Redaction,
): () => void {
    const top = h("div"),
        printed = h("p", {class: "only-print"}),
        buttons = h("span", {class: "verdicts"}),
        note = noteInput(decisionOf(pair)?.note, (text) => decide(pair, {note: text})),
        order = h("div", {class: "order"}),
        list = h("div", {class: "passages"}),
        besides = h("div"),
        mapping = h("div"),
        panes = h("div", {class: "panes"});
    let passages: Passages = {list: [], excluded: [[], []]};
    let now = first,
        sides: Pane[] = [];

    const mark = () => {
        list.querySelectorAll(".passage").forEach((one, i) => {
            one.classList.toggle("now", i === now);
            one.querySelector(".go")?.setAttribute("aria-current", String(i === now));
        });
        order.querySelectorAll("[data-band]").forEach((one, i) =>
            one.classList.toggle("now", i === now),
        );
    };
    const address = (hidden: Redaction) =>
        `#/pair/${pairKey(pair)}/${Math.max(1, now + 1)}${hidden ? `/hide-${hidden}` : ""}`;
    const select = (index: number) => {
        if (!passages.list.length) return;
        now = (index + passages.list.length) % passages.list.length;
        for (const {scroller} of sides) {
            scroller.querySelectorAll("mark.now").forEach((one) => one.classList.remove("now"));
            scroller
                .querySelectorAll(`mark[data-passage="${now}"]`)
                .forEach((one) => one.classList.add("now"));
            const one = markOf(scroller, now);
            one?.closest("details")?.setAttribute("open", "");
            if (one) scroller.scrollTop = topOf(scroller, one) - 60;
        }
        mark();
        list.querySelector(".passage.now")?.scrollIntoView({block: "nearest"});
        history.replaceState(null, "", address(redaction));
        const one = passages.list[now]!;
        announce(words.passageOf(now + 1, amount(one.tokens, unit), kindNames(one.kinds)));
    };
    const find = (text: string) => {
        for (const {scroller} of sides) {
            scroller.querySelector(".line.found")?.classList.remove("found");
            const line = lineWith(scroller, text);
            line?.classList.add("found");
            line?.closest("details")?.setAttribute("open", "");
            if (line) scroller.scrollTop = topOf(scroller, line) - 60;
        }
    };
    const update = () => {
        const {verdict, note: text = ""} = decisionOf(pair) ?? {};
        replace(top, reasons(pair));
        replace(printed, words.decided(words[verdict ?? "undecided"], redaction ? "" : text));
        replace(buttons, ...verdictButtons(pair));
        replace(
            list,
            ...(passages.list.length
                ? passages.list.map((one, i) => passageButton(pair, one, i, redaction, select))
                : [h("p", {class: "soft"}, words.noneFound)]),
        );
        sides.forEach((side) => side.update());
        mark();
    };
    const fillList = () => {
        if (passages.list.length > 1)
            replace(
                order,
                orderStrip(pair, passages, select),
                h("p", {class: "soft hint"}, words.orderNote(isInOrder(passages))),
            );
        replace(
            mapping,
            redaction ? null : nameMapping(passages),
            passages.excluded.some((side) => side.length)
                ? h("p", {class: "soft hint"}, words.template)
                : null,
        );
    };
    const name = (index: number, isHidden: boolean) =>
        isHidden ? words.redacted : shortName(index);
    const count = h("h2", null, words.passages);
    replace(
        main,
        h(
            "div",
            {class: "case-view"},
            h(
                "div",
                {class: "case-head"},
                h(
                    "div",
                    {class: "grow"},
                    h(
                        "h1",
                        null,
                        name(pair.a, redaction === "a"),
                        h("span", {class: "and"}, ` ${words.and} `),
                        name(pair.b, redaction === "b"),
                    ),
                    top,
                ),
                steps(pair),
            ),
            printed,
            h(
                "div",
                {class: "actions"},
                buttons,
                redaction ? null : note, // it may name the other one
                ...actions(pair, redaction, address),
            ),
            redaction ? h("p", {class: "soft hint"}, words.redactedNote) : null,
            h(
                "div",
                {class: "compare"},
                h(
                    "div",
                    {class: "list"},
                    h("div", {class: "list-head"}, count, keyHints()),
                    order,
                    list,
                    besides,
                    mapping,
                ),
                panes,
            ),
        ),
    );

    const fill = async () => {
        const found = await passagesOf(pair);
        passages = found ?? passages;
        sides = await Promise.all([
            pane(pair, 0, passages, redaction === "a"),
            pane(pair, 1, passages, redaction === "b"),
        ]);
        if (!panes.isConnected) return; // the reader has gone on
        scrollTogether(sides as [Pane, Pane], passages, () => isTogether);
        replace(count, `${words.passages} (${number(passages.list.length)})`);
        update();
        fillList();
        replace(panes, ...sides.map((side) => side.box));
        if (found === null) panes.prepend(h("p", {class: "soft"}, words.noPassages));
        if (first >= 0) select(first);
        const more = await evidenceOf(pair);
        if (more) replace(besides, evidenceList(more, find));
        markReady(main, panes);
    };
    update();
    void fill();
    keys = (key: string) => {
        const step = {n: 1, ArrowRight: 1, p: -1, ArrowLeft: -1}[key];
        if (step !== undefined) select(now + step);
        else if (key === "j" || key === "k")
            main.querySelector<HTMLElement>(`[data-step="${key}"]`)?.click();
        else if (key === "c" || key === "d" || key === "u")
            decide(pair, {
                verdict: key === "c" ? "confirmed" : key === "d" ? "dismissed" : undefined,
            });
        return step !== undefined || "cdujk".includes(key);
    };
    return update;
}

/** What the keys do on this page; main.ts calls it, and forgets it when the page is left. */
export let keys: ((key: string) => boolean) | null = null;
export const forgetKeys = () => (keys = null);
