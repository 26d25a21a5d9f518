// What was compared and how, how similar the pairs are, and what to look at first.
import {clusters, Pair, pairs, run, folder, shortName} from "../data";
import {announce, h, replace} from "../dom";
import {histogram} from "../histogram";
import {chance, coverage, reason} from "../reason";
import {
    changed,
    dismissals,
    filters,
    lowest,
    pairKey,
    scoreOf,
    shownPairs,
    verdictOf,
} from "../state";
import {counted, flagName, number, percent, words} from "../words";

const FINDINGS = 12;

export function tile(value: string, label: string): HTMLElement {
    return h("div", {class: "tile"}, h("b", null, value), h("span", null, label));
}

/** Whether unrelated documents have something in common, as a rule. */
const hasBackground = (run.background?.median ?? 0) >= 0.001;

/** How many pairs there are in each bar of the histogram, by the sample of the run. */
function allPairs(): number[] | undefined {
    const background = run.background;
    return background?.bars.map((n) => (n * background.pairs) / background.sampled);
}

/** How far above the other pairs the most similar one is. */
function farOut(upper: number): string {
    const top = pairs.reduce((most, pair) => Math.max(most, scoreOf(pair)), 0);
    const times = top / upper;
    return pairs.length === 0
        ? words.upper(percent(upper))
        : upper < 0.001
          ? words.farAboveNothing(percent(top))
          : words.farAbove(percent(upper), percent(top), times < 1.5 ? null : times);
}

function backgroundNote(): string[] {
    const background = run.background;
    if (!background) return run.kind === "scan" ? [words.backgroundUnknown(run.documents)] : [];
    const {median, upper, pairs: compared, sampled} = background;
    const measured = counted(sampled, "pair");
    return [
        hasBackground
            ? words.background(percent(median), measured)
            : words.noBackground(measured),
        farOut(upper),
        words.greyBars(sampled < compared),
    ];
}

function tiles(shown: Pair[]): HTMLElement {
    const together = new Set(shown.map((pair) => pair.cluster).filter((id) => id > 0)).size;
    return h(
        "div",
        {class: "tiles"},
        tile(
            number(run.documents),
            run.skipped.length ? words.tileDocuments : words.tileNoneSkipped,
        ),
        tile(
            number(shown.length),
            shown.length === pairs.length
                ? words.tileAllPairs
                : words.tilePairs(percent(filters.threshold)),
        ),
        tile(
            number(shown.length === pairs.length ? clusters.length : together),
            words.tileClusters,
        ),
        hasBackground ? tile(percent(run.background!.median), words.tileBackground) : null,
        run.expected_recall === null ? null : tile(percent(run.expected_recall), words.tileRecall),
        run.skipped.length ? tile(number(run.skipped.length), words.tileSkipped) : null,
    );
}

/** A similarity as a number, with a bar for the eye. */
export function score(similarity: number): HTMLElement {
    return h(
        "div",
        {class: "percent"},
        percent(similarity),
        h("i", {class: "meter", "--share": `${Math.min(100, similarity * 100)}%`}),
    );
}

export function verdictPill(pair: Pair): HTMLElement {
    const verdict = verdictOf(pair);
    return h("span", {class: `pill ${verdict ?? ""}`}, words[verdict ?? "undecided"]);
}

function finding(pair: Pair): HTMLElement {
    const more = [coverage(pair), chance(pair)].filter(Boolean).join(" · ");
    return h(
        "a",
        {class: "finding", href: `#/pair/${pairKey(pair)}`},
        score(scoreOf(pair)),
        h(
            "div",
            {class: "grow"},
            h(
                "div",
                {class: "names"},
                h("b", null, shortName(pair.a)),
                ` ${words.and} `,
                h("b", null, shortName(pair.b)),
            ),
            h("div", {class: "why"}, reason(pair)),
            more ? h("div", {class: "why"}, more) : null,
        ),
        verdictPill(pair),
    );
}

function parameters(): HTMLElement {
    const list = h("dl", {class: "parameters"});
    for (const [name, value] of Object.entries(run.parameters))
        if (value !== null && value !== "" && typeof value !== "object")
            list.append(h("div", null, h("dt", null, name), h("dd", null, String(value))));
    return h("details", null, h("summary", null, words.allParameters), list);
}

const threshold = Number(run.parameters["threshold"]);

/** How many pairs are in the report for their passages alone. */
const forPassages =
    run.kind === "scan" && !run.programs && run.pairs === pairs.length
        ? pairs.filter((pair) => pair.similarity < threshold).length
        : 0;

/** Which pairs are in the report. */
function listed(): string {
    const all = counted(run.pairs, "pair");
    if (run.programs) return words.listedDownTo(percent(lowest), all);
    const similar = counted(pairs.length - forPassages, "pair");
    return forPassages
        ? words.listedFor(percent(threshold), similar, forPassages)
        : words.listedFrom(percent(threshold), all);
}

/** How the pairs were found, in sentences. */
export function method(): string[] {
    const candidates = counted(run.verified, "pair");
    const unit = run.programs ? "token" : run.unit === "char" ? "character" : run.unit;
    return [
        words.comparedBy(unit, run.parameters["k"]),
        Number.isFinite(threshold) && run.kind === "scan" && !run.case ? listed() : "",
        run.kind === "compare"
            ? ""
            : run.bands
              ? words.methodBands(run.bands, run.rows, candidates)
              : words.methodExact(candidates),
        run.expected_recall === null || run.kind === "compare"
            ? ""
            : run.expected_recall === 1
              ? words.allCompared
              : words.recall(percent(run.expected_recall)),
    ].filter(Boolean);
}

export function details(
    title: string,
    lines: (string | Node)[],
    open = false,
): HTMLElement | null {
    return lines.length === 0
        ? null
        : h(
              "details",
              {open},
              h("summary", null, `${title} (${number(lines.length)})`),
              h("ul", null, ...lines.map((line) => h("li", null, line))),
          );
}

export function overview(main: HTMLElement): () => void {
    const head = h("div"),
        box = h("div"),
        note = h("p", {class: "soft"}),
        found = h("div");
    let drawn = -1;
    const update = () => {
        const shown = shownPairs();
        if (drawn !== dismissals) {
            replace(box, chart());
            replace(
                note,
                h("span", {class: "no-print"}, `${words.dragHint} `),
                backgroundNote().join(" "),
            );
        }
        drawn = dismissals;
        replace(head, tiles(shown));
        replace(
            found,
            ...(shown.length
                ? shown.slice(0, FINDINGS).map(finding)
                : [h("p", {class: "soft"}, words.noFindings)]),
            shown.length > FINDINGS
                ? h("p", null, h("a", {href: "#/pairs"}, words.moreFindings(shown.length)))
                : null,
        );
    };
    const chart = () =>
        histogram({
            values: pairs.map(scoreOf),
            threshold: filters.threshold,
            mark: hasBackground ? run.background!.median : null,
            upper: run.background?.upper,
            all: allPairs(),
            label: words.distribution,
            onThreshold: (value) => {
                filters.threshold = value;
                announce(words.thresholdNow(percent(value), counted(shownPairs().length, "pair")));
                changed();
            },
        });
    replace(
        main,
        h("h1", null, folder ? words.overviewOf(folder) : words.overview),
        head,
        h("h2", null, words.distribution),
        box,
        note,
        h("h2", null, words.findings),
        forPassages ? h("p", {class: "soft"}, words.findingsOrder) : null,
        found,
        h("h2", null, words.how),
        h("p", null, method().join(" ")),
        run.pairs_with_passages < pairs.length
            ? h("p", {class: "warm"}, words.partOf(run.pairs_with_passages, pairs.length))
            : null,
        details(
            words.skippedTitle,
            run.skipped.map((skip) => `${skip.path}: ${skip.reason}`),
            run.skipped.length <= 10,
        ),
        details(words.notesTitle, run.notes, true),
        details(
            words.flaggedTitle,
            run.flagged.map(({path, flags, encoding}) =>
                [`${path}: ${flags.map(flagName).join(", ")}`, encoding].filter(Boolean).join(", "),
            ),
        ),
        parameters(),
    );
    update();
    return update;
}
