// Two documents side by side, with what they share.
import {
    documents,
    IN_BIBLIOGRAPHY,
    IN_QUOTATION,
    Pair,
    Passage,
    Passages,
    passagesOf,
    run,
    textOf,
    shortName,
} from "../data";
import {announce, h, replace, svg} from "../dom";
import {chance, rarityOf, reason, shares, unit} from "../reason";
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
import {marksOf, textView} from "../text_view";
import {amount, kindNames, number, percent, words} from "../words";
import {score as meter} from "./overview";

type SideIndex = 0 | 1;
const sideOf = (passage: Passage, side: SideIndex) => (side ? passage.b : passage.a);
const indexOf = (pair: Pair, side: SideIndex) => (side ? pair.b : pair.a);

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

function score(pair: Pair): HTMLElement {
    const without = similarityWithout(pair);
    const more = chance(pair);
    return h(
        "div",
        {class: "score"},
        meter(pair.similarity),
        h(
            "div",
            null,
            h("div", null, reason(pair)),
            more ? h("div", {class: "why"}, more) : null,
            without === null
                ? null
                : h("div", {class: "warm"}, words.withoutDismissed(percent(without))),
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
        h(
            "span",
            {class: "soft keys"},
            h("kbd", null, "n"),
            " ",
            h("kbd", null, "p"),
            ` ${words.keysPassages} · `,
            h("kbd", null, "j"),
            " ",
            h("kbd", null, "k"),
            ` ${words.keysPairs}`,
        ),
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
    const names = passage.names.slice(0, 2).map((one) => `${short(one.a)} → ${short(one.b)}`);
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
                      names.join(", ") + (passage.names.length > names.length ? ", …" : ""),
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

/** A strip that shows where the passages went: bands from the first document to the second. */
function orderStrip(pair: Pair, passages: Passages): SVGSVGElement {
    const WIDTH = 200,
        HEIGHT = 160;
    const strip = svg("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
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
        return (((of.starts[where.file_index] ?? 0) + where.bytes[end]) / of.all) * HEIGHT;
    };
    const curve = (from: number, x: number, to: number) =>
        `C${WIDTH / 2} ${from} ${WIDTH / 2} ${to} ${x} ${to}`;
    passages.list.forEach((one, i) =>
        strip.append(
            svg(
                "path",
                {
                    class: `band c${i % 8}`,
                    d:
                        `M0 ${y(one, 0, 0)}${curve(y(one, 0, 0), WIDTH, y(one, 1, 0))}` +
                        `V${y(one, 1, 1)}${curve(y(one, 1, 1), 0, y(one, 0, 1))}Z`,
                },
                svg("title", null, words.passageTitle(i + 1, kindNames(one.kinds))),
            ),
        ),
    );
    return strip;
}

// ---- the panes

interface Pane {
    box: HTMLElement;
    scroller: HTMLElement;
}

function coverageOf(passages: Passages, side: SideIndex, file: number, bytes: number): number {
    const covered = passages.list
        .map((one) => sideOf(one, side))
        .filter((one) => one.file_index === file)
        .reduce((sum, one) => sum + one.bytes[1] - one.bytes[0], 0);
    return bytes ? Math.min(1, covered / bytes) : 0;
}

async function fileView(
    document: number,
    file: number,
    passages: Passages,
    side: SideIndex,
    isRedacted: boolean,
): Promise<HTMLElement> {
    const bytes = await textOf(document, file);
    return bytes === null
        ? h("p", {class: "soft pad"}, words.noText)
        : textView(bytes, marksOf(bytes.length, passages, side, file), isRedacted);
}

/** The folder that all paths begin with, or "". */
function commonFolder(paths: string[]): string {
    let common = paths[0]!.slice(0, paths[0]!.lastIndexOf("/") + 1);
    while (!paths.every((path) => path.startsWith(common)))
        common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
    return common;
}

/** The files of a submission, those with the most shared text first. */
async function fileList(
    document: number,
    passages: Passages,
    side: SideIndex,
    isRedacted: boolean,
): Promise<HTMLElement[]> {
    const files = documents[document]!.files.map((file, index) => ({
        file,
        index,
        share: coverageOf(passages, side, index, file.bytes),
    }));
    files.sort((x, y) => y.share - x.share || x.index - y.index);
    const common = commonFolder(files.map(({file}) => file.name ?? ""));
    return Promise.all(
        files.map(async ({file, index, share}, i) =>
            h(
                "details",
                {class: "file", open: share > 0 || i === 0},
                h(
                    "summary",
                    null,
                    isRedacted ? words.file(index + 1) : (file.name ?? "").slice(common.length),
                    h("span", {class: "soft"}, ` ${percent(share)}`),
                ),
                await fileView(document, index, passages, side, isRedacted),
            ),
        ),
    );
}

async function pane(
    pair: Pair,
    side: SideIndex,
    passages: Passages,
    isRedacted: boolean,
): Promise<Pane> {
    const index = indexOf(pair, side),
        one = documents[index]!;
    const scroller = h("div", {
        class: `scroller${run.programs ? " code" : ""}`,
        tabindex: 0,
        "aria-label": isRedacted ? words.redacted : shortName(index),
    });
    const both = shares(pair);
    const head = h(
        "header",
        null,
        isRedacted
            ? h("b", null, words.redacted)
            : h("a", {href: `#/document/${index}`}, shortName(index)),
        both ? h("span", {class: "soft"}, words.inTheOther(percent(both[side]))) : null,
        h("code", {title: words.digestOf(one.digest)}, one.digest.slice(0, 16)),
    );
    if (one.files.length > 1) {
        const files = await fileList(index, passages, side, isRedacted);
        const toggle = h(
            "button",
            {
                class: "small",
                onclick: () => {
                    const open = files.some((file) => (file as HTMLDetailsElement).open);
                    files.forEach((file) => ((file as HTMLDetailsElement).open = !open));
                    toggle.textContent = open ? words.expandAll : words.collapseAll;
                },
            },
            words.collapseAll,
        );
        head.append(toggle);
        scroller.append(...files);
    } else {
        scroller.append(await fileView(index, 0, passages, side, isRedacted));
    }
    const map = minimap(scroller, side);
    return {
        box: h("section", {class: "pane"}, head, h("div", {class: "body"}, scroller, map)),
        scroller,
    };
}

const markOf = (scroller: HTMLElement, passage: number) =>
    scroller.querySelector<HTMLElement>(`mark[data-passage="${passage}"]`);
const topOf = (scroller: HTMLElement, mark: HTMLElement) =>
    mark.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;

function minimap(scroller: HTMLElement, side: SideIndex): HTMLElement {
    const canvas = h("canvas", {
        class: "minimap",
        role: "img",
        "aria-label": words.minimap,
        width: 12,
        height: 400,
    });
    const draw = () => {
        const context = canvas.getContext("2d")!,
            scale = canvas.height / Math.max(1, scroller.scrollHeight);
        context.clearRect(0, 0, canvas.width, canvas.height);
        scroller.querySelectorAll<HTMLElement>("mark").forEach((mark) => {
            context.fillStyle = getComputedStyle(mark).borderBottomColor;
            context.fillRect(
                0,
                topOf(scroller, mark) * scale,
                canvas.width,
                Math.max(2, mark.offsetHeight * scale),
            );
        });
        const top = scroller.scrollTop * scale,
            high = Math.max(4, scroller.clientHeight * scale - 1);
        context.fillStyle = context.strokeStyle = getComputedStyle(canvas).color;
        context.globalAlpha = 0.18;
        context.fillRect(0, top, canvas.width, high);
        context.globalAlpha = 1;
        context.strokeRect(0.5, top + 0.5, canvas.width - 1, high);
    };
    let isDue = false;
    const later = () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => {
            isDue = false;
            draw();
        });
    };
    scroller.addEventListener("scroll", later);
    setTimeout(later, 50 + side);
    canvas.addEventListener("click", (event) => {
        scroller.scrollTop =
            (event.offsetY / canvas.clientHeight) * scroller.scrollHeight -
            scroller.clientHeight / 2;
    });
    return canvas;
}

/** Scrolls the other pane so that the passage at the top of this one has the same height there. */
function follow(from: HTMLElement, to: HTMLElement): void {
    const top = from.getBoundingClientRect().top;
    for (const mark of from.querySelectorAll<HTMLElement>("mark[data-label]")) {
        const place = mark.getBoundingClientRect();
        if (place.bottom < top) continue;
        const other = markOf(to, Number(mark.dataset["passage"]));
        if (other) to.scrollTop = topOf(to, other) - (place.top - top);
        return;
    }
}

function scrollTogether(panes: [Pane, Pane], isOn: () => boolean): void {
    let leader: HTMLElement | null = null;
    panes.forEach(({scroller}, i) => {
        const lead = () => (leader = scroller);
        for (const event of ["wheel", "pointerdown", "keydown", "touchstart"])
            scroller.addEventListener(event, lead, {passive: true});
        scroller.addEventListener("scroll", () => {
            if (isOn() && leader === scroller) follow(scroller, panes[1 - i]!.scroller);
        });
    });
}

// ---- the page

export type Redaction = "" | "a" | "b";
let isTogether = true;

export function compare(
    main: HTMLElement,
    pair: Pair,
    first: number,
    redaction: Redaction,
): () => void {
    const top = h("div"),
        buttons = h("span", {class: "verdicts"}),
        note = noteInput(decisionOf(pair)?.note, (text) => decide(pair, {note: text})),
        list = h("div", {class: "list"}),
        panes = h("div", {class: "panes"});
    let passages: Passages = {list: [], excluded: [[], []]};
    let now = first,
        scrollers: HTMLElement[] = [];

    const select = (index: number) => {
        if (!passages.list.length) return;
        now = (index + passages.list.length) % passages.list.length;
        for (const scroller of scrollers) {
            scroller.querySelectorAll("mark.now").forEach((mark) => mark.classList.remove("now"));
            scroller
                .querySelectorAll(`mark[data-passage="${now}"]`)
                .forEach((mark) => mark.classList.add("now"));
            const mark = markOf(scroller, now);
            mark?.closest("details")?.setAttribute("open", "");
            if (mark) scroller.scrollTop = topOf(scroller, mark) - 60;
        }
        main.querySelectorAll(".passage").forEach((one, i) =>
            one.classList.toggle("now", i === now),
        );
        history.replaceState(
            null,
            "",
            `#/pair/${pairKey(pair)}/${now + 1}${redaction ? `/hide-${redaction}` : ""}`,
        );
        const one = passages.list[now]!;
        announce(words.passageOf(now + 1, amount(one.tokens, unit), kindNames(one.kinds)));
    };
    const update = () => {
        replace(top, score(pair));
        replace(buttons, ...verdictButtons(pair));
        replace(
            list,
            h("h2", null, `${words.passages} (${number(passages.list.length)})`),
            passages.list.length ? orderStrip(pair, passages) : null,
            ...(passages.list.length
                ? passages.list.map((one, i) => passageButton(pair, one, i, redaction, select))
                : [h("p", {class: "soft"}, words.noneFound)]),
            nameMapping(passages),
            passages.excluded.some((side) => side.length)
                ? h("p", {class: "soft"}, words.template)
                : null,
        );
        main.querySelectorAll(".passage").forEach((one, i) =>
            one.classList.toggle("now", i === now),
        );
    };
    const address = (hidden: Redaction) =>
        `#/pair/${pairKey(pair)}/${Math.max(1, now + 1)}${hidden ? `/hide-${hidden}` : ""}`;
    const links = h(
        "div",
        {class: "actions"},
        h(
            "label",
            {class: "check"},
            h("input", {
                type: "checkbox",
                checked: isTogether,
                onchange: (event: Event) =>
                    (isTogether = (event.target as HTMLInputElement).checked),
            }),
            words.together,
        ),
        ...(
            [
                ["", words.showBoth],
                ["a", words.redactFirst],
                ["b", words.redactSecond],
            ] as const
        )
            .filter(([side]) => side !== redaction)
            .map(([side, title]) =>
                h(
                    "a",
                    {
                        class: "button",
                        href: address(side),
                    },
                    title,
                ),
            ),
        h(
            "a",
            {
                class: "button",
                href: `#/evidence/${pairKey(pair)}${redaction ? `/hide-${redaction}` : ""}`,
            },
            words.print,
        ),
        redaction
            ? null
            : h(
                  "details",
                  {class: "menu"},
                  h("summary", {class: "button"}, words.more),
                  h(
                      "div",
                      null,
                      ...[pair.a, pair.b].map((index) =>
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
                          ),
                      ),
                  ),
              ),
    );
    replace(
        main,
        steps(pair),
        h(
            "h1",
            null,
            redaction === "a" ? words.redacted : shortName(pair.a),
            ` ${words.and} `,
            redaction === "b" ? words.redacted : shortName(pair.b),
        ),
        top,
        h("div", {class: "actions"}, buttons, note),
        redaction ? h("p", {class: "soft"}, words.redactedNote) : null,
        h(
            "div",
            {class: "compare"},
            list,
            h("div", {class: "grow"}, links, panes),
        ),
    );

    const fill = async () => {
        const found = await passagesOf(pair);
        passages = found ?? passages;
        const sides = await Promise.all([
            pane(pair, 0, passages, redaction === "a"),
            pane(pair, 1, passages, redaction === "b"),
        ]);
        scrollers = sides.map((side) => side.scroller);
        scrollTogether(sides as [Pane, Pane], () => isTogether);
        update();
        replace(panes, ...sides.map((side) => side.box));
        if (found === null) panes.prepend(h("p", {class: "soft"}, words.noPassages));
        if (first >= 0) select(first);
        main.dataset["ready"] = "yes";
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
