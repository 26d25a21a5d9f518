// What two documents have in common besides passages: comments word for word, and spellings that
// nobody else has. Texts of others are unpacked for it one after the other, once, when the first
// pair is opened; of large collections a part of them.
import {documents, Pair, run, textOf} from "./data";

export interface SharedComment {
    text: string;
    others: number; // documents that have it, too
}
export interface SharedSpelling {
    word: string;
    usual: string; // what others write
}
export interface Evidence {
    comments: SharedComment[];
    spellings: SharedSpelling[];
    among: number; // other documents that were looked at
}

const MOST_DOCUMENTS = 400,
    MOST_BYTES = 8_000_000,
    LEAST_LETTERS = 6,
    LEAST_COMMENT = 12,
    USUAL = 2, // documents that have what is usual
    EDGE = 2; // letters at the end that inflect a word

// ---- comments and words of a text

const QUOTED = `"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'`;
const SLASHES = new RegExp(`${QUOTED}|(//[^\\n]*|/\\*[\\s\\S]*?\\*/)`, "g");
const HASHES = new RegExp(`("""[\\s\\S]*?"""|'''[\\s\\S]*?''')|${QUOTED}|(#[^\\n]*)`, "g");
const DASHES = new RegExp(`${QUOTED}|(--[^\\n]*)`, "g");
const BY_ENDING: [RegExp, RegExp][] = [
    [/\.(c|h|cc|cpp|cxx|hh|hpp|java|js|mjs|ts|tsx|cs|go|rs|kt|swift|scala|php)$/i, SLASHES],
    [/\.(py|rb|sh|pl|r|jl)$/i, HASHES],
    [/\.(sql|lua|hs|adb)$/i, DASHES],
];

/** How comments are written in a file: by its name, and where that is taken out, by its looks. */
function commentPattern(name: string, text: string): RegExp | undefined {
    const known = BY_ENDING.find(([ending]) => ending.test(name))?.[1];
    return known ?? (run.programs ? (/[;{]\s*$/m.test(text) ? SLASHES : HASHES) : undefined);
}

/** The comments of a program without their signs, those of a few words at least. */
function commentsOf(name: string, text: string): Set<string> {
    const pattern = commentPattern(name, text);
    const found = new Set<string>();
    for (const [, first, second] of pattern ? text.matchAll(pattern) : []) {
        const plain = (first ?? second ?? "")
            .replace(/^["']{3}|["']{3}$|^\/\*+|\*+\/$/g, "")
            .replace(/^[\s/*#-]+/gm, "")
            .replace(/\s+/g, " ")
            .trim();
        if (plain.length >= LEAST_COMMENT && /\p{L}\P{L}+\p{L}/u.test(plain)) found.add(plain);
    }
    return found;
}

/** The longer words of a text; those of names in programs one by one. */
function wordsOf(text: string): Set<string> {
    const found = new Set<string>();
    for (const [letters] of text.matchAll(/\p{L}{6,}/gu))
        for (const word of letters.split(/(?<=\p{Ll})(?=\p{Lu})/u))
            if (word.length >= LEAST_LETTERS) found.add(word.toLowerCase());
    return found;
}

interface Content {
    comments: Set<string>;
    words: Set<string>;
}

async function contentOf(index: number): Promise<Content | null> {
    const content: Content = {comments: new Set(), words: new Set()};
    const one = documents[index]!;
    for (const [i, file] of one.files.entries()) {
        const bytes = await textOf(index, i);
        if (!bytes) return null;
        const text = new TextDecoder().decode(bytes);
        commentsOf(file.name ?? one.name, text).forEach((comment) => content.comments.add(comment));
        wordsOf(text).forEach((word) => content.words.add(word));
    }
    return content;
}

// ---- all documents

interface Collection {
    comments: Map<string, number>; // how many documents have it
    words: Map<string, number>;
    seen: Set<number>;
}

let collecting: Promise<Collection> | null = null;

async function collect(): Promise<Collection> {
    const all: Collection = {comments: new Map(), words: new Map(), seen: new Set()};
    let bytes = 0;
    for (const [index, one] of documents.entries()) {
        bytes += one.files.reduce((sum, file) => sum + file.bytes, 0);
        if (bytes > MOST_BYTES || all.seen.size >= MOST_DOCUMENTS) break;
        const content = await contentOf(index);
        if (!content) continue;
        all.seen.add(index);
        for (const key of ["comments", "words"] as const)
            content[key].forEach((one) => all[key].set(one, (all[key].get(one) ?? 0) + 1));
    }
    return all;
}

/** Whether two words differ by one letter, or by two that changed places, before their endings. */
function isMisspelt(word: string, usual: string): boolean {
    if (Math.abs(word.length - usual.length) > 1 || word[0] !== usual[0]) return false;
    let from = 0;
    while (from < word.length && word[from] === usual[from]) from++;
    let end = 0;
    while (
        end < Math.min(word.length, usual.length) - from &&
        word[word.length - 1 - end] === usual[usual.length - 1 - end]
    )
        end++;
    const left = word.slice(from, word.length - end),
        right = usual.slice(from, usual.length - end);
    const isSwap = left.length === 2 && left === [...right].reverse().join(""),
        isOther = left.length === 1 && right.length === 1 && word.length > LEAST_LETTERS;
    return end >= EDGE && (isSwap || isOther || left.length + right.length === 1);
}

/** Words that the two alone have, and that are one slip away from a word of others. */
function spellings(shared: string[], all: Collection, others: number): SharedSpelling[] {
    const key = (word: string, more = 0) => `${word[0]}${word.length + more}`;
    const near = new Map<string, string[]>(); // by first letter and length
    for (const [word, count] of all.words)
        if (count >= others) {
            const list = near.get(key(word));
            if (list) list.push(word);
            else near.set(key(word), [word]);
        }
    return shared.flatMap((word) => {
        const like = [-1, 0, 1].flatMap((more) => near.get(key(word, more)) ?? []);
        const usual = like.find((one) => isMisspelt(word, one));
        return usual ? [{word, usual}] : [];
    });
}

/** What both documents of a pair have besides passages; null where their texts are not here. */
export async function evidenceOf(pair: Pair): Promise<Evidence | null> {
    const a = await contentOf(pair.a),
        b = await contentOf(pair.b);
    if (!a || !b) return null;
    const all = await (collecting ??= collect());
    const own = [pair.a, pair.b].filter((index) => all.seen.has(index)).length;
    const others = (counts: Map<string, number>, one: string) => (counts.get(one) ?? 0) - own;
    const alone = [...a.words].filter((word) => b.words.has(word) && others(all.words, word) <= 0);
    return {
        comments: [...a.comments]
            .filter((one) => b.comments.has(one))
            .map((text) => ({text, others: Math.max(0, others(all.comments, text))}))
            .sort((x, y) => x.others - y.others || y.text.length - x.text.length),
        spellings: spellings(alone, all, USUAL),
        among: all.seen.size - own,
    };
}
