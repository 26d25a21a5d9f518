// Which words of two short texts differ: by a longest common subsequence of their words.
export interface Piece {
    text: string;
    isSame: boolean;
}

/** Two texts as far as they are shown. */
export interface Difference {
    left: Piece[];
    right: Piece[];
    before: number; // equal characters that are left out
    isCut: boolean; // more follows
}

const MOST_WORDS = 600,
    CONTEXT = 60; // words before the first difference
const split = (text: string) => text.match(/\s+|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];

/** The lengths of common subsequences of every two ends. */
function lengths(a: string[], b: string[]): Uint16Array[] {
    const table = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            table[i]![j] =
                a[i] === b[j]
                    ? table[i + 1]![j + 1]! + 1
                    : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    return table;
}

function add(pieces: Piece[], text: string, isSame: boolean): void {
    const last = pieces[pieces.length - 1];
    if (last?.isSame === isSame) last.text += text;
    else pieces.push({text, isSame});
}

/** Both texts in pieces; of long ones, from shortly before the first word that differs. */
export function difference(left: string, right: string): Difference {
    const [all, other] = [split(left), split(right)];
    let same = 0;
    while (same < all.length && all[same] === other[same]) same++;
    const longest = Math.max(all.length, other.length),
        from = same > MOST_WORDS - CONTEXT && same < longest ? same - CONTEXT : 0,
        end = from + MOST_WORDS;
    const [a, b] = [all.slice(from, end), other.slice(from, end)];
    const before = all.slice(0, from).join("").length;
    const table = lengths(a, b),
        pieces: [Piece[], Piece[]] = [[], []];
    let i = 0,
        j = 0;
    while (i < a.length || j < b.length)
        if (i < a.length && j < b.length && a[i] === b[j]) {
            add(pieces[0], a[i++]!, true);
            add(pieces[1], b[j++]!, true);
        } else if (j === b.length || (i < a.length && table[i + 1]![j]! >= table[i]![j + 1]!))
            add(pieces[0], a[i++]!, false);
        else add(pieces[1], b[j++]!, false);
    return {
        left: pieces[0],
        right: pieces[1],
        before,
        isCut: longest > end,
    };
}
