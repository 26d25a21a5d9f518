// One document: what of it stands in which others.
import {documents, Pair, pairs, passagesOf, run, shortName} from "../data";
import {h, replace} from "../dom";
import {histogram} from "../histogram";
import {oneLine} from "../names";
import {reason} from "../reason";
import {covered, merge, Range} from "../spans";
import {
    countedPassages,
    decideDocument,
    documentDecision,
    documentKey,
    labelsOf,
    pairKey,
    scoreOf,
    shownPairs,
    spanIn,
    Verdict,
} from "../state";
import {flagName, number, percent, words} from "../words";
import {noteInput} from "./compare";

const SOURCES = 12,
    FEW = 5,
    SHOWN = 2_000;
const of = (index: number) => (pair: Pair) => pair.a === index || pair.b === index;
const otherOf = (pair: Pair, index: number) => (pair.a === index ? pair.b : pair.a);

const bytesOf = (index: number) => documents[index]!.files.reduce((sum, one) => sum + one.bytes, 0);

// ---- the coverage bar

function lane(title: Node | string, given: Range[], all: number, color: string): HTMLElement {
    const spans = merge(given);
    const share = covered(spans) / all;
    return h(
        "div",
        {class: `lane ${color}`},
        h("span", {class: "lane-name"}, title),
        h(
            "div",
            {class: "coverage", role: "img", "aria-label": percent(share)},
            ...spans.map(([from, to]) =>
                h("i", {
                    "--from": `${(from / all) * 100}%`,
                    "--length": `${Math.max(0.2, ((to - from) / all) * 100)}%`,
                }),
            ),
        ),
        h("span", {class: "lane-share"}, percent(share)),
    );
}

/** The document from start to end, once for each source, and once for all of them together. */
async function coverageBar(index: number, list: Pair[]): Promise<HTMLElement> {
    const all = Math.max(1, bytesOf(index)),
        lanes: HTMLElement[] = [],
        together: Range[] = [];
    for (const [i, pair] of list.slice(0, SOURCES).entries()) {
        const found = (await passagesOf(pair))?.list ?? [];
        const other = otherOf(pair, index),
            isSame = documents[other]!.digest === documents[index]!.digest;
        const passages = countedPassages(pair).flatMap((one) => found[one] ?? []);
        const spans: Range[] =
            isSame && passages.length
                ? [[0, all]]
                : passages.map((one) => spanIn(index, pair.a === index ? one.a : one.b));
        if (!spans.length) continue;
        together.push(...spans);
        lanes.push(
            lane(
                h("a", {href: `#/pair/${pairKey(pair)}`}, oneLine(shortName(other))),
                spans,
                all,
                `c${i % 8}`,
            ),
        );
    }
    return lanes.length
        ? h("div", null, lane(words.wholeDocument, together, all, "all"), ...lanes)
        : h("p", {class: "soft"}, words.notCovered);
}

/** How similar the others are, where there are too many to see it in the table. */
function distribution(index: number): HTMLElement[] {
    const values = pairs.filter(of(index)).map(scoreOf),
        label = words.distributionOfOne;
    return values.length < FEW ? [] : [h("h2", null, label), histogram({values, label})];
}

// ---- the page

function verdicts(index: number): HTMLElement[] {
    const now = documentDecision(index);
    const button = (verdict: Verdict | undefined, title: string) =>
        h(
            "button",
            {
                class: verdict ?? "",
                "aria-pressed": String(now?.verdict === verdict),
                onclick: () => decideDocument(index, {verdict}),
            },
            title,
        );
    return [
        button("confirmed", words.confirm),
        button("dismissed", words.dismiss),
        button(undefined, words.undo),
    ];
}

/** What the run found odd about a document. */
export function flagsOf(index: number): string[] {
    const flag = run.flagged.find((one) => one.path === documents[index]!.name);
    return flag ? [...flag.flags.map(flagName), ...(flag.encoding ? [flag.encoding] : [])] : [];
}

function pairRow(pair: Pair, index: number): HTMLElement {
    const other = otherOf(pair, index);
    return h(
        "tr",
        null,
        h("td", null, h("a", {href: `#/pair/${pairKey(pair)}`}, percent(scoreOf(pair)))),
        h("td", null, h("a", {href: `#/document/${documentKey(other)}`}, shortName(other))),
        h("td", null, reason(pair)),
    );
}

function head(titles: string[]): HTMLElement {
    return h(
        "thead",
        null,
        h("tr", null, ...titles.map((title) => h("th", {scope: "col"}, title))),
    );
}

export function documentPage(main: HTMLElement, index: number): () => void {
    const one = documents[index]!,
        bar = h("div"),
        chart = h("div"),
        body = h("tbody"),
        buttons = h("span", {class: "verdicts"}),
        note = noteInput(documentDecision(index)?.note, (text) =>
            decideDocument(index, {note: text}),
        );
    const flags = flagsOf(index);
    const update = () => {
        const list = shownPairs()
            .filter(of(index))
            .sort((x, y) => scoreOf(y) - scoreOf(x));
        replace(
            body,
            ...(list.length
                ? list.slice(0, 500).map((pair) => pairRow(pair, index))
                : [h("tr", null, h("td", {colspan: 3}, words.noPairs))]),
        );
        replace(buttons, ...verdicts(index));
        replace(chart, ...distribution(index));
        void coverageBar(index, list).then((made) => replace(bar, made));
    };
    replace(
        main,
        h("h1", null, one.name),
        h(
            "p",
            {class: "soft"},
            [
                words.sizes(one.files.length, bytesOf(index)),
                one.author === undefined ? "" : words.author(String(one.author)),
                one.time ?? "",
                ...labelsOf(index),
            ]
                .filter(Boolean)
                .join(" · "),
            h("br"),
            `${words.digest} `,
            h("code", null, one.digest),
        ),
        flags.length ? h("p", {class: "warm"}, `${words.flagsTitle}: ${flags.join(", ")}`) : null,
        h("h2", null, words.coverageBar),
        bar,
        h("h2", null, words.source),
        h(
            "table",
            null,
            head([words.similarity, words.document, words.why]),
            body,
        ),
        chart,
        h("h2", {class: "no-print"}, words.caseOfOne),
        h("p", {class: "soft no-print"}, words.caseOfOneHint),
        h("div", {class: "actions"}, buttons, note),
        h(
            "p",
            {class: "no-print"},
            h("a", {href: `#/evidence/${documentKey(index)}`}, words.print),
        ),
    );
    update();
    return update;
}

export function documentList(main: HTMLElement): () => void {
    const body = h("tbody"),
        more = h("p", {class: "soft"});
    const update = () => {
        const best = new Map<number, {count: number; top: Pair}>();
        for (const pair of shownPairs())
            for (const index of [pair.a, pair.b]) {
                const now = best.get(index) ?? {count: 0, top: pair};
                best.set(index, {
                    count: now.count + 1,
                    top: scoreOf(pair) > scoreOf(now.top) ? pair : now.top,
                });
            }
        replace(more, best.size > SHOWN ? words.firstOf(SHOWN, number(best.size)) : null);
        replace(
            body,
            ...[...best]
                .sort((x, y) => scoreOf(y[1].top) - scoreOf(x[1].top) || x[0] - y[0])
                .slice(0, SHOWN)
                .map(([index, {count, top}]) =>
                    h(
                        "tr",
                        null,
                        h(
                            "td",
                            null,
                            h("a", {href: `#/document/${documentKey(index)}`}, shortName(index)),
                            ...labelsOf(index).map((label) => h("small", {class: "tag"}, label)),
                        ),
                        h(
                            "td",
                            null,
                            h("a", {href: `#/pair/${pairKey(top)}`}, percent(scoreOf(top))),
                            ` ${words.with} ${shortName(otherOf(top, index))}`,
                        ),
                        h("td", null, number(count)),
                        h("td", null, flagsOf(index).join(", ")),
                    ),
                ),
        );
    };
    replace(
        main,
        h("h1", null, words.documents),
        h(
            "table",
            null,
            head([words.document, words.closestPairs, words.pairs, words.flagsTitle]),
            body,
        ),
        more,
    );
    update();
    return update;
}
