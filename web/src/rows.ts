// The rows of a long list. Only those in sight are elements, and they are never made or removed
// while the reader scrolls: one whose row has left the view is filled with a row that has come into
// it. style.css lays out and paints each by itself.

const MARGIN = 8, // rows that are ready above and below those in sight
    SETTLED_MS = 150; // without scrolling, until the order of elements is that of rows

/** An element that can show any row. */
export interface Row {
    box: HTMLElement;
    fill: (position: number) => void;
}

export interface Rows {
    /** Shows a list of so many rows, all of which may have changed. */
    show: (count: number) => void;
    /** Fills the rows that have come into sight. */
    draw: () => void;
    /** Shows the first rows as elements, to be printed; until show() is called. */
    print: (most: number) => void;
}

/** Shows rows in `box`, which `view` scrolls. */
export function rowsOf(
    view: HTMLElement,
    box: HTMLElement,
    height: () => number,
    make: () => Row,
): Rows {
    let count = 0,
        isPrinted = false,
        filled: number[] = [], // by element: the position that it shows
        pool: Row[] = []; // the row at a position is that at the remainder by their number
    const place = (row: Row, position: number) => {
        row.fill(position);
        row.box.style.transform = `translateY(${position * height()}px)`;
    };
    const take = (slot: number, position: number) => {
        const row = pool[slot]!;
        if (filled[slot]! >= 0 && row.box.contains(document.activeElement))
            view.focus({preventScroll: true});
        place(row, position);
        filled[slot] = position;
    };
    const firstReady = () => {
        const inSight = Math.floor(view.scrollTop / height());
        return Math.max(0, Math.min(count - pool.length, inSight - MARGIN));
    };
    /** Puts the elements in the order of their rows; one that has the focus stays where it is. */
    const order = () => {
        const first = pool[filled.indexOf(Math.min(...filled))]?.box,
            all = [...box.children];
        const before = first ? all.slice(0, all.indexOf(first)) : [];
        if (before.some((one) => one.contains(document.activeElement)))
            box.prepend(...all.slice(before.length));
        else box.append(...before);
    };
    let settling = 0;
    const draw = () => {
        const first = firstReady();
        let isChanged = false;
        for (let position = first; position < first + pool.length; position++) {
            const slot = position % pool.length;
            if (filled[slot] === position) continue;
            take(slot, position);
            isChanged = true;
        }
        if (!isChanged) return;
        clearTimeout(settling);
        settling = setTimeout(order, SETTLED_MS);
    };
    const redraw = () => {
        const inSight = Math.ceil(view.clientHeight / height()) + 2 * MARGIN,
            size = Math.min(count, inSight);
        if (size !== pool.length || box.children.length !== size) {
            pool = Array.from({length: size}, (_, i) => pool[i] ?? make());
            box.replaceChildren(...pool.map((row) => row.box));
        }
        filled = pool.map(() => -1);
        draw();
        order();
    };
    const show = (rows: number) => {
        count = rows;
        isPrinted = false;
        view.style.setProperty("--height", `${Math.max(1, count) * height()}px`);
        redraw();
    };
    let isDrawing = false;
    view.addEventListener("scroll", () => {
        if (isDrawing) return;
        isDrawing = true;
        requestAnimationFrame(() => {
            isDrawing = false;
            draw();
        });
    });
    new ResizeObserver(() => isPrinted || show(count)).observe(view);
    return {
        show,
        draw,
        print: (most) => {
            isPrinted = true;
            pool = Array.from({length: Math.min(most, count)}, make);
            pool.forEach(place);
            box.replaceChildren(...pool.map((row) => row.box));
        },
    };
}
