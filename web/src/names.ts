// Names in one line. Where one is too long, its beginning is cut and its end stays, which tells
// the files of a folder apart.
import {h} from "./dom";

const END = 14; // letters

// Parts that stand beside each other would be in the wrong order.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

// The end begins with no combining mark, and labels in brackets after it belong to it.
const THE_END = new RegExp(`(?!\\p{M}).{0,${END}}( \\([^()]*\\))*$`, "su");

/** A name as the part that may be cut, and its end. */
export function splitName(name: string): [string, string] {
    const at = RIGHT_TO_LEFT.test(name) ? name.length : name.search(THE_END);
    return [name.slice(0, at), name.slice(at)];
}

/** An element for a name in one line. */
export function oneLine(name: string): HTMLElement {
    const [start, end] = splitName(name);
    const parts = [start, end].map((part) => h("span", null, part));
    return h("span", {class: "one-line", title: name}, ...parts);
}
