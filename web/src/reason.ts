// One line that says why a pair is listed.
import {documents, figure, Pair, pairs, run} from "./data";
import {countedPassages, coverageLeft, scoreOf, similarityWithout} from "./state";
import {amount, percent, words} from "./words";

export const unit = run.programs ? "token" : "word";

export function tokensInPassages(pair: Pair): number {
    const counted = countedPassages(pair);
    return counted.length < pair.lengths.length || figure(pair, "passage_words") === null
        ? counted.reduce((sum, index) => sum + pair.lengths[index]!, 0)
        : figure(pair, "passage_words")!;
}

/** Says how rare the passages of a pair are; null where that is unknown. */
function rarity(pair: Pair, counted: number[]): string | null {
    const all = counted.map((index) => pair.documents[index]!);
    const isKnown = all.every((n) => n > 0);
    const have = isKnown ? all : counted.map((index) => pair.listed[index]!);
    const rare = have.filter((n) => n <= 2).length;
    if (!have.length || (!isKnown && pairs.length === 1)) return null;
    const least = Math.min(...have);
    const text = rarityOf(isKnown ? least : 0, isKnown ? 0 : least);
    return text && rare > 0 && rare < have.length ? words.someOfThem(rare, text) : text;
}

/** Says who else has a passage: of all documents where that is known, else of the listed pairs. */
export function rarityOf(all: number, listed: number): string | null {
    if (all > 0) return all <= 2 ? words.nowhereElse : words.alsoIn(all);
    if (listed > 0 && pairs.length > 1)
        return listed <= 2 ? words.inNoOtherPair : words.alsoIn(listed);
    return null;
}

export interface Shares {
    0: number;
    1: number;
    isOfPassages: boolean;
}

/** How much of each document is in passages or, where none were looked for, in shingles of both. */
export function shares(pair: Pair): Shares | null {
    const left = coverageLeft(pair);
    for (const name of ["coverage", "containment"]) {
        const [a, b] = [figure(pair, `${name}_a`), figure(pair, `${name}_b`)];
        if (a !== null && b !== null)
            return {0: a * left[0]!, 1: b * left[1]!, isOfPassages: name === "coverage"};
    }
    return null;
}

export function reason(pair: Pair): string {
    const [a, b] = [documents[pair.a]!, documents[pair.b]!];
    if (a.digest === b.digest) return words.identical;
    const counted = countedPassages(pair);
    const count = counted.length || (pair.lengths.length ? 0 : (figure(pair, "passages") ?? 0));
    const tokens = tokensInPassages(pair);
    if (!count || !tokens)
        return pair.lengths.length
            ? words.nothingCounted
            : pair.similarity >= 0.5
              ? words.wholeAlike
              : words.shortPieces;
    return [words.sharedPassages(amount(tokens, unit), count), rarity(pair, counted)]
        .filter(Boolean)
        .join(", ");
}

/** How far out a pair is, and what chance would give. */
export function chance(pair: Pair): string | null {
    const alarms = figure(pair, "false_alarms"),
        typical = run.background?.median ?? 0;
    if (alarms === null) return null;
    const times = typical >= 0.001 ? scoreOf(pair) / typical : 0,
        isWhole = similarityWithout(pair) === null; // chance is known of all passages together
    return [
        times >= 1.5 ? words.times(times.toFixed(times < 10 ? 1 : 0)) : "",
        // Of prose it is about passages: a pair may be similar all over without them.
        isWhole && (run.programs || alarms < 0.5) ? words.chance(alarms) : "",
    ]
        .filter(Boolean)
        .join(", ") || null;
}

export function coverage(pair: Pair): string | null {
    const both = shares(pair);
    return both && words.coverage(percent(both[0]), percent(both[1]), both.isOfPassages);
}
