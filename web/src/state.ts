// What the reader has chosen: threshold, filters, decisions. Pages read it and are drawn again
// when it changes. Decisions are kept by the content of documents, so that they outlive a run.
import {
    documents,
    figure,
    givenReview,
    hasPassages,
    IN_BIBLIOGRAPHY,
    IN_QUOTATION,
    Pair,
    Passage,
    pairs,
    passagesOf,
    run,
} from "./data";
import {covered, Range} from "./spans";
import {words} from "./words";

export type Verdict = "confirmed" | "dismissed";
export interface Decision {
    verdict?: Verdict;
    note?: string;
    a: string; // a name
    b?: string; // absent: the case is that of one document
}

export interface Review {
    format: "twinset review";
    version: 1;
    decisions: Record<string, Decision>; // by pairKey() or documentKey()
    passages: string[][]; // sketches of dismissed passages
}

export interface Filters {
    threshold: number;
    search: string;
    minimum: number;
    quotations: boolean; // quotations do not count
    bibliography: boolean; // lists of sources do not count
    labels: Set<string>; // labels that are left out
    without: Set<number>; // documents that are left out
    verdict: "" | Verdict | "undecided";
}

const given = Number(run?.parameters?.["threshold"] ?? 0);
export const lowest = pairs.reduce((least, pair) => Math.min(least, pair.similarity), 1);

export const filters: Filters = {
    // Where pairs are listed by chance, or for their passages, the parameter says little: the line
    // stands where the bar of the lowest pair begins.
    threshold: run?.programs || !(given <= lowest) ? Math.floor(lowest * 50) / 50 : given,
    search: "",
    minimum: 0,
    quotations: false,
    bibliography: false,
    labels: new Set(),
    without: new Set(),
    verdict: "",
};

// ---- changes

const listeners = new Set<() => void>();
let isPending = false;

export function onChange(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/** Draws again, once, however often it is called before the next frame. */
export function changed(): void {
    if (isPending) return;
    isPending = true;
    requestAnimationFrame(() => {
        isPending = false;
        listeners.forEach((listener) => listener());
    });
}

// ---- identity

const contentOf = (index: number) => documents[index]!.digest.slice(0, 16);

const hashText = (text: string) =>
    [...text].reduce((hash, letter) => (hash * 33 + letter.codePointAt(0)!) % 4294967291, 5381);

const copies = new Map<string, number>(); // how many documents have a content
for (const content of documents.map((_, index) => contentOf(index)))
    copies.set(content, (copies.get(content) ?? 0) + 1);

const documentKeys = documents.map((one, index) => {
    const content = contentOf(index);
    return copies.get(content) === 1 ? content : `${content}~${hashText(one.name).toString(16)}`;
});

/** Names a document by its content; where several have the same content, by its name as well. */
export const documentKey = (index: number) => documentKeys[index]!;

const pairKeys = pairs.map(({a, b}) => [documentKey(a), documentKey(b)].sort().join("-"));

/** Names a pair by its documents, in whatever order they are. */
export const pairKey = (pair: Pair) => pairKeys[pair.index]!;

const pairByKey = new Map(pairs.map((pair) => [pairKey(pair), pair]));
export const findPair = (key: string) => pairByKey.get(key);

const documentByKey = new Map(documents.map((_, index) => [documentKey(index), index]));
export const findDocument = (key: string) => documentByKey.get(key);

/** A key without names: that of the contents alone. */
const withoutNames = (key: string) => key.replace(/~[0-9a-f]+/g, "").split("-").sort().join("-");

interface Named {
    key: string;
    names: string[];
}

/** The keys of this report, by those of the contents alone. */
function keysByContent(): Map<string, Named[]> {
    const found = new Map<string, Named[]>();
    const add = (key: string, ...of: number[]) => {
        const named = {key, names: of.map((index) => documents[index]!.name)};
        found.set(withoutNames(key), [...(found.get(withoutNames(key)) ?? []), named]);
    };
    documentByKey.forEach((index, key) => add(key, index));
    pairByKey.forEach(({a, b}, key) => add(key, a, b));
    return found;
}

/** The key here of a decision from a report that has other copies of the same contents. */
function keyHere(key: string, decision: Decision, known: Map<string, Named[]>): string {
    if (pairByKey.has(key) || documentByKey.has(key)) return key;
    const same = known.get(withoutNames(key)) ?? [];
    const named = same.find(({names}) =>
        names.every((name) => name === decision.a || name === decision.b),
    );
    return named?.key ?? (same.length === 1 ? same[0]!.key : key);
}

// ---- decisions

export const review: Review = {format: "twinset review", version: 1, decisions: {}, passages: []};
export let isUnsaved = false;

function isReview(value: unknown): value is Review {
    const one = value as Review | null;
    return (
        !!one &&
        one.format === "twinset review" &&
        one.version === 1 &&
        typeof one.decisions === "object" &&
        Array.isArray(one.passages)
    );
}

/** Takes the decisions of a file; false where it is no review. */
export function loadReview(value: unknown): boolean {
    if (!isReview(value)) return false;
    const known = keysByContent();
    for (const [key, decision] of Object.entries(value.decisions))
        review.decisions[keyHere(key, decision, known)] = decision;
    for (const sketch of value.passages)
        if (!review.passages.some((known) => known.join() === sketch.join()))
            review.passages.push(sketch);
    void applyDismissals();
    changed();
    return true;
}

export function saved(): void {
    isUnsaved = false;
    forgetDraft();
    changed();
}

export const decisionOf = (pair: Pair) => review.decisions[pairKey(pair)];
export const verdictOf = (pair: Pair) => decisionOf(pair)?.verdict;
export const documentDecision = (index: number) => review.decisions[documentKey(index)];

type Change = {verdict?: Verdict; note?: string};

function change(key: string, now: Decision): void {
    if (now.verdict || now.note) review.decisions[key] = now;
    else delete review.decisions[key];
    isUnsaved = true;
    keepDraft();
    changed();
}

export function decide(pair: Pair, by: Change): void {
    const names = {a: documents[pair.a]!.name, b: documents[pair.b]!.name};
    change(pairKey(pair), {...decisionOf(pair), ...by, ...names});
}

export function decideDocument(index: number, by: Change): void {
    change(documentKey(index), {...documentDecision(index), ...by, a: documents[index]!.name});
}

// ---- a draft in the browser, so that closing the page by accident loses nothing

const allDigests = documents.map((one) => one.digest).join();
const draftKey = `twinset-review-${hashText(allDigests).toString(16)}`;

function keepDraft(): void {
    try {
        localStorage.setItem(draftKey, JSON.stringify(review));
    } catch {
        // Some browsers keep nothing for a page from a file.
    }
}

function forgetDraft(): void {
    try {
        localStorage.removeItem(draftKey);
    } catch {
        // See above.
    }
}

function loadDraft(): void {
    try {
        const draft = localStorage.getItem(draftKey);
        if (draft && loadReview(JSON.parse(draft))) isUnsaved = true;
    } catch {
        // See above.
    }
}

// ---- dismissed passages

/** Two sketches are of the same passage where most of their smallest hashes are the same. */
function isSame(left: string[], right: string[]): boolean {
    const known = new Set(left);
    const shared = right.filter((one) => known.has(one)).length;
    return shared > 0 && 2 * shared >= Math.min(left.length, right.length);
}

export const isDismissed = (passage: Passage) =>
    review.passages.some((sketch) => isSame(sketch, passage.sketch));

/** What is needed of a passage to find it again, and to take it off. */
interface Sketched {
    sketch: string[];
    amount: number; // of it, in what similarities count
    longest: number; // of what is equal in a row, about in the same
    spans: [Range, Range]; // of both documents, as if the files of each were one
}

/** What is dismissed of a pair. */
interface Dismissed {
    passages: Set<number>;
    amount: number; // of them, in what similarities count
    left: [number, number]; // of what passages cover of both documents, the share that still counts
    longest: number; // of the longest passage, the share that still counts
}

const sketched = new Map<number, Sketched[]>(); // by pair, read when the first is dismissed
const dismissedIn = new Map<number, Dismissed>(); // by pair

/** How much of what similarities count a passage has: characters, or words and tokens. */
function amountOf(passage: Passage): number {
    const bytes = ({bytes: [from, to]}: Passage["a"]) => to - from;
    return run.unit === "char" ? (bytes(passage.a) + bytes(passage.b)) / 2 : passage.tokens;
}

/** How long the longest run of equal text in a passage is; in programs names do not count, so that
 * all of it is one. */
function longestOf(passage: Passage): number {
    const {bytes: [from, to]} = passage.a;
    const equal = Math.max(0, ...passage.spans.map(([start, end]) => end - start));
    return run.programs ? passage.tokens : (amountOf(passage) * equal) / Math.max(1, to - from);
}

async function sketchesOf(pair: Pair): Promise<Sketched[]> {
    const known = sketched.get(pair.index);
    if (known) return known;
    const list = ((await passagesOf(pair))?.list ?? []).map((one) => ({
        sketch: one.sketch,
        amount: amountOf(one),
        longest: longestOf(one),
        spans: [spanIn(pair.a, one.a), spanIn(pair.b, one.b)] as [Range, Range],
    }));
    sketched.set(pair.index, list);
    return list;
}

/** Where a passage is in a document, as if its files were one. */
export function spanIn(document: number, {file_index, bytes}: Passage["a"]): Range {
    const start = documents[document]!.files
        .slice(0, file_index)
        .reduce((sum, file) => sum + file.bytes, 0);
    return [start + bytes[0], start + bytes[1]];
}

/** What is dismissed of a pair; null: nothing. */
function dismissedOf(all: Sketched[]): Dismissed | null {
    const isOff = all.map(({sketch}) => review.passages.some((one) => isSame(one, sketch)));
    if (!isOff.includes(true)) return null;
    const left = ([0, 1] as const).map((side) => {
        const spans = all.map((one) => one.spans[side]);
        return covered(spans.filter((_, i) => !isOff[i])) / Math.max(1, covered(spans));
    });
    const longest = (list: Sketched[]) => Math.max(0, ...list.map((one) => one.longest));
    return {
        longest: longest(all.filter((_, i) => !isOff[i])) / (longest(all) || 1),
        passages: new Set([...all.keys()].filter((i) => isOff[i])),
        amount: all.reduce((sum, one, i) => sum + (isOff[i] ? one.amount : 0), 0),
        left: left as [number, number],
    };
}

/** Counts changes of what is dismissed, for what shows scores without being drawn each time. */
export let dismissals = 0;
let search = 0; // for dismissed passages, of which the latest alone counts

/** Finds the dismissed passages of each pair. */
async function applyDismissals(): Promise<void> {
    const found = new Map<number, Dismissed>(),
        mine = ++search;
    if (review.passages.length)
        for (const pair of pairs) {
            if (!pair.lengths.length) continue;
            const off = dismissedOf(await sketchesOf(pair));
            if (mine !== search) return;
            if (off) found.set(pair.index, off);
        }
    dismissedIn.clear();
    found.forEach((off, index) => dismissedIn.set(index, off));
    dismissals++;
    changed();
}

export function dismissPassage(passage: Passage, dismissed: boolean): void {
    review.passages = review.passages.filter((sketch) => !isSame(sketch, passage.sketch));
    if (dismissed) review.passages.push(passage.sketch);
    isUnsaved = true;
    keepDraft();
    void applyDismissals();
}

/** The similarity without dismissed passages, which leave what is shared and what there is in all;
 * null where nothing of the pair is dismissed. */
export function similarityWithout(pair: Pair): number | null {
    const off = dismissedIn.get(pair.index);
    if (!off) return null;
    const shared = figure(pair, "shared") ?? 0,
        union = figure(pair, "union") ?? 0;
    const left = Math.max(0, shared - off.amount),
        all = Math.max(1, union - off.amount);
    return shared ? (pair.similarity * (left / all)) / (shared / union) : 0;
}

export const scoreOf = (pair: Pair) => similarityWithout(pair) ?? pair.similarity;

/** Of what passages cover of both documents, the share that is not dismissed. */
export const coverageLeft = (pair: Pair) => dismissedIn.get(pair.index)?.left ?? [1, 1];

/** The longest passage that is not dismissed, in what the run counts. */
export const longestLeft = (pair: Pair) =>
    Math.round((figure(pair, "longest") ?? 0) * (dismissedIn.get(pair.index)?.longest ?? 1));

export const dismissedPassages = (pair: Pair) =>
    dismissedIn.get(pair.index)?.passages ?? new Set<number>();

// ---- what is shown

/** What a document is labelled with: by a manifest, and by its role. */
export const labelsOf = (index: number): string[] => [
    ...(documents[index]!.old ? [words.earlier] : []),
    ...(documents[index]!.label ? [documents[index]!.label!] : []),
];

function passesLabels(pair: Pair): boolean {
    if (!filters.labels.size) return true;
    const [a, b] = [documents[pair.a]!.author, documents[pair.b]!.author];
    return (
        !(a !== undefined && a === b && filters.labels.has(words.sameAuthor)) &&
        ![...labelsOf(pair.a), ...labelsOf(pair.b)].some((label) => filters.labels.has(label))
    );
}

/** The passages of a pair that the filters and decisions leave, by index. */
export function countedPassages(pair: Pair): number[] {
    const without =
        (filters.quotations ? IN_QUOTATION : 0) | (filters.bibliography ? IN_BIBLIOGRAPHY : 0);
    const dismissed = dismissedPassages(pair);
    return [...pair.lengths.keys()].filter(
        (index) =>
            pair.lengths[index]! >= filters.minimum &&
            !(pair.contexts[index]! & without) &&
            !dismissed.has(index),
    );
}

/** Whether a pair has a passage that counts, where the filters ask for one. */
function passesPassages(pair: Pair): boolean {
    if (!hasPassages(pair)) // of the longest passage it is known that all together are no shorter
        return (figure(pair, "passage_words") ?? Infinity) >= filters.minimum;
    if (!filters.minimum && !pair.lengths.length) return true;
    if (!filters.minimum && !filters.quotations && !filters.bibliography) return true;
    return countedPassages(pair).length > 0;
}

function passes(pair: Pair, search: string): boolean {
    return (
        scoreOf(pair) >= filters.threshold &&
        !filters.without.has(pair.a) &&
        !filters.without.has(pair.b) &&
        (!search ||
            documents[pair.a]!.name.toLowerCase().includes(search) ||
            documents[pair.b]!.name.toLowerCase().includes(search)) &&
        (!filters.verdict || (verdictOf(pair) ?? "undecided") === filters.verdict) &&
        passesLabels(pair) &&
        passesPassages(pair)
    );
}

/** The pairs that pass all filters, in the order of the run. */
export function shownPairs(): Pair[] {
    const search = filters.search.trim().toLowerCase();
    return pairs.filter((pair) => passes(pair, search));
}

/** Every label of a document, and "same author" where authors are known. */
export function knownLabels(): string[] {
    const labels = new Set(documents.flatMap((_, index) => labelsOf(index)));
    if (documents.some((document) => document.author !== undefined)) labels.add(words.sameAuthor);
    return [...labels].sort();
}

if (givenReview) loadReview(givenReview);
loadDraft();
