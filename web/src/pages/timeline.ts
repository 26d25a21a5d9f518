// When the documents of clusters were handed in: a lane for each of the first clusters. Times are
// shown as they are given: one without a zone is the same for all readers.
import {scaleUtc} from "d3-scale";
import {Cluster, documents, shortName} from "../data";
import {h, svg} from "../dom";
import {documentKey} from "../state";
import {counted, words} from "../words";

const LANES = 20,
    LANE = 22, // pixels
    LEFT = 90,
    RIGHT = 30,
    LETTER = 6.2, // pixels, of a name
    LETTERS = 24,
    DOT = 6,
    DAY = 86_400_000; // ms

/** A document at its time. */
interface Event {
    index: number;
    time: number; // ms
}
interface Lane {
    cluster: Cluster;
    events: Event[]; // ascending
}

/** Milliseconds of a time such as 2026-03-01 or 2026-03-01 09:30; NaN where it is none. */
function timeOf(given: string): number {
    const isLocal = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(given);
    return Date.parse(isLocal ? `${given.replace(" ", "T")}Z` : given);
}

function lanesOf(clusters: Cluster[]): Lane[] {
    return clusters
        .map((cluster) => ({
            cluster,
            events: cluster.members
                .map((index) => ({index, time: timeOf(documents[index]!.time ?? "")}))
                .filter(({time}) => Number.isFinite(time))
                .sort((x, y) => x.time - y.time),
        }))
        .filter(({events}) => events.length > 1);
}

const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(words.locale, {timeZone: "UTC", ...options});

/** The format of the times below an axis of so many milliseconds. */
const tickFormat = (span: number) =>
    span > 700 * DAY
        ? formatOf({month: "short", year: "numeric"})
        : span > 4 * DAY
          ? formatOf({day: "numeric", month: "short"})
          : formatOf({day: "numeric", month: "short", hour: "2-digit", minute: "2-digit"});

function nameOf(index: number): string {
    const name = shortName(index).replace(/^.*\//, "");
    return name.length > LETTERS ? `…${name.slice(1 - LETTERS)}` : name;
}

/** Names beside the dots of a lane, where there is room between them. */
function names({events}: Lane, at: number[], y: number, wide: number): SVGTextElement[] {
    let free = LEFT; // up to here a name or a dot stands
    return events.flatMap(({index}, i) => {
        const text = nameOf(index),
            long = text.length * LETTER,
            x = at[i]!,
            next = i + 1 < at.length ? at[i + 1]! - DOT : wide;
        const isLeft = x - DOT - 4 - long > free,
            isRight = x + DOT + 4 + long < next;
        free = isRight ? x + DOT + 4 + long : x + DOT;
        if (!isLeft && !isRight) return [];
        const anchor = isRight ? "start" : "end";
        const beside = isRight ? x + DOT + 4 : x - DOT - 4;
        return [svg("text", {x: beside, y: y + 4, "text-anchor": anchor}, text)];
    });
}

/** The chart of clusters with known times; null where fewer than two documents have one. */
export function timeline(clusters: Cluster[]): HTMLElement | null {
    const all = lanesOf(clusters),
        lanes = all.slice(0, LANES);
    if (!lanes.length) return null;
    const wide = Math.max(300, Math.min(1130, innerWidth - 46)),
        high = lanes.length * LANE + 34;
    const from = lanes.reduce((least, {events}) => Math.min(least, events[0]!.time), Infinity),
        to = lanes.reduce((most, {events}) => Math.max(most, events.at(-1)!.time), -Infinity);
    const x = scaleUtc([new Date(from), new Date(to)], [LEFT, wide - RIGHT]);
    const chart = svg("svg", {
        viewBox: `0 0 ${wide} ${high}`,
        role: "group",
        "aria-label": words.timeline,
    });
    lanes.forEach((lane, i) => {
        const y = 16 + i * LANE,
            at = lane.events.map(({time}) => x(time));
        chart.append(
            svg("text", {x: 4, y: y + 4}, words.clusterTitle(lane.cluster.id)),
            svg("line", {x1: LEFT, x2: wide - RIGHT, y1: y, y2: y, class: "grid"}),
            ...names(lane, at, y, wide),
            ...lane.events.map(({index}, place) => {
                const label = `${shortName(index)}, ${documents[index]!.time}`;
                return svg(
                    "a",
                    {href: `#/document/${documentKey(index)}`, "aria-label": label},
                    svg(
                        "circle",
                        {cx: at[place], cy: y, r: DOT, class: "dot"},
                        svg("title", null, label),
                    ),
                );
            }),
        );
    });
    const format = tickFormat(to - from),
        day = formatOf({dateStyle: "long"});
    for (const tick of from === to ? [x.domain()[0]!] : x.ticks(wide > 600 ? 6 : 3))
        chart.append(
            svg(
                "text",
                {x: x(tick), y: high - 6, "text-anchor": "middle"},
                format.format(tick),
            ),
        );
    return h(
        "div",
        null,
        h("h2", null, words.timeline),
        h("div", {class: "chart"}, chart),
        h(
            "p",
            {class: "soft"},
            words.timelineFrom(day.format(from), day.format(to)),
            all.length > LANES ? words.firstOf(LANES, counted(all.length, "cluster")) : null,
        ),
    );
}
