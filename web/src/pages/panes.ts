// The two texts of a comparison: their files, a map of each, and scrolling that keeps what belongs
// together side by side.
import {documents, Pair, Passage, Passages, run, shortName, textOf} from "../data";
import {h} from "../dom";
import {shares} from "../reason";
import {covered} from "../spans";
import {documentKey, isDismissed} from "../state";
import {marksOf, textView, wordsIn} from "../text_view";
import {percent, words} from "../words";

export type SideIndex = 0 | 1;
export const sideOf = (passage: Passage, side: SideIndex) => (side ? passage.b : passage.a);
export const indexOf = (pair: Pair, side: SideIndex) => (side ? pair.b : pair.a);

/** A file as it is shown: its lines, and the byte that each begins with. */
interface FileView {
    box: HTMLElement;
    lines: HTMLElement[];
    starts: number[];
}

export interface Pane {
    box: HTMLElement;
    scroller: HTMLElement;
    files: Map<number, FileView>; // by index of the file
    redraw: () => void;
    update: () => void; // after a passage was dismissed, or counts again
}

/** The words that stay where one side of a pair is redacted: those of the other side. */
export async function wordsShown(pair: Pair, redacted: SideIndex): Promise<Set<string>> {
    const other = indexOf(pair, redacted ? 0 : 1),
        found = new Set<string>();
    for (const file of documents[other]!.files.keys()) {
        const bytes = await textOf(other, file);
        if (bytes) wordsIn(new TextDecoder().decode(bytes)).forEach((word) => found.add(word));
    }
    return found;
}

// ---- files

/** The share of a file that is in passages, without dismissed ones. */
function coverageOf(passages: Passages, side: SideIndex, file: number, bytes: number): number {
    const spans = passages.list
        .filter((one) => !isDismissed(one))
        .map((one) => sideOf(one, side))
        .filter((one) => one.file_index === file)
        .map((one) => one.bytes);
    return bytes ? covered(spans) / bytes : 0;
}

function lineStarts(bytes: Uint8Array): number[] {
    const starts = [0];
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
    return starts;
}

async function fileView(
    document: number,
    file: number,
    passages: Passages,
    side: SideIndex,
    shown: Set<string> | null,
): Promise<FileView> {
    const bytes = await textOf(document, file);
    if (bytes === null)
        return {box: h("p", {class: "soft pad"}, words.noText), lines: [], starts: []};
    const box = textView(bytes, marksOf(bytes.length, passages, side, file), shown);
    return {
        box,
        lines: [...box.querySelectorAll<HTMLElement>(".line[data-n]")],
        starts: lineStarts(bytes),
    };
}

/** The folder that all paths begin with, or "". */
function commonFolder(paths: string[]): string {
    let common = paths[0]!.slice(0, paths[0]!.lastIndexOf("/") + 1);
    while (!paths.every((path) => path.startsWith(common)))
        common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
    return common;
}

interface FileList {
    boxes: HTMLDetailsElement[];
    update: () => void; // after a passage was dismissed: the order stays
}

/** The files of a submission, those with the most shared text first. */
function fileList(
    document: number,
    views: Map<number, FileView>,
    passages: Passages,
    side: SideIndex,
    isRedacted: boolean,
): FileList {
    const files = documents[document]!.files.map((file, index) => ({
        file,
        index,
        share: coverageOf(passages, side, index, file.bytes),
    }));
    files.sort((x, y) => y.share - x.share || x.index - y.index);
    const common = commonFolder(files.map(({file}) => file.name ?? ""));
    const shown = files.map(({file, index, share}, i) => {
        const meter = h("i", {class: "meter"}),
            text = h("span", {class: "soft"});
        const name = isRedacted ? words.file(index + 1) : (file.name ?? "").slice(common.length);
        const box = h(
            "details",
            {class: "file", open: share > 0 || i === 0},
            h("summary", null, h("span", {class: "name"}, name), meter, text),
            views.get(index)!.box,
        );
        const update = () => {
            const now = coverageOf(passages, side, index, file.bytes);
            meter.style.setProperty("--share", `${now * 100}%`);
            text.textContent = words.fileShare(percent(now));
        };
        update();
        return {box, update};
    });
    return {
        boxes: shown.map(({box}) => box),
        update: () => shown.forEach(({update}) => update()),
    };
}

function collapseButton(files: HTMLDetailsElement[]): HTMLElement {
    const button = h(
        "button",
        {
            class: "small",
            onclick: () => {
                const isOpen = files.some((file) => file.open);
                files.forEach((file) => (file.open = !isOpen));
                button.textContent = isOpen ? words.expandAll : words.collapseAll;
            },
        },
        words.collapseAll,
    );
    return button;
}

/** One side of the comparison. Name, share and digest stand above its text, always in sight. */
export async function pane(
    pair: Pair,
    side: SideIndex,
    passages: Passages,
    isRedacted: boolean,
): Promise<Pane> {
    const index = indexOf(pair, side),
        one = documents[index]!,
        share = h("span", {class: "soft"});
    const scroller = h("div", {
        class: `scroller${run.programs ? " code" : ""}`,
        tabindex: 0,
        role: "region",
        "aria-label": isRedacted ? words.redacted : shortName(index),
    });
    const head = h(
        "header",
        null,
        isRedacted
            ? h("b", null, words.redacted)
            : h("a", {href: `#/document/${documentKey(index)}`, title: one.name}, shortName(index)),
        h("code", {title: words.digestOf(one.digest)}, one.digest.slice(0, 16)),
        share,
    );
    const shown = isRedacted ? await wordsShown(pair, side) : null;
    const views = await Promise.all(
        (one.files.length ? one.files : [null]).map((_, file) =>
            fileView(index, file, passages, side, shown),
        ),
    );
    const files = new Map(views.map((view, file) => [file, view]));
    let updateFiles = () => {};
    if (one.files.length > 1) {
        const list = fileList(index, files, passages, side, isRedacted);
        updateFiles = list.update;
        head.append(collapseButton(list.boxes));
        scroller.append(...list.boxes);
    } else scroller.append(views[0]!.box);
    const map = minimap(scroller);
    const update = () => {
        const both = shares(pair);
        share.textContent = both ? words.sharedOfIt(percent(both[side]), both.isOfPassages) : "";
        const off = passages.list.map(isDismissed);
        for (const mark of scroller.querySelectorAll<HTMLElement>("mark"))
            mark.classList.toggle("off", off[Number(mark.dataset["passage"])] ?? false);
        updateFiles();
        map.redraw();
    };
    update();
    return {
        box: h(
            "section",
            {class: "pane", "aria-label": words.side(side)},
            head,
            h("div", {class: "body"}, scroller, map.canvas),
        ),
        scroller,
        files,
        redraw: map.redraw,
        update,
    };
}

// ---- the map

export const markOf = (scroller: HTMLElement, passage: number) =>
    scroller.querySelector<HTMLElement>(`mark[data-passage="${passage}"]`);
export const topOf = (scroller: HTMLElement, node: HTMLElement) =>
    node.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;

/** A narrow picture of the whole text beside it: where passages are, and what is in sight. */
function minimap(scroller: HTMLElement): {canvas: HTMLElement; redraw: () => void} {
    const canvas = h("canvas", {
        class: "minimap",
        role: "img",
        "aria-label": words.minimap,
        title: words.minimap,
    });
    let picture: HTMLCanvasElement | null = null;
    const drawPassages = () => {
        picture = h("canvas", {width: canvas.width, height: canvas.height});
        const context = picture.getContext("2d")!,
            scale = canvas.height / Math.max(1, scroller.scrollHeight),
            colors = new Map<string, string>();
        scroller.querySelectorAll<HTMLElement>("mark").forEach((mark) => {
            const name = mark.className;
            if (!colors.has(name)) colors.set(name, getComputedStyle(mark).borderBottomColor);
            context.fillStyle = colors.get(name)!;
            const high = Math.max(2, mark.offsetHeight * scale);
            context.fillRect(0, topOf(scroller, mark) * scale, canvas.width, high);
        });
    };
    const draw = () => {
        const context = canvas.getContext("2d")!,
            scale = canvas.height / Math.max(1, scroller.scrollHeight);
        context.clearRect(0, 0, canvas.width, canvas.height);
        if (picture) context.drawImage(picture, 0, 0);
        const top = scroller.scrollTop * scale,
            high = Math.max(4, scroller.clientHeight * scale - 1);
        context.fillStyle = context.strokeStyle = getComputedStyle(canvas).color;
        context.globalAlpha = 0.18;
        context.fillRect(0, top, canvas.width, high);
        context.globalAlpha = 1;
        context.strokeRect(0.5, top + 0.5, canvas.width - 1, high);
    };
    const redraw = () => {
        if (!canvas.clientHeight) return;
        canvas.width = canvas.clientWidth;
        canvas.height = canvas.clientHeight;
        drawPassages();
        draw();
    };
    let isDue = false;
    scroller.addEventListener("scroll", () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => {
            isDue = false;
            draw();
        });
    });
    scroller.addEventListener("toggle", redraw, true);
    new ResizeObserver(redraw).observe(scroller);
    canvas.addEventListener("click", (event) => {
        scroller.scrollTop =
            (event.offsetY / canvas.clientHeight) * scroller.scrollHeight -
            scroller.clientHeight / 2;
    });
    return {canvas, redraw};
}

// ---- scrolling together

/** Lines of both sides that stand for each other. */
interface Anchor {
    lines: [HTMLElement, HTMLElement];
    passage: number;
}

function lineAt(pane: Pane, file: number, byte: number): HTMLElement | undefined {
    const view = pane.files.get(file);
    if (!view) return undefined;
    let from = 0,
        to = view.starts.length;
    while (from + 1 < to) {
        const middle = (from + to) >> 1;
        if (view.starts[middle]! <= byte) from = middle;
        else to = middle;
    }
    return view.lines[from];
}

/** Lines that stand for each other: where equal spans begin, and where passages end. */
function anchorsOf(panes: [Pane, Pane], passages: Passages): Anchor[] {
    const anchors: Anchor[] = [];
    passages.list.forEach((one, passage) => {
        const add = (a: number, b: number) => {
            const left = lineAt(panes[0], one.a.file_index, a),
                right = lineAt(panes[1], one.b.file_index, b),
                last = anchors[anchors.length - 1];
            if (left && right && last?.lines[0] !== left)
                anchors.push({lines: [left, right], passage});
        };
        add(one.a.bytes[0], one.b.bytes[0]);
        one.spans.forEach(([a, , b]) => add(a, b));
        add(one.a.bytes[1] - 1, one.b.bytes[1] - 1);
    });
    return anchors;
}

/** Where the other side has what is at the height `y` of this one. */
function heightInOther(
    anchors: Anchor[],
    y: number,
    top: (anchor: Anchor) => number,
    otherTop: (anchor: Anchor) => number,
): number | null {
    let from = -1,
        to = anchors.length;
    while (from + 1 < to) {
        const middle = (from + to) >> 1;
        if (top(anchors[middle]!) <= y) from = middle;
        else to = middle;
    }
    const last = anchors[from],
        next = anchors[to];
    if (last && next && last.passage === next.passage) {
        const share = (y - top(last)) / Math.max(1, top(next) - top(last));
        return otherTop(last) + share * (otherTop(next) - otherTop(last));
    }
    const isNext = next && (!last || top(next) - y < y - top(last));
    const near = isNext ? next : last;
    return near ? otherTop(near) + (y - top(near)) : null;
}

/** Scrolls one pane with the other, so that what belongs together is at the same height. */
export function scrollTogether(
    panes: [Pane, Pane],
    passages: Passages,
    isOn: () => boolean,
): void {
    const anchors = anchorsOf(panes, passages);
    const ordered = ([0, 1] as const).map((side) => {
        const rank = new Map<HTMLElement, number>();
        panes[side].scroller
            .querySelectorAll<HTMLElement>(".line")
            .forEach((line, i) => rank.set(line, i));
        return [...anchors].sort((x, y) => rank.get(x.lines[side])! - rank.get(y.lines[side])!);
    });
    let leader = -1;
    const follow = (side: SideIndex) => {
        const other = (1 - side) as SideIndex,
            from = panes[side].scroller,
            to = panes[other].scroller,
            at = from.clientHeight / 3;
        const height = heightInOther(
            ordered[side]!,
            from.scrollTop + at,
            (anchor) => topOf(from, anchor.lines[side]),
            (anchor) => topOf(to, anchor.lines[other]),
        );
        if (height !== null) to.scrollTop = height - at;
    };
    panes.forEach(({scroller}, i) => {
        for (const event of ["wheel", "pointerdown", "keydown", "touchstart"])
            scroller.addEventListener(event, () => (leader = i), {passive: true});
        scroller.addEventListener("scroll", () => {
            if (isOn() && leader === i) follow(i as SideIndex);
        });
    });
}
