// What the report was written with. The blocks are elements of the page, written by
// src/output/page.c and described in docs/format.md. A document's text and a pair's passages are
// packed by themselves, and unpacked when somebody opens them, so that a page with thousands of
// them starts at once.

export interface Skip {
    path: string;
    reason: string;
}
export interface Flag {
    path: string;
    flags: string[];
    encoding?: string;
}

/** How similar any two documents are: of the sampled pairs, how many in each fiftieth. */
export interface Background {
    median: number;
    upper: number; // nine of ten pairs are at most as similar
    pairs: number;
    sampled: number;
    bars: number[];
}

export interface Run {
    version: string;
    kind: "scan" | "compare" | "dedup";
    command?: string;
    parameters: Record<string, unknown>;
    method: string;
    bands: number;
    rows: number;
    documents: number;
    records: number;
    skipped: Skip[];
    flagged: Flag[];
    notes: string[];
    candidates: number;
    verified: number;
    expected_recall: number | null;
    unit: string;
    programs: boolean;
    background: Background | null;
    pairs: number;
    pairs_with_passages: number;
    anonymised: boolean;
    case?: boolean; // the page is that of one pair, to be printed
    removed: number;
}

export interface File {
    name: string | null;
    bytes: number;
}

export interface Document {
    name: string;
    digest: string;
    files: File[];
    author?: string | number; // a number where names are taken out
    label?: string;
    time?: string;
    old?: boolean; // of an archive of earlier documents
}

export interface Cluster {
    id: number;
    members: number[];
    representative: number;
    min_similarity: number;
    x: number[];
    y: number[];
}

export interface Removal {
    document: number;
    kept: number;
    similarity: number;
    cluster: number;
}

export interface Side {
    file?: string;
    file_index: number;
    lines: [number, number];
    bytes: [number, number];
}

export interface Passage {
    a: Side;
    b: Side;
    tokens: number;
    kinds: string[];
    names: {a: string; b: string; count: number}[];
    documents: number | null;
    among: number | null;
    sketch: string[]; // the smallest hashes of its words, to find it again elsewhere
    spans: Span[]; // equal bytes
}

export type Span = [number, number, number, number]; // from and to in a, then in b

export interface Passages {
    list: Passage[];
    excluded: [number, number, number][][]; // of both sides: file, from, to
}

export interface Pair {
    index: number;
    a: number;
    b: number;
    similarity: number;
    cluster: number;
    values: (number | null)[]; // by column
    lengths: number[]; // tokens of each passage
    documents: number[]; // that have each passage, of all; 0: unknown
    listed: number[]; // that have it, by the listed pairs
    contexts: number[]; // IN_QUOTATION, IN_BIBLIOGRAPHY
}

export const IN_QUOTATION = 1,
    IN_BIBLIOGRAPHY = 2;

/** How many records of a source, or of a host, were removed for those of another, or of itself. */
export interface Repeat {
    removed: string;
    kept: string;
    count: number;
}

/** What a cleaning run did to the whole collection. */
export interface Collection {
    clusters: number;
    similarities: number[]; // how many were removed at each half percent
    largest: {id: number; size: number; min_similarity: number}[];
    repeats?: Repeat[]; // by source
    hosts?: Repeat[]; // of all removals whose names are addresses
    hosts_not_counted?: number; // removals
    growth?: [number, number][]; // read and removed, in the order of reading
    times?: Times;
}

/** The same by time, where most documents have one: in equal steps. */
export interface Times {
    field: string | null; // of records; null: they are files
    from: number; // seconds since 1970
    to: number;
    sampled: number; // documents
    known: number; // of these, with a time
    steps: [number, number][];
}

interface PairBlock {
    columns: string[];
    rows: (number | null)[][];
    lengths: number[][]; // these four: of the first pairs
    documents: number[][];
    listed: number[][];
    contexts: number[][];
}

function element(id: string): string | null {
    return document.getElementById(id)?.textContent ?? null;
}

function block<T>(id: string, otherwise: T): T {
    const text = element(id);
    return text === null ? otherwise : (JSON.parse(text) as T);
}

export const run = block<Run>("run", null as unknown as Run);
export const documents = block<Document[]>("documents", []);
export const clusters = block<Cluster[]>("clusters", []);
export const removals = block<Removal[]>("removals", []);
export const collection = block<Collection | null>("collection", null);
export const givenReview = block<unknown>("review", null);

const pairBlock = block<PairBlock>("pairs", {
    columns: [],
    rows: [],
    lengths: [],
    documents: [],
    listed: [],
    contexts: [],
});
export const columns = pairBlock.columns;
const at = (name: string) => columns.indexOf(name);
const similarityAt = at("similarity"),
    clusterAt = at("cluster");

export const pairs: Pair[] = pairBlock.rows.map((values, index) => ({
    index,
    values,
    a: values[0]!,
    b: values[1]!,
    similarity: values[similarityAt] ?? 0,
    cluster: values[clusterAt] ?? 0,
    lengths: pairBlock.lengths[index] ?? [],
    documents: pairBlock.documents[index] ?? [],
    listed: pairBlock.listed[index] ?? [],
    contexts: pairBlock.contexts[index] ?? [],
}));

/** Whether the report has the passages and texts of a pair. */
export const hasPassages = (pair: Pair) => pair.index < run.pairs_with_passages;

/** The folder that all names begin with, or "". */
export const folder =
    documents.length < 2
        ? ""
        : documents.reduce(
              (common, one) => {
                  while (common && !one.name.startsWith(common))
                      common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
                  return common;
              },
              documents[0]!.name.slice(0, documents[0]!.name.lastIndexOf("/") + 1),
          );

/** The name of a document without that folder. */
export const shortName = (index: number) => documents[index]!.name.slice(folder.length);

/** A figure of a pair by the name of its column; null where it is not known. */
export function figure(pair: Pair, column: string): number | null {
    const index = at(column);
    return index < 0 ? null : (pair.values[index] ?? null);
}

// The blocks of passages and texts stand after the script: the page is alive while they arrive.
const arrived = new Promise<void>((resolve) => {
    if (document.readyState === "loading")
        document.addEventListener("DOMContentLoaded", () => resolve(), {once: true});
    else resolve();
});

async function awaitElement(id: string): Promise<string | null> {
    const text = element(id);
    if (text !== null) return text;
    await arrived;
    return element(id);
}

const none: Passages = {list: [], excluded: [[], []]};

const PAIRS_IN_GROUP = 8; // whose passages are packed together
let latest: {group: number; list: Promise<(Passages | null)[] | null>} | null = null;

async function unpackGroup(group: number): Promise<(Passages | null)[] | null> {
    const packed = await awaitElement(`passages-${group}`);
    if (packed === null) return null;
    const text = new TextDecoder().decode(await unpack(packed));
    return (JSON.parse(text) as (Passages | null)[]).map((found, i) =>
        found ? completed(pairs[group * PAIRS_IN_GROUP + i], found) : null,
    );
}

/** Passages with what is left out of them where it follows from the rest. */
function completed(pair: Pair | undefined, found: Passages): Passages | null {
    if (!pair) return null;
    for (const passage of found.list) {
        const packed = passage.spans as unknown as number[];
        passage.spans = spansOf(packed, [passage.a.bytes[0], passage.b.bytes[0]]);
        passage.a.file_index = fileIndex(pair.a, passage.a.file);
        passage.b.file_index = fileIndex(pair.b, passage.b.file);
    }
    return {...none, ...found};
}

/** Spans from four numbers each: how much lies before it in a, how long it is there; then of b. */
function spansOf(packed: number[], [a, b]: [number, number]): Span[] {
    const spans: Span[] = [];
    for (let i = 0; i + 3 < packed.length; i += 4) {
        const from = [a + packed[i]!, b + packed[i + 2]!] as const;
        [a, b] = [from[0] + packed[i + 1]!, from[1] + packed[i + 3]!];
        spans.push([from[0], a, from[1], b]);
    }
    return spans;
}

/** The passages of a pair; null where the report has none of it. */
export async function passagesOf(pair: Pair): Promise<Passages | null> {
    if (!hasPassages(pair)) return null;
    const group = Math.floor(pair.index / PAIRS_IN_GROUP);
    if (latest?.group !== group) latest = {group, list: unpackGroup(group)};
    return (await latest.list)?.[pair.index % PAIRS_IN_GROUP] ?? null;
}

const fileIndex = (document: number, name: string | undefined) =>
    name === undefined
        ? 0
        : Math.max(
              0,
              documents[document]!.files.findIndex((file) => file.name === name),
          );

async function unpack(packed: string): Promise<Uint8Array> {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The bytes of a file of a document, UTF-8; null where the report does not have them. */
export async function textOf(index: number, file: number): Promise<Uint8Array | null> {
    const packed = await awaitElement(`text-${index}-${file}`);
    return packed === null ? null : unpack(packed);
}
