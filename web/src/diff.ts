// Which words of two short texts differ: by a longest common subsequence of their words.
export interface Piece {
    text: string;
    isSame: boolean;
}

const MOST_WORDS = 600;
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

/** Both texts in pieces; of long texts the first words alone are compared. */
export function difference(left: string, right: string): [Piece[], Piece[]] {
    const [a, b] = [split(left).slice(0, MOST_WORDS), split(right).slice(0, MOST_WORDS)];
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
    return pieces;
}
