// A file of a document as lines, with its passages marked. Spans count bytes of UTF-8, so the text
// is cut as bytes and decoded piece by piece: a mark covers exactly what the engine compared.
import {Passages} from "./data";
import {h} from "./dom";

const LINES_IN_A_CHUNK = 100,
    LONG_CHUNKS = 20, // more of them are drawn as they come into sight
    LONG_LINE = 4_000; // characters; browsers need minutes for a line of a megabyte

export interface Mark {
    from: number;
    to: number;
    passage: number;
    isEqual: boolean;
    isExcluded: boolean;
}

/** Cuts a file into spans that are inside or outside of passages, equal text, and templates. */
export function marksOf(length: number, passages: Passages, side: 0 | 1, file: number): Mark[] {
    const cuts = new Set([0, length]);
    const inFile = (index: number) => {
        const one = passages.list[index]!,
            where = side ? one.b : one.a;
        return where.file_index === file ? where.bytes : null;
    };
    const equal = passages.list.map((one) =>
        one.spans.map((span) => [span[2 * side]!, span[2 * side + 1]!] as const),
    );
    const excluded = (passages.excluded[side] ?? []).filter((span) => span[0] === file);
    passages.list.forEach((_, i) => {
        const bytes = inFile(i);
        if (!bytes) return;
        bytes.forEach((cut) => cuts.add(cut));
        equal[i]!.forEach(([from, to]) => cuts.add(from) && cuts.add(to));
    });
    excluded.forEach(([, from, to]) => cuts.add(from) && cuts.add(to));
    const edges = [...cuts].filter((cut) => cut >= 0 && cut <= length).sort((x, y) => x - y);
    // Spans ascend, and so do the edges: each list is walked once.
    const next = passages.list.map(() => 0);
    const covers = (passage: number, from: number) => {
        const spans = equal[passage]!;
        while (next[passage]! < spans.length && spans[next[passage]!]![1] <= from) next[passage]!++;
        return (spans[next[passage]!]?.[0] ?? Infinity) <= from;
    };
    let nextExcluded = 0;
    const isExcluded = (from: number) => {
        while (nextExcluded < excluded.length && excluded[nextExcluded]![2] <= from) nextExcluded++;
        return (excluded[nextExcluded]?.[1] ?? Infinity) <= from;
    };
    const open: number[] = [];
    const starts = passages.list
        .map((_, i) => i)
        .filter((i) => inFile(i))
        .sort((x, y) => inFile(x)![0] - inFile(y)![0]);
    const marks: Mark[] = [];
    for (let i = 0; i + 1 < edges.length; i++) {
        const from = edges[i]!;
        while (starts.length && inFile(starts[0]!)![0] <= from) open.push(starts.shift()!);
        for (let at = open.length - 1; at >= 0; at--)
            if (inFile(open[at]!)![1] <= from) open.splice(at, 1);
        const passage = open.length ? open[open.length - 1]! : -1;
        marks.push({
            from,
            to: edges[i + 1]!,
            passage,
            isEqual: passage >= 0 && covers(passage, from),
            isExcluded: isExcluded(from),
        });
    }
    return marks;
}

function markNode(mark: Mark, text: string, isFirst: boolean): Node {
    if (mark.passage < 0)
        return mark.isExcluded
            ? h("span", {class: "excluded"}, text)
            : document.createTextNode(text);
    return h(
        "mark",
        {
            class: `c${mark.passage % 8}${mark.isEqual ? "" : " changed"}`,
            "data-passage": mark.passage,
            "data-label": isFirst ? mark.passage + 1 : null,
        },
        text,
    );
}

/** Space between equal text of one passage is equal text, too, wherever its lines end. */
function joinSpace(bytes: Uint8Array, marks: Mark[]): Mark[] {
    const isSpace = (mark: Mark) =>
        bytes.subarray(mark.from, mark.to).every((c) => c === 32 || (c >= 9 && c <= 13));
    const joined: Mark[] = [];
    marks.forEach((mark, i) => {
        const last = joined[joined.length - 1];
        const isEqual =
            mark.isEqual ||
            (mark.passage >= 0 &&
                [marks[i - 1], marks[i + 1]].every(
                    (one) => one?.isEqual && one.passage === mark.passage,
                ) &&
                isSpace(mark));
        if (
            last?.to === mark.from &&
            last.passage === mark.passage &&
            last.isEqual === isEqual &&
            last.isExcluded === mark.isExcluded
        )
            last.to = mark.to;
        else joined.push({...mark, isEqual});
    });
    return joined;
}

/** A text as it can be drawn: a font has no signs for control characters. */
const drawable = (text: string) =>
    text.replace(/\r$/, "").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");

/** Where a text is cut so that its first part is no longer than `most`: at a space if possible. */
function cutAt(text: string, most: number): number {
    const space = text.lastIndexOf(" ", most - 1) + 1;
    if (space > most / 2) return space;
    return /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most;
}

/** The marks of a span of the file alone, cut to it. */
export function cutMarks(marks: Mark[], from: number, to: number): Mark[] {
    return marks
        .filter((mark) => mark.to > from && mark.from < to)
        .map((mark) => ({...mark, from: Math.max(mark.from, from), to: Math.min(mark.to, to)}));
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const folded = (word: string) => word.normalize("NFKC").toLowerCase();
const blackedOut = (text: string) => "█".repeat(Math.min(text.length, 12));

/** The words of a text, as textView() takes them. */
export const wordsIn = (text: string): string[] => (text.match(WORD) ?? []).map(folded);

/** The lines of a file, or of the part of it that the marks cover, which begins with the line
 * `number`. Where `shown` is given, the text is redacted: only what is equal in both documents
 * stays, and of it only these words, those of the other one. */
export function textView(
    bytes: Uint8Array,
    given: Mark[],
    shown: Set<string> | null,
    number = 1,
): HTMLElement {
    const decoder = new TextDecoder("utf-8", {ignoreBOM: true}),
        view = h("div", {class: "text"}),
        marks = joinSpace(bytes, given);
    const seen = new Set<number>();
    let line = h("div", {class: "line", "data-n": number}),
        chunk = h("div", {class: "chunk"}, line),
        lines = 1,
        length = 0; // characters in the line
    const nextLine = (isMore: boolean) => {
        line = isMore
            ? h("div", {class: "line more"})
            : h("div", {class: "line", "data-n": ++number});
        length = 0;
        if (++lines > LINES_IN_A_CHUNK) {
            view.append(chunk);
            chunk = h("div", {class: "chunk"});
            lines = 1;
        }
        chunk.append(line);
    };
    const hides = (mark: Mark) => shown !== null && !mark.isEqual;
    const redacted = (text: string) =>
        shown === null
            ? text
            : text.replace(WORD, (word) => (shown.has(folded(word)) ? word : blackedOut(word)));
    const add = (mark: Mark, text: string) => {
        const isHidden = hides(mark) && /\S/.test(text);
        line.append(
            isHidden
                ? h("span", {class: "hidden", role: "img", "aria-label": "…"}, blackedOut(text))
                : markNode(mark, redacted(text), !seen.has(mark.passage)),
        );
        length += text.length;
        if (!isHidden) seen.add(mark.passage);
    };
    for (const mark of marks) {
        const pieces = decoder.decode(bytes.subarray(mark.from, mark.to)).split("\n");
        const isHidden = hides(mark) && mark.passage < 0;
        pieces.forEach((whole, i) => {
            if (i > 0) nextLine(false);
            let piece = drawable(whole);
            // Nobody marks the indentation of a line.
            const space = line.childNodes.length || isHidden ? "" : /^[ \t]{0,200}/.exec(piece)![0];
            if (space) line.append(space);
            piece = piece.slice(space.length);
            while (length + piece.length > LONG_LINE) {
                const cut = length < LONG_LINE ? cutAt(piece, LONG_LINE - length) : 0;
                if (cut) add(mark, piece.slice(0, cut));
                piece = piece.slice(cut);
                nextLine(true);
            }
            if (piece) add(mark, piece);
        });
    }
    view.append(chunk);
    if (view.childElementCount > LONG_CHUNKS) view.classList.add("long");
    return view;
}
