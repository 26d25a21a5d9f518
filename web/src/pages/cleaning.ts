// What a cleaning run removed, and why: a page to decide the threshold with.
import {collection, documents, removals, Removal, Repeat, run, shortName, textOf} from "../data";
import {difference, Difference, Piece} from "../diff";
import {announce, h, replace, save, svg} from "../dom";
import {histogram} from "../histogram";
import {counted, number, percent, words} from "../words";
import {details, method, tile} from "./overview";

const SAMPLED_CLUSTERS = 12,
    SAMPLES = 4,
    SHOWN = 200,
    SAMPLE_BYTES = 200_000,
    MOST_HOSTS = 20;

const hasText = (index: number) => document.getElementById(`text-${index}-0`) !== null;

// ---- samples

async function textOfSample(index: number): Promise<string | null> {
    const bytes = await textOf(index, 0);
    // `stream`: a character that is cut off is none.
    return bytes && new TextDecoder().decode(bytes.subarray(0, SAMPLE_BYTES), {stream: true});
}

const quote = (title: string, pieces: Piece[] | null, {before, isCut}: Difference) =>
    h(
        "figure",
        null,
        h("figcaption", null, title),
        h(
            "pre",
            {class: "quote sample", tabindex: 0, role: "region", "aria-label": title},
            before ? h("span", {class: "soft"}, `${words.equalBefore(before)}\n`) : null,
            ...(pieces?.map(({text, isSame}) =>
                isSame ? text : h("mark", {class: "differs"}, text),
            ) ?? [words.noText]),
            isCut ? h("span", {class: "soft"}, " …") : null,
        ),
    );

/** A removed record beside the one that it was removed for, with what differs. */
async function sideBySide(one: Removal): Promise<HTMLElement> {
    const [kept, removed] = await Promise.all([
        textOfSample(one.kept),
        textOfSample(one.document),
    ]);
    const both = difference(kept ?? "", removed ?? "");
    const [left, right] =
        kept !== null && removed !== null ? [both.left, both.right] : [null, null];
    return h(
        "div",
        {class: "panes"},
        quote(words.keptTitle(shortName(one.kept)), left, both),
        quote(words.removedAs(shortName(one.document), percent(one.similarity)), right, both),
    );
}

/** The removals with texts whose similarity is nearest to a threshold, from it on. */
function nearest(threshold: number): Removal[] {
    return removals
        .filter((one) => one.similarity >= threshold - 1e-9)
        .sort((x, y) => x.similarity - y.similarity)
        .filter((one) => hasText(one.document) && hasText(one.kept))
        .slice(0, SAMPLES);
}

function clusterSamples(): HTMLElement[] {
    const first = new Map<number, Removal>();
    for (const one of removals)
        if (!first.has(one.cluster) && hasText(one.document) && hasText(one.kept))
            first.set(one.cluster, one);
    return (collection?.largest ?? []).slice(0, SAMPLED_CLUSTERS).map(({id, size, ...rest}) => {
        const body = h("div");
        return h(
            "details",
            {
                ontoggle: () => {
                    const one = first.get(id);
                    if (one && !body.childElementCount)
                        void sideBySide(one).then((made) => replace(body, made));
                },
            },
            h("summary", null, words.clusterOf(id, size, percent(rest.min_similarity))),
            body,
        );
    });
}

// ---- along the collection

const date = new Intl.DateTimeFormat(words.locale, {dateStyle: "medium", timeZone: "UTC"});

function growth(): HTMLElement | null {
    const {times, growth: parts} = collection ?? {};
    const steps = times?.steps ?? parts ?? [];
    if (!steps.some(([read]) => read)) return null;
    const wide = Math.max(300, Math.min(1130, innerWidth - 46)),
        high = 120,
        foot = 18;
    const most = steps.reduce((max, [read]) => Math.max(max, read), 1),
        title = times ? words.growthByTime : words.growth;
    const chart = svg("svg", {
        viewBox: `0 0 ${wide} ${high + foot}`,
        role: "img",
        "aria-label": title,
    });
    const at = (share: number) =>
        times
            ? date.format(1000 * (times.from + share * (times.to - times.from)))
            : counted(Math.round(share * run.records), "record");
    for (const share of wide > 600 ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.5, 1])
        chart.append(
            svg(
                "text",
                {
                    x: share * wide,
                    y: high + foot - 3,
                    "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle",
                },
                at(share),
            ),
        );
    const width = wide / steps.length;
    steps.forEach(([read, removed], i) => {
        const bar = (count: number, name: string) =>
            svg("rect", {
                x: i * width + 1,
                width: Math.max(1, width - 2),
                y: high - (count / most) * high,
                height: (count / most) * high,
                class: name,
            });
        const group = svg("g", null, bar(read, "bar below"), bar(removed, "bar"));
        const when = times ? `${at(i / steps.length)} – ${at((i + 1) / steps.length)}: ` : "";
        group.append(svg("title", null, when + words.removedOf(removed, read)));
        chart.append(group);
    });
    return h(
        "div",
        null,
        h("h2", null, title),
        h("div", {class: "chart"}, chart),
        h(
            "p",
            {class: "soft"},
            times
                ? words.growthTimes(times.field, times.known, times.sampled, run.documents)
                : words.growthHint,
        ),
    );
}

// ---- tables

function table(titles: string[], rows: (string | number)[][]): HTMLElement {
    return h(
        "table",
        null,
        h(
            "thead",
            null,
            h("tr", null, ...titles.map((title) => h("th", {scope: "col"}, title))),
        ),
        h(
            "tbody",
            null,
            ...rows.map((row) =>
                h("tr", null, ...row.map((cell) => h("td", null, String(cell)))),
            ),
        ),
    );
}

const cell = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

function saveRemovals(): void {
    const lines = removals.map((one) =>
        [
            cell(documents[one.document]!.name),
            cell(documents[one.kept]!.name),
            one.similarity,
            one.cluster,
        ].join(","),
    );
    save("removed.csv", "text/csv", `id,kept,similarity,cluster\r\n${lines.join("\r\n")}\r\n`);
}

/** The first removals, in a box that scrolls. */
function removalTable(): HTMLElement {
    const rows = removals
        .slice(0, SHOWN)
        .map((one) => [shortName(one.document), shortName(one.kept), percent(one.similarity)]);
    return h(
        "div",
        {class: "boxed", tabindex: 0, role: "region", "aria-label": words.removedTitle},
        table([words.document, words.removedFor, words.similarity], rows),
    );
}

// ---- sources that repeat each other

/** A table of sources. What is repeated once is in the list of what was removed, and that a single
 * file repeats itself is no news. */
function repeatTable(title: string, all: Repeat[], note: string | null = null): HTMLElement | null {
    const list = all.filter((one) => one.count > 1).slice(0, MOST_HOSTS);
    const names = new Set(all.flatMap((one) => [one.removed, one.kept]));
    if (!list.length || names.size < 2) return null;
    const rows = list.map((one) => [
        one.removed || words.textInMemory,
        one.kept || words.textInMemory,
        number(one.count),
    ]);
    return h(
        "div",
        null,
        h("h2", null, title),
        table([words.repeatedIn, words.repeatedOf, words.records], rows),
        note ? h("p", {class: "soft"}, note) : null,
    );
}

// ---- the page

export function cleaningPage(main: HTMLElement): () => void {
    const counts = collection?.similarities ?? [];
    const start = Number(run.parameters["threshold"] ?? 0);
    const at = h("p", {role: "status"}),
        samples = h("div");
    let turn = 0;
    const countFrom = (threshold: number) =>
        counts.slice(Math.round(threshold * 200)).reduce((sum, one) => sum + one, 0);
    const show = (threshold: number) => {
        const mine = ++turn,
            removed = threshold <= start ? run.removed : countFrom(threshold);
        const text = words.thresholdNow(percent(threshold), words.removedOf(removed, run.records));
        replace(at, h("b", null, text));
        announce(text);
        void Promise.all(nearest(threshold).map(sideBySide)).then((made) => {
            if (mine !== turn) return;
            replace(samples, ...(made.length ? made : [h("p", {class: "soft"}, words.noSamples)]));
        });
    };
    replace(
        main,
        h("h1", null, words.cleaning),
        h(
            "p",
            null,
            words.cleaningSummary(
                number(run.removed),
                counted(run.records, "record"),
                percent(run.records ? run.removed / run.records : 0),
            ),
        ),
        h(
            "div",
            {class: "tiles"},
            tile(number(run.records), words.tileRecords),
            tile(number(run.removed), words.tileRemoved),
            tile(number(collection?.clusters ?? 0), words.tileClusters),
            run.expected_recall === null
                ? null
                : tile(percent(run.expected_recall), words.tileRecall),
            run.skipped.length ? tile(number(run.skipped.length), words.tileSkipped) : null,
        ),
        h("h2", null, words.removedAt),
        histogram({
            counts,
            unit: "record",
            threshold: start,
            label: words.removedAt,
            onThreshold: show,
        }),
        at,
        h(
            "p",
            {class: "soft no-print"},
            words.removedAtHint,
            " ",
            words.lowerThreshold(percent(start)),
        ),
        h("h2", null, words.nearThreshold),
        h("p", {class: "soft"}, words.nearThresholdHint),
        samples,
        h("h2", null, words.largest),
        ...clusterSamples(),
        repeatTable(words.repeats, collection?.repeats ?? []),
        repeatTable(
            words.repeatsOfHosts,
            collection?.hosts ?? [],
            collection?.hosts_not_counted
                ? words.hostsNotCounted(collection.hosts_not_counted)
                : null,
        ),
        growth(),
        h("h2", null, words.removedTitle),
        removals.length
            ? h("p", null, h("button", {onclick: saveRemovals}, words.saveRemovals))
            : null,
        removalTable(),
        run.removed > SHOWN
            ? h("p", {class: "soft"}, words.firstOf(SHOWN, counted(run.removed, "record")))
            : null,
        h("h2", null, words.how),
        h("p", null, method().join(" ")),
        details(words.notesTitle, run.notes, true),
        details(
            words.skippedTitle,
            run.skipped.map((skip) => `${skip.path}: ${skip.reason}`),
            run.skipped.length <= 10,
        ),
    );
    // Texts stand after the script: what needs them waits until they have arrived.
    if (document.readyState === "loading")
        addEventListener("DOMContentLoaded", () => cleaningPage(main), {once: true});
    else show(start);
    return () => {};
}
