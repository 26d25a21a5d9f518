// Clusters as a graph on a canvas, laid out by the engine, and as a table with the same content.
import {Cluster, clusters, Pair, pairs, shortName} from "../data";
import {h, replace} from "../dom";
import {documentKey, pairKey, scoreOf, shownPairs, similarityWithout} from "../state";
import {counted, number, percent, words} from "../words";
import {timeline} from "./timeline";

const EDGES = 5_000,
    MOST_NAMES = 2_000, // of nodes, for each of which there may be no place
    SQUARE = 48, // pixels
    MOST_SCALE = 60, // pixels for a unit of the layout
    SHOWN = 200;

interface Node {
    document: number;
    x: number;
    y: number;
    cluster: number;
}

const nodes: Node[] = clusters.flatMap((cluster) =>
    cluster.members.map((document, i) => ({
        document,
        x: cluster.x[i] ?? 0,
        y: cluster.y[i] ?? 0,
        cluster: cluster.id,
    })),
);
const nodeOf = new Map(nodes.map((node) => [node.document, node]));

// Paper has other colours and another width than the screen.
let repaint: () => unknown = () => {};
matchMedia("print").addEventListener("change", () => repaint());

interface View {
    zoom: number;
    left: number;
    top: number;
}

type Box = [left: number, top: number, right: number, bottom: number];

/** What is drawn already, by the squares of a grid that it touches. */
class Drawn {
    private readonly squares = new Map<string, Box[]>();

    private *squaresOf([left, top, right, bottom]: Box): Generator<string> {
        for (let x = Math.floor(left / SQUARE); x * SQUARE <= right; x++)
            for (let y = Math.floor(top / SQUARE); y * SQUARE <= bottom; y++) yield `${x} ${y}`;
    }

    add(box: Box): void {
        for (const square of this.squaresOf(box)) {
            const boxes = this.squares.get(square);
            if (boxes) boxes.push(box);
            else this.squares.set(square, [box]);
        }
    }

    isFree(box: Box): boolean {
        for (const square of this.squaresOf(box))
            for (const [left, top, right, bottom] of this.squares.get(square) ?? [])
                if (box[0] < right && box[2] > left && box[1] < bottom && box[3] > top)
                    return false;
        return true;
    }
}

const fileNames = nodes.map((node) => shortName(node.document).replace(/^.*\//, ""));
const areUnique = new Set(fileNames).size === nodes.length;

/** A short name for a node: without its folder, if that tells it from all others. */
function label(node: Node, index: number): string {
    const name = areUnique ? fileNames[index]! : shortName(node.document);
    return name.length > 28 ? `…${name.slice(-27)}` : name;
}

/** Names of nodes, each beside its circle where nothing else is; `first` before all others. */
function drawNames(
    context: CanvasRenderingContext2D,
    place: (node: Node) => [number, number],
    wide: number,
    high: number,
    first: Node | null,
): void {
    const drawn = new Drawn();
    const inSight = [...nodes.keys()].filter((i) => {
        const [x, y] = place(nodes[i]!);
        return x >= 0 && y >= 0 && x <= wide && y <= high;
    });
    const named = inSight.slice(0, MOST_NAMES);
    for (const i of named) {
        const [x, y] = place(nodes[i]!);
        drawn.add([x - 5, y - 5, x + 5, y + 5]);
    }
    if (first) named.unshift(nodes.indexOf(first));
    for (const i of named) {
        const [x, y] = place(nodes[i]!),
            text = label(nodes[i]!, i),
            width = context.measureText(text).width;
        const at = (left: number, middle: number): Box => [
            left - 2,
            middle - 7,
            left + width + 2,
            middle + 7,
        ];
        const beside = [at(x + 9, y), at(x - 9 - width, y)],
            above = [at(x - width / 2, y - 13), at(x - width / 2, y + 13)];
        const box = [...beside, ...above].find(
            (one) =>
                one[0] >= 0 &&
                one[1] >= 0 &&
                one[2] <= wide &&
                one[3] <= high &&
                drawn.isFree(one),
        );
        if (!box) continue;
        drawn.add(box);
        context.strokeText(text, box[0] + 2, box[1] + 11);
        context.fillText(text, box[0] + 2, box[1] + 11);
    }
}

function graph(): {box: HTMLElement; draw: (shown: Pair[]) => void} {
    const canvas = h("canvas", {class: "graph", role: "img", "aria-label": words.graph});
    const wide = nodes.reduce((most, node) => Math.max(most, node.x), 1) + 2;
    const high = nodes.reduce((most, node) => Math.max(most, node.y), 1) + 2;
    canvas.style.setProperty("--ratio", `${wide} / ${high}`);
    canvas.style.setProperty("--most", `${high * MOST_SCALE}px`);
    const view: View = {zoom: 1, left: 0, top: 0};
    let edges: Pair[] = [],
        linked = new Set<number>(),
        hovered: Node | null = null,
        isMoved = false,
        isDue = false;
    const place = (node: Node): [number, number] => {
        const scale = Math.min(canvas.clientWidth / wide, canvas.clientHeight / high, MOST_SCALE);
        const aside = (canvas.clientWidth - wide * scale) / 2;
        return [
            aside + (node.x + 1) * scale * view.zoom + view.left,
            (node.y + 1) * scale * view.zoom + view.top,
        ];
    };
    const paint = () => {
        isDue = false;
        const ratio = devicePixelRatio || 1,
            context = canvas.getContext("2d")!,
            style = getComputedStyle(canvas);
        canvas.width = canvas.clientWidth * ratio;
        canvas.height = canvas.clientHeight * ratio;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.strokeStyle = style.color;
        for (const pair of edges) {
            const [a, b] = [nodeOf.get(pair.a), nodeOf.get(pair.b)];
            if (!a || !b) continue;
            context.globalAlpha = 0.15 + 0.6 * scoreOf(pair);
            context.lineWidth = 0.5 + 2 * scoreOf(pair);
            context.beginPath();
            context.moveTo(...place(a));
            context.lineTo(...place(b));
            context.stroke();
        }
        for (const node of nodes) {
            const [x, y] = place(node);
            context.fillStyle = style.getPropertyValue(node === hovered ? "--warm" : "--accent");
            context.globalAlpha = linked.has(node.document) ? 1 : 0.25;
            context.beginPath();
            context.arc(x, y, node === hovered ? 7 : nodes.length > 2_000 ? 2 : 4.5, 0, 7);
            context.fill();
        }
        context.globalAlpha = 1;
        context.fillStyle = style.getPropertyValue("--ink");
        context.strokeStyle = style.getPropertyValue("--card");
        context.lineWidth = 3;
        context.lineJoin = "round";
        context.font = "10px system-ui, sans-serif";
        drawNames(context, place, canvas.clientWidth, canvas.clientHeight, hovered);
    };
    const later = () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(paint);
    };
    const nearest = (event: MouseEvent): Node | null => {
        let found: Node | null = null,
            least = 14;
        for (const node of nodes) {
            const [x, y] = place(node);
            const far = Math.hypot(x - event.offsetX, y - event.offsetY);
            if (far < least) [found, least] = [node, far];
        }
        return found;
    };
    const zoom = (by: number, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
        view.left = x - (x - view.left) * by;
        view.top = y - (y - view.top) * by;
        view.zoom *= by;
        later();
    };
    canvas.addEventListener("pointerdown", () => (isMoved = false));
    canvas.addEventListener("pointermove", (event) => {
        if (event.buttons & 1) {
            isMoved ||= Math.abs(event.movementX) + Math.abs(event.movementY) > 2;
            view.left += event.movementX;
            view.top += event.movementY;
        } else {
            hovered = nearest(event);
            canvas.title = hovered ? shortName(hovered.document) : "";
        }
        later();
    });
    canvas.addEventListener("click", (event) => {
        const node = isMoved ? null : nearest(event);
        if (node) location.hash = `#/document/${documentKey(node.document)}`;
    });
    canvas.addEventListener(
        "wheel",
        (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
        },
        {passive: false},
    );
    repaint = () => canvas.isConnected && paint();
    const button = (text: string, label: string, onclick: () => void) =>
        h("button", {class: "small", "aria-label": label, title: label, onclick}, text);
    return {
        box: h(
            "div",
            {class: "graph-box"},
            canvas,
            h(
                "div",
                {class: "zoom"},
                button("+", words.zoomIn, () => zoom(1.5)),
                button("−", words.zoomOut, () => zoom(1 / 1.5)),
                button("⤢", words.zoomReset, () => {
                    Object.assign(view, {zoom: 1, left: 0, top: 0});
                    later();
                }),
            ),
        ),
        draw: (shown) => {
            edges = [...shown].sort((x, y) => scoreOf(y) - scoreOf(x)).slice(0, EDGES);
            linked = new Set(shown.flatMap((pair) => [pair.a, pair.b]));
            later();
        },
    };
}

/** The lowest similarity of two members of each cluster. Dismissed passages can only lower it. */
function lowestByCluster(): Map<number, number> {
    const lowest = new Map(clusters.map((cluster) => [cluster.id, cluster.min_similarity]));
    for (const pair of pairs) {
        const least = lowest.get(pair.cluster),
            now = similarityWithout(pair);
        if (least !== undefined && now !== null && now < least) lowest.set(pair.cluster, now);
    }
    return lowest;
}

function clusterRow(cluster: Cluster, inside: Pair[], lowest: number): HTMLElement {
    const strongest = inside.reduce<Pair | null>(
        (best, one) => (!best || scoreOf(one) > scoreOf(best) ? one : best),
        null,
    );
    const link = (index: number) =>
        h("a", {href: `#/document/${documentKey(index)}`}, shortName(index));
    return h(
        "tr",
        null,
        h("td", null, number(cluster.id)),
        h("td", null, number(cluster.members.length)),
        h("td", null, percent(lowest)),
        h("td", {class: "names"}, link(cluster.representative)),
        h(
            "td",
            {class: "names"},
            ...cluster.members.slice(0, 12).flatMap((index, i) => [i ? ", " : "", link(index)]),
            cluster.members.length > 12 ? ` +${number(cluster.members.length - 12)}` : "",
        ),
        h(
            "td",
            null,
            strongest
                ? h("a", {href: `#/pair/${pairKey(strongest)}`}, percent(scoreOf(strongest)))
                : "",
        ),
    );
}

export function clusterPage(main: HTMLElement): () => void {
    const picture = graph(),
        body = h("tbody"),
        times = h("div"),
        capped = h("p", {class: "soft"});
    const update = () => {
        const shown = shownPairs();
        const byCluster = new Map<number, Pair[]>();
        for (const pair of shown) {
            const list = byCluster.get(pair.cluster);
            if (list) list.push(pair);
            else byCluster.set(pair.cluster, [pair]);
        }
        picture.draw(shown);
        replace(
            capped,
            words.graphHint,
            h("span", {class: "no-print"}, words.graphKeys),
            shown.length > EDGES ? words.capped(EDGES, shown.length) : null,
        );
        const found = clusters.filter((cluster) => byCluster.has(cluster.id));
        replace(times, timeline(found));
        const lowest = lowestByCluster();
        const rows = found
            .slice(0, SHOWN)
            .map(({id}, i) => clusterRow(found[i]!, byCluster.get(id)!, lowest.get(id)!));
        replace(
            body,
            ...(rows.length ? rows : [h("tr", null, h("td", {colspan: 6}, words.noClusters))]),
        );
    };
    replace(
        main,
        h("h1", null, words.clusters),
        nodes.length ? picture.box : null,
        capped,
        times,
        h(
            "div",
            {class: "scrolls", tabindex: 0, role: "region", "aria-label": words.clusters},
            h(
                "table",
                null,
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        ...[
                            words.cluster,
                            words.members,
                            words.lowest,
                            words.typical,
                            words.documents,
                            words.strongest,
                        ].map((title) => h("th", {scope: "col"}, title)),
                    ),
                ),
                body,
            ),
        ),
        clusters.length > SHOWN
            ? h("p", {class: "soft"}, words.firstOf(SHOWN, counted(clusters.length, "cluster")))
            : null,
    );
    update();
    return update;
}
