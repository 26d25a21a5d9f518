// Similarities as bars on a logarithmic scale, with a threshold that can be dragged.
import {bin, max} from "d3-array";
import {scaleLinear, scaleSymlog} from "d3-scale";
import {h, svg} from "./dom";
import {counted, number, percent, words} from "./words";

const HEIGHT = 190,
    RIGHT = 22,
    TOP = 38, // of the highest bar: above it are its number, and what the lines say
    BOTTOM = 26,
    BARS = 50,
    NUMBERED_BARS = 30;

export interface HistogramOptions {
    values?: number[];
    counts?: number[]; // instead of values: at each half percent, the last of those at 100%
    unit?: string;
    threshold?: number;
    onThreshold?: (value: number) => void;
    mark?: number | null; // where unrelated documents lie
    upper?: number; // up to here lie nine of ten pairs
    all?: number[]; // how many there are in each bar, with those that are not in the list
    label: string;
}

interface Bar {
    from: number;
    to: number;
    count: number;
}

function barsOf(options: HistogramOptions): Bar[] {
    if (options.counts) {
        const bars = Array.from({length: BARS}, (_, i) => ({
            from: i / BARS,
            to: (i + 1) / BARS,
            count: 0,
        }));
        const width = (options.counts.length - 1) / BARS;
        options.counts.forEach(
            (count, i) => (bars[Math.min(BARS - 1, Math.floor(i / width))]!.count += count),
        );
        return bars.filter((bar) => bar.count);
    }
    return bin()
        .domain([0, 1])
        .thresholds(Array.from({length: BARS - 1}, (_, i) => (i + 1) / BARS))(options.values ?? [])
        .map((one) => ({from: one.x0!, to: one.x1!, count: one.length}))
        .filter((bar) => bar.count);
}

export function histogram(options: HistogramOptions): HTMLElement {
    const bars = barsOf(options);
    const wide = Math.max(300, Math.min(1130, innerWidth - 46));
    const all = options.all ?? [];
    const most = Math.max(max(bars, (one) => one.count) || 1, max(all) ?? 0);
    const left = 14 + 6 * number(10 ** Math.floor(Math.log10(most))).length; // the widest label
    const x = scaleLinear([0, 1], [left, wide - RIGHT]);
    const y = scaleSymlog([0, most], [HEIGHT - BOTTOM, TOP]);
    const chart = svg("svg", {
        viewBox: `0 0 ${wide} ${HEIGHT}`,
        class: "histogram",
        role: options.onThreshold ? "group" : "img",
        "aria-label": options.label,
    });
    if (options.upper)
        chart.append(
            svg(
                "rect",
                {
                    x: x(0),
                    y: TOP - 14,
                    width: x(options.upper) - x(0),
                    height: HEIGHT - BOTTOM - TOP + 14,
                    class: "common",
                },
                svg("title", null, words.upper(percent(options.upper))),
            ),
        );
    for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1])
        chart.append(
            svg("text", {x: x(share), y: HEIGHT - 8, "text-anchor": "middle"}, `${share * 100}%`),
        );
    for (let count = 1; count <= y.domain()[1]!; count *= 10)
        chart.append(
            svg("line", {x1: left, x2: wide - RIGHT, y1: y(count), y2: y(count), class: "grid"}),
            svg("text", {x: left - 6, y: y(count) + 4, "text-anchor": "end"}, number(count)),
        );
    all.forEach((count, i) => {
        if (count > 0)
            chart.append(
                svg(
                    "rect",
                    {
                        x: x(i / all.length) + 1,
                        width: Math.max(1, x(1 / all.length) - x(0) - 2),
                        y: y(count),
                        height: Math.max(1, HEIGHT - BOTTOM - y(count)),
                        rx: 2,
                        class: "bar below sampled",
                    },
                    svg(
                        "title",
                        null,
                        words.allPairsAt(percent(i / all.length), percent((i + 1) / all.length),
                            number(Math.round(count))),
                    ),
                ),
            );
    });
    const drawn = bars.map((one) => {
        const bar = svg(
            "rect",
            {
                x: x(one.from) + 1,
                width: Math.max(1, x(one.to) - x(one.from) - 2),
                y: y(one.count),
                height: Math.max(1, HEIGHT - BOTTOM - y(one.count)),
                rx: 2,
                class: "bar",
            },
            svg(
                "title",
                null,
                `${percent(one.from)}–${percent(one.to)}: ` +
                    counted(one.count, options.unit ?? "pair"),
            ),
        );
        chart.append(bar);
        if (bars.length <= NUMBERED_BARS && wide > 600)
            chart.append(
                svg(
                    "text",
                    {x: x((one.from + one.to) / 2), y: y(one.count) - 4, "text-anchor": "middle"},
                    number(one.count),
                ),
            );
        return {bar, from: one.from};
    });
    if (options.mark !== undefined && options.mark !== null)
        chart.append(
            svg("line", {
                x1: x(options.mark),
                x2: x(options.mark),
                y1: TOP - 22,
                y2: HEIGHT - BOTTOM,
                class: "mark",
            }),
            svg("text", {x: x(options.mark) + 4, y: TOP - 14}, words.backgroundMark),
        );
    const box = h("div", {class: "chart"}, chart);
    if (options.onThreshold) addThreshold(box, chart, drawn, x, wide, options);
    return box;
}

function addThreshold(
    box: HTMLElement,
    chart: SVGSVGElement,
    bars: {bar: SVGRectElement; from: number}[],
    x: ReturnType<typeof scaleLinear<number, number>>,
    wide: number,
    options: HistogramOptions,
): void {
    let now = options.threshold ?? 0;
    const line = svg("line", {y1: 12, y2: HEIGHT - BOTTOM, class: "threshold"});
    const label = svg("text", {y: 10, class: "threshold-label"});
    const handle = svg("circle", {
        cy: HEIGHT - BOTTOM,
        r: 8,
        class: "handle",
        tabindex: 0,
        role: "slider",
        "aria-label": words.threshold,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
    });
    const draw = () => {
        line.setAttribute("x1", String(x(now)));
        line.setAttribute("x2", String(x(now)));
        label.setAttribute("x", String(x(now)));
        label.setAttribute("text-anchor", now > 0.9 ? "end" : now < 0.1 ? "start" : "middle");
        label.textContent = words.drag(percent(now));
        handle.setAttribute("cx", String(x(now)));
        handle.setAttribute("aria-valuenow", String(Math.round(now * 100)));
        handle.setAttribute("aria-valuetext", percent(now));
        bars.forEach(({bar, from}) => bar.classList.toggle("below", from < now - 1e-9));
    };
    const move = (value: number) => {
        now = Math.min(1, Math.max(0, Math.round(value * 200) / 200));
        draw();
        options.onThreshold!(now);
    };
    const fromPointer = (event: PointerEvent) => {
        const place = chart.getBoundingClientRect();
        move(x.invert(((event.clientX - place.left) / place.width) * wide));
    };
    chart.addEventListener("pointerdown", (event) => {
        chart.setPointerCapture(event.pointerId);
        fromPointer(event);
    });
    chart.addEventListener("pointermove", (event) => event.buttons & 1 && fromPointer(event));
    handle.addEventListener("keydown", (event) => {
        const step = {
            ArrowLeft: -0.005,
            ArrowDown: -0.005,
            ArrowRight: 0.005,
            ArrowUp: 0.005,
            PageDown: -0.05,
            PageUp: 0.05,
            Home: -1,
            End: 1,
        }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(now + step);
    });
    chart.append(line, label, handle);
    box.classList.add("drags");
    draw();
}
