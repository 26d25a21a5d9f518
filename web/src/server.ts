// The page of `twinset serve`: a box for a document, what of the index resembles it, and where.
import "./style.css";
import "./server.css";
import type {Passages, Span} from "./data";
import {announce, h, markReady, replace} from "./dom";
import {
    FoundPassage,
    Match,
    Refusal,
    Stats,
    compare,
    hasToken,
    query,
    setToken,
    stats,
    textOf,
} from "./server_api";
import {serverWords as words} from "./server_words";
import {marksOf, textView} from "./text_view";
import {amount, kindNames, number, percent, words as reportWords} from "./words";

const main = h("main", {id: "main", tabindex: -1});
const menu = h("nav", {"aria-label": words.menu});
const version = h("small");
const encoder = new TextEncoder();

let text = "",
    threshold = 0.5,
    matches: Match[] | null = null,
    held: Stats | null = null;

// ---- what goes wrong

function showProblem(where: Element, problem: unknown): void {
    if (problem instanceof Refusal && problem.status === 401) return askForToken(where);
    const sentence = problem instanceof Error ? problem.message : String(problem);
    replace(where, h("p", {class: "warm", role: "alert"}, sentence));
}

function askForToken(where: Element): void {
    const isWrong = hasToken();
    const box = h("input", {
        type: "password",
        id: "token",
        autocomplete: "off",
        "aria-invalid": isWrong ? "true" : null,
        "aria-describedby": "about-token",
    });
    const enter = (event: Event) => {
        event.preventDefault();
        setToken(box.value.trim());
        show();
    };
    replace(
        where,
        h(
            "form",
            {class: "filters", onsubmit: enter},
            isWrong
                ? h("p", {class: "warm", id: "about-token", role: "alert"}, words.wrongToken)
                : h("p", {class: "soft", id: "about-token"}, words.token),
            h("label", null, words.tokenBox, box),
            h("button", {type: "submit"}, words.enter),
        ),
    );
    if (isWrong) box.focus();
}

// ---- a box to paste or drop a document into

async function readFile(file: File, where: Element): Promise<string | null> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes.subarray(0, 4096).includes(0)) {
        showProblem(where, words.notText(file.name));
        return null;
    }
    return new TextDecoder().decode(bytes);
}

function textBox(id: string, label: string, taken: (given: string) => void): HTMLTextAreaElement {
    const box = h("textarea", {id, "aria-label": label, placeholder: label, spellcheck: "false"});
    const hold = (event: Event) => {
        event.preventDefault();
        box.classList.add("over");
    };
    box.addEventListener("dragover", hold);
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", async (event) => {
        box.classList.remove("over");
        const file = event.dataTransfer?.files[0];
        if (!file) return;
        event.preventDefault();
        const content = await readFile(file, main.querySelector(".answer")!);
        if (content === null) return;
        box.value = content;
        taken(content);
    });
    box.addEventListener("paste", () => setTimeout(() => taken(box.value)));
    return box;
}

// ---- the matches

function tiles(of: Stats): HTMLElement {
    const tile = (value: string, title: string) =>
        h("div", {class: "tile"}, h("b", null, value), h("span", null, title));
    return h(
        "div",
        {class: "tiles"},
        tile(number(of.documents), words.tileDocuments),
        tile(words.bytes(of.text_bytes), words.tileText),
        tile(words.bytes(of.file_bytes), words.tileFile),
    );
}

const wordsIn = (passages: FoundPassage[]) => passages.reduce((sum, one) => sum + one.tokens, 0);

function matchRow(match: Match, index: number): HTMLElement {
    const passages = match.passages ?? [];
    return h(
        "a",
        {class: "finding", href: `#/match/${index + 1}`},
        h("span", {class: "percent"}, percent(match.similarity)),
        h(
            "span",
            {class: "grow"},
            h("span", {class: "names"}, match.id),
            h("br"),
            h(
                "span",
                {class: "why"},
                [
                    words.shares(match.containment_a, match.containment_b),
                    passages.length ? words.passages(passages.length, wordsIn(passages)) : "",
                ]
                    .filter(Boolean)
                    .join(" · "),
            ),
        ),
    );
}

function matchList(): HTMLElement[] {
    if (matches === null) return [];
    if (matches.length === 0) return [h("p", null, words.none(percent(threshold)))];
    return [h("h2", null, words.found(matches.length)), ...matches.map(matchRow)];
}

// ---- two texts side by side

function asPassages(found: FoundPassage[]): Passages {
    const list = found.map((one) => ({
        ...one,
        a: {...one.a, file_index: 0},
        b: {...one.b, file_index: 0},
        names: [],
        documents: null,
        among: null,
        sketch: [],
        spans: [[...one.a.bytes, ...one.b.bytes] as Span],
    }));
    return {list, excluded: [[], []]};
}

function pane(title: string, content: string | null, passages: Passages, side: 0 | 1): HTMLElement {
    const bytes = content === null ? null : encoder.encode(content);
    const view =
        bytes === null
            ? h("p", {class: "soft pad"}, words.noText)
            : textView(bytes, marksOf(bytes.length, passages, side, 0), null);
    return h(
        "section",
        {class: "pane"},
        h("header", null, h("b", null, title)),
        h("div", {class: "scroller", tabindex: 0, "aria-label": title}, view),
    );
}

function goTo(where: Element, passage: number): void {
    where.querySelectorAll("mark.now").forEach((mark) => mark.classList.remove("now"));
    where.querySelectorAll<HTMLElement>(".scroller").forEach((scroller) => {
        const marks = scroller.querySelectorAll<HTMLElement>(`mark[data-passage="${passage}"]`);
        marks.forEach((mark) => mark.classList.add("now"));
        const top = scroller.getBoundingClientRect().top;
        if (marks[0]) scroller.scrollTop += marks[0].getBoundingClientRect().top - top - 60;
    });
}

function sideBySide(
    names: [string, string],
    texts: [string, string | null],
    found: FoundPassage[],
): HTMLElement {
    const passages = asPassages(found);
    const view = h("div", {class: "compare"});
    const button = (one: FoundPassage, i: number) =>
        h(
            "div",
            {class: `passage c${i % 8}`},
            h(
                "button",
                {class: "go", onclick: () => goTo(view, i)},
                h("b", null, reportWords.passageTitle(i + 1, amount(one.tokens, "word"))),
                h(
                    "small",
                    null,
                    `${kindNames(one.kinds)} · ${reportWords.lines(...one.a.lines)}`,
                ),
            ),
        );
    view.append(
        h(
            "div",
            {class: "list"},
            h("h2", null, reportWords.passages),
            ...(found.length ? found.map(button) : [h("p", {class: "soft"}, words.noPassages)]),
        ),
        h(
            "div",
            {class: "panes grow"},
            pane(names[0], texts[0], passages, 0),
            pane(names[1], texts[1], passages, 1),
        ),
    );
    return view;
}

// ---- the pages

let asked = new AbortController();

async function find(answer: Element): Promise<void> {
    asked.abort();
    asked = new AbortController();
    const mine = asked;
    replace(answer, h("p", {class: "soft"}, words.asking));
    try {
        matches = (await query(text, threshold, mine.signal)).matches;
        replace(answer, ...matchList());
        announce(matches.length ? words.found(matches.length) : words.none(percent(threshold)));
    } catch (problem) {
        if (!mine.signal.aborted) showProblem(answer, problem);
    }
}

function thresholdBox(): HTMLInputElement {
    return h("input", {
        type: "number",
        id: "threshold",
        min: 0,
        max: 1,
        step: 0.05,
        value: threshold,
        onchange: (event: Event) => {
            const given = Number((event.target as HTMLInputElement).value);
            threshold = Math.min(1, Math.max(0, given));
        },
    });
}

function findPage(): void {
    const answer = h("div", {class: "answer"}, ...matchList()),
        figures = h("div");
    const box = textBox("text", words.box, (given) => {
        text = given;
        if (text.trim()) void find(answer);
    });
    box.value = text;
    const submit = (event: Event) => {
        event.preventDefault();
        text = box.value;
        if (text.trim()) void find(answer);
    };
    replace(
        main,
        h("h1", null, words.find),
        h(
            "form",
            {onsubmit: submit},
            box,
            h(
                "div",
                {class: "actions"},
                h("label", {class: "check"}, words.threshold, thresholdBox()),
                h("button", {type: "submit"}, words.ask),
            ),
        ),
        answer,
        figures,
    );
    stats().then(
        (got) => {
            held = got;
            version.textContent = words.version(got.version);
            replace(
                figures,
                h("h2", null, words.index),
                tiles(got),
                got.has_texts ? null : h("p", null, words.estimates),
            );
        },
        (problem) => showProblem(figures, problem),
    );
}

async function matchPage(index: number): Promise<void> {
    const match = matches?.[index];
    if (!match) return findPage();
    const answer = h("div", {class: "answer"}, h("p", {class: "soft"}, words.asking));
    replace(
        main,
        h("nav", {class: "steps"}, h("a", {class: "button", href: "#/"}, words.back)),
        h("h1", null, match.id),
        h(
            "p",
            {class: "score"},
            h("b", {class: "percent"}, percent(match.similarity)),
            " ",
            words.shares(match.containment_a, match.containment_b),
        ),
        answer,
    );
    try {
        const other = await textOf(match.id);
        replace(answer, sideBySide([words.yours, match.id], [text, other], match.passages ?? []));
        markReady(main, answer);
    } catch (problem) {
        showProblem(answer, problem);
    }
}

function comparePage(): void {
    const answer = h("div", {class: "answer"});
    const boxes = [words.first, words.second].map((label, i) =>
        textBox(`side-${i}`, label, () => {}),
    );
    const submit = async (event: Event) => {
        event.preventDefault();
        const [a, b] = boxes.map((box) => box.value) as [string, string];
        try {
            const pair = (await compare(a, b)).pairs[0]!;
            replace(
                answer,
                h("p", {class: "score"}, words.alike(percent(pair.similarity))),
                sideBySide([words.first, words.second], [a, b], pair.passages ?? []),
            );
            markReady(main, answer);
        } catch (problem) {
            showProblem(answer, problem);
        }
    };
    replace(
        main,
        h("h1", null, words.compare),
        h(
            "form",
            {onsubmit: submit},
            h("div", {class: "panes"}, ...boxes),
            h("div", {class: "actions"}, h("button", {type: "submit"}, words.compareThem)),
        ),
        answer,
    );
}

function show(): void {
    const [page = "", first = ""] = location.hash.replace(/^#\/?/, "").split("/");
    delete main.dataset["ready"];
    main.className = page === "match" || page === "compare" ? "pair" : "";
    const link = (name: string, title: string) =>
        h("a", {href: `#/${name}`, "aria-current": page === name ? "page" : null}, title);
    replace(menu, link("", words.find), link("compare", words.compare));
    if (page === "match") void matchPage(Number(first) - 1);
    else if (page === "compare") comparePage();
    else findPage();
    if (held) version.textContent = words.version(held.version);
    document.title = `${main.querySelector("h1")?.textContent ?? ""} – twinset`;
}

document.getElementById("app")!.append(
    h("header", {class: "top"}, h("b", null, "twinset"), menu, version),
    main,
    h("div", {id: "live", class: "unseen", "aria-live": "polite"}),
);
addEventListener("hashchange", () => {
    show();
    main.focus({preventScroll: true});
});
show();
