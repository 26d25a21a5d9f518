// Spans of a text: what several of them cover together.

export type Range = [number, number];

/** Spans that touch or overlap as one, ascending. */
export function merge(spans: Range[]): Range[] {
    const merged: Range[] = [];
    for (const [from, to] of [...spans].sort((x, y) => x[0] - y[0])) {
        const last = merged[merged.length - 1];
        if (last && from <= last[1]) last[1] = Math.max(last[1], to);
        else merged.push([from, to]);
    }
    return merged;
}

/** How much spans cover; what two of them have in common counts once. */
export const covered = (spans: Range[]) =>
    merge(spans).reduce((sum, [from, to]) => sum + to - from, 0);
