// Decisions, and pages to print of the confirmed cases.
import {
    documents,
    Pair,
    pairs,
    Passage,
    Passages,
    passagesOf,
    run,
    textOf,
    shortName,
} from "../data";
import {announce, h, markReady, replace, save} from "../dom";
import {evidenceOf} from "../evidence";
import {coverage, rarityOf, reason, unit} from "../reason";
import {
    Decision,
    decisionOf,
    dismissedPassages,
    dismissPassage,
    documentDecision,
    documentKey,
    isUnsaved,
    loadReview,
    pairKey,
    review,
    saved,
    scoreOf,
    similarityWithout,
    shownPairs,
    verdictOf,
} from "../state";
import {cutMarks, marksOf, textView} from "../text_view";
import {amount, counted, kindNames, percent, words} from "../words";
import {evidenceList, type Redaction} from "./compare";
import {wordsShown} from "./panes";
import {flagsOf} from "./document";
import {method} from "./overview";

// ---- the page of decisions

async function load(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file) return;
    let isGood = false;
    try {
        isGood = loadReview(JSON.parse(await file.text()));
    } catch {
        isGood = false;
    }
    const text = isGood ? words.loaded(Object.keys(review.decisions).length) : words.notAReview;
    announce(text);
    replace(document.getElementById("review-status")!, text);
}

function row(
    decision: Decision,
    address: string,
    key: string,
    name: string,
    similarity: number | null,
): HTMLElement {
    return h(
        "tr",
        null,
        h(
            "td",
            null,
            h(
                "span",
                {class: `pill ${decision.verdict ?? ""}`},
                words[decision.verdict ?? "undecided"],
            ),
        ),
        h("td", {class: "names"}, h("a", {href: address}, name)),
        h("td", null, similarity === null ? "" : percent(similarity)),
        h("td", null, decision.note ?? ""),
        h("td", null, h("a", {href: `#/evidence/${key}`}, words.print)),
    );
}

/** The decisions of this report, those on pairs first, then those on one document. */
function decided(): HTMLElement[] {
    const ofPairs = pairs
        .filter((pair) => decisionOf(pair))
        .map((pair) =>
            row(
                decisionOf(pair)!,
                `#/pair/${pairKey(pair)}`,
                pairKey(pair),
                `${shortName(pair.a)} ${words.and} ${shortName(pair.b)}`,
                scoreOf(pair),
            ),
        );
    const ofDocuments = [...documents.keys()]
        .filter((index) => documentDecision(index))
        .map((index) =>
            row(
                documentDecision(index)!,
                `#/document/${documentKey(index)}`,
                documentKey(index),
                shortName(index),
                null,
            ),
        );
    return [...ofPairs, ...ofDocuments];
}

function progress(): string {
    const verdicts = pairs.map(verdictOf);
    const count = (verdict: "confirmed" | "dismissed" | undefined) =>
        verdicts.filter((one) => one === verdict).length;
    return words.progress(count("confirmed"), count("dismissed"), count(undefined));
}

function droppedPassages(): (string | HTMLElement)[] {
    if (!review.passages.length) return [];
    return [
        `${words.dismissedPassages}: ${review.passages.length} `,
        h(
            "button",
            {
                onclick: () => {
                    for (const sketch of [...review.passages])
                        dismissPassage({sketch} as Passage, false);
                },
            },
            words.restoreAll,
        ),
    ];
}

export function reviewPage(main: HTMLElement): () => void {
    const status = h("p", {id: "review-status", class: "soft", role: "status"}),
        body = h("tbody"),
        unsaved = h("p", {class: "warm"}),
        now = h("p"),
        next = h("span"),
        dropped = h("p");
    const input = h("input", {
        type: "file",
        accept: ".json,application/json",
        class: "file",
        "aria-label": words.loadReview,
        onchange: (event: Event) => void load(event.target as HTMLInputElement),
    });
    const update = () => {
        const rows = decided(),
            undecided = shownPairs().find((pair) => !verdictOf(pair));
        replace(now, progress());
        replace(
            next,
            undecided
                ? h(
                      "a",
                      {class: "button", href: `#/pair/${pairKey(undecided)}`},
                      words.nextUndecided,
                  )
                : null,
        );
        replace(unsaved, isUnsaved ? words.unsaved : null);
        replace(
            body,
            ...(rows.length ? rows : [h("tr", null, h("td", {colspan: 5}, words.noDecisions))]),
        );
        replace(dropped, ...droppedPassages());
    };
    const saveReview = () => {
        save("review.json", "application/json", `${JSON.stringify(review, null, 1)}\n`);
        saved();
    };
    const titles = [words.decision, words.case, words.similarity, words.note, ""];
    replace(
        main,
        h("h1", null, words.review),
        now,
        h("p", {class: "soft"}, words.reviewHint),
        h(
            "div",
            {class: "actions"},
            next,
            h("button", {onclick: saveReview}, words.saveReview),
            h("label", {class: "button"}, words.loadReview, input),
            h("a", {class: "button", href: "#/evidence"}, words.evidence),
        ),
        unsaved,
        status,
        dropped,
        h(
            "div",
            {class: "scrolls", tabindex: 0, role: "region", "aria-label": words.review},
            h(
                "table",
                null,
                h(
                    "thead",
                    null,
                    h("tr", null, ...titles.map((title) => h("th", {scope: "col"}, title))),
                ),
                body,
            ),
        ),
    );
    update();
    return update;
}

// ---- pages to print

/** A passage of one side, in whole lines with their numbers; what both have is underlined. */
async function excerpt(
    pair: Pair,
    found: Passages,
    index: number,
    side: 0 | 1,
    shown: Set<string> | null,
): Promise<HTMLElement> {
    const passage = found.list[index]!,
        where = side ? passage.b : passage.a;
    const bytes = await textOf(side ? pair.b : pair.a, where.file_index);
    if (!bytes) return h("p", null, words.noText);
    const marks = marksOf(bytes.length, found, side, where.file_index).map((mark) =>
        mark.passage === index ? mark : {...mark, passage: -1, isEqual: false},
    );
    const from = bytes.lastIndexOf(10, where.bytes[0] - 1) + 1;
    const end = bytes.indexOf(10, Math.max(where.bytes[0], where.bytes[1] - 1));
    const to = end < 0 ? bytes.length : end;
    return h(
        "div",
        {class: `excerpt${run.programs ? " code" : ""}`},
        textView(
            bytes,
            cutMarks(marks, where.bytes[0] === 0 ? 0 : from, to),
            shown,
            where.lines[0],
        ),
    );
}

function caption(name: string, side: Passage["a"], isRedacted: boolean): string {
    const file = side.file && !isRedacted ? [side.file] : [];
    return [name, ...file, words.lines(...side.lines)].join(", ");
}

function facts(rows: [string, Node | string][]): HTMLElement {
    return h(
        "dl",
        {class: "facts"},
        ...rows.map(([name, value]) =>
            h("div", null, h("dt", null, name), h("dd", null, value)),
        ),
    );
}

async function passageSection(
    pair: Pair,
    found: Passages,
    index: number,
    names: [string, string],
    redaction: Redaction,
    shown: Set<string> | null,
): Promise<HTMLElement> {
    const passage = found.list[index]!;
    const renames = (redaction ? [] : passage.names).map((one) => `${one.a} → ${one.b}`).join(", ");
    const sides = await Promise.all(
        ([0, 1] as const).map(async (side) => {
            const isRedacted = redaction === (side ? "b" : "a");
            return h(
                "figure",
                null,
                h(
                    "figcaption",
                    null,
                    caption(names[side], side ? passage.b : passage.a, isRedacted),
                ),
                await excerpt(pair, found, index, side, isRedacted ? shown : null),
            );
        }),
    );
    const rarity = rarityOf(passage.documents ?? 0, pair.listed[index] ?? 0);
    return h(
        "section",
        {class: "evidence"},
        h(
            "h3",
            null,
            words.passageOf(index + 1, amount(passage.tokens, unit), kindNames(passage.kinds)),
            rarity ? `, ${rarity}` : "",
        ),
        renames ? h("p", {class: "soft"}, `${words.names}: ${renames}`) : null,
        h("div", {class: "panes"}, ...sides),
    );
}

async function pairCase(pair: Pair, redaction: Redaction): Promise<HTMLElement> {
    const found = await passagesOf(pair);
    const names = [pair.a, pair.b].map((index, side) =>
        redaction === (side ? "b" : "a") ? words.redacted : shortName(index),
    ) as [string, string];
    const note = redaction ? "" : decisionOf(pair)?.note; // it may name the other one
    const shown = redaction ? await wordsShown(pair, redaction === "a" ? 0 : 1) : null;
    const off = dismissedPassages(pair),
        without = similarityWithout(pair),
        all = percent(pair.similarity);
    const similarity = without === null ? all : words.withoutDismissed(percent(without), all);
    const page = h(
        "article",
        {class: "case"},
        h("h2", null, `${names[0]} ${words.and} ${names[1]}`),
        facts([
            [words.similarity, `${similarity}. ${reason(pair)}`],
            [words.shares, coverage(pair) ?? ""],
            [words.decision, words[verdictOf(pair) ?? "undecided"]],
            ...(note ? ([[words.note, note]] as [string, string][]) : []),
            ...[pair.a, pair.b].map((index, side): [string, Node] => [
                words.digestTitle(names[side]!),
                h("code", null, documents[index]!.digest),
            ]),
        ]),
    );
    const indices = [...(found?.list ?? []).keys()].filter((index) => !off.has(index));
    for (const index of indices)
        page.append(await passageSection(pair, found!, index, names, redaction, shown));
    if (off.size) page.append(h("p", null, words.leftOutDismissed(off.size)));
    if (!found) page.append(h("p", null, words.noPassages));
    const besides = await evidenceOf(pair);
    const list = besides && evidenceList(besides);
    if (list) page.append(list);
    return page;
}

async function documentCase(index: number): Promise<HTMLElement> {
    const decision = documentDecision(index),
        flags = flagsOf(index);
    const like = pairs.filter((pair) => pair.a === index || pair.b === index).slice(0, 50);
    const other = (pair: Pair) => shortName(pair.a === index ? pair.b : pair.a);
    return h(
        "article",
        {class: "case"},
        h("h2", null, shortName(index)),
        facts([
            [words.decision, words[decision?.verdict ?? "undecided"]],
            ...(decision?.note ? ([[words.note, decision.note]] as [string, string][]) : []),
            ...(flags.length ? ([[words.flagsTitle, flags.join(", ")]] as [string, string][]) : []),
            [words.digest, h("code", null, documents[index]!.digest)],
        ]),
        like.length
            ? h(
                  "ul",
                  null,
                  ...like.map((pair) =>
                      h(
                          "li",
                          null,
                          `${percent(scoreOf(pair))} ${words.with} ${other(pair)}: `,
                          reason(pair),
                      ),
                  ),
              )
            : null,
    );
}

/** Saves what is on the page as a file of its own, without any data that is not shown. */
function savePage(main: HTMLElement): void {
    const copy = main.cloneNode(true) as HTMLElement;
    copy.querySelectorAll(".no-print").forEach((node) => node.remove());
    const policy = document
        .querySelector("meta[http-equiv]")!
        .getAttribute("content")!
        .replace(/script-src[^;]*; ?/, "");
    const made = document.implementation.createHTMLDocument(words.evidenceTitle);
    made.documentElement.lang = "en";
    made.head.prepend(h("meta", {"http-equiv": "Content-Security-Policy", content: policy}));
    made.head.prepend(h("meta", {charset: "utf-8"}));
    made.head.append(
        h("meta", {name: "viewport", content: "width=device-width, initial-scale=1"}),
        document.querySelector("style")!.cloneNode(true),
    );
    made.body.append(copy);
    save("evidence.html", "text/html", `<!doctype html>\n${made.documentElement.outerHTML}\n`);
}

export function evidencePage(
    main: HTMLElement,
    key: string,
    pair: Pair | undefined,
    redaction: Redaction,
): () => void {
    const alone = [...documents.keys()].filter((index) =>
        key ? documentKey(index) === key : documentDecision(index)?.verdict === "confirmed",
    );
    const cases = pair ? [pair] : key ? [] : pairs.filter((one) => verdictOf(one) === "confirmed");
    const pages = h("div");
    const parameters = Object.entries(run.parameters)
        .filter(([, value]) => value !== null && typeof value !== "object")
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(", ");
    replace(
        main,
        h("h1", null, words.evidenceTitle),
        h(
            "p",
            {class: "actions no-print"},
            h("button", {onclick: () => print()}, words.printPage),
            h("button", {onclick: () => savePage(main)}, words.savePage),
        ),
        h(
            "p",
            null,
            words.evidenceOf(run.version),
            ". ",
            `${counted(run.documents, "document")}. ${method().join(" ")} ${words.underlined}`,
        ),
        h("p", {class: "soft small-print"}, `${words.parameters}: ${parameters}`),
        redaction ? h("p", null, words.redactedNote) : null,
        cases.length || alone.length ? pages : h("p", null, words.noConfirmed),
    );
    const made = Promise.all([
        ...cases.map((one) => pairCase(one, redaction)),
        ...(pair ? [] : alone.map(documentCase)),
    ]);
    void made.then((all) => {
        replace(pages, ...all);
        markReady(main, pages);
    });
    return () => {};
}
