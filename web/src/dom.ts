// Elements are made here and nowhere else. Names and texts of documents are always text nodes:
// nothing from a document is ever read as HTML.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

function set(node: Element, name: string, value: unknown): void {
    if (value === null || value === undefined || value === false) return;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value as EventListener);
    else if (name.startsWith("--")) (node as HTMLElement).style.setProperty(name, String(value));
    else if (name === "value") (node as HTMLInputElement).value = String(value);
    else node.setAttribute(name, value === true ? "" : String(value));
}

function build<T extends Element>(node: T, properties: Properties | null, children: Child[]): T {
    for (const [name, value] of Object.entries(properties ?? {})) set(node, name, value);
    for (const child of children)
        if (child !== null && child !== undefined && child !== false) node.append(child);
    return node;
}

/** An HTML element. `onclick` and the like are listeners, `--name` a CSS variable, the rest
 * attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    properties: Properties | null = null,
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    return build(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K,
    properties: Properties | null = null,
    ...children: Child[]
): SVGElementTagNameMap[K] {
    return build(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

const FOCUSABLE = "a, button, input, select, summary, [tabindex]";

/** Puts other children in the place of those that are there. Where one of them had the focus, its
 * successor gets it, so that a key can be pressed again. */
export function replace(node: Element, ...children: Child[]): void {
    const focused = document.activeElement;
    const hasFocus = focused !== null && focused !== node && node.contains(focused);
    const index = hasFocus ? [...node.querySelectorAll(FOCUSABLE)].indexOf(focused) : -1,
        address = hasFocus ? focused.getAttribute("href") : null;
    node.replaceChildren(...children.filter((child): child is Node | string => !!child));
    if (!hasFocus) return;
    const all = [...node.querySelectorAll<HTMLElement>(FOCUSABLE)];
    const next = address
        ? all.find((one) => one.getAttribute("href") === address)
        : all[Math.min(index, all.length - 1)];
    next?.focus({preventScroll: true});
}

/** Says that a page is drawn in full, unless its reader has gone on to another one meanwhile:
 * `content` is a part of the page. */
export function markReady(main: HTMLElement, content: Element): void {
    if (content.isConnected) main.dataset["ready"] = "";
}

/** Offers a file to be saved. */
export function save(name: string, type: string, text: string): void {
    const link = h("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Says something to those who listen to the page instead of looking at it. */
export function announce(text: string): void {
    const live = document.getElementById("live");
    if (live) live.textContent = text;
}
