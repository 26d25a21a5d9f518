// Every sentence and label of the server's page, as words.ts has those of the report.
import {counted, percent} from "./words";

export const serverWords = {
    menu: "Pages",
    find: "Have we seen this?",
    compare: "Compare two",
    skip: "Skip to the content",
    version: (version: string) => `twinset ${version}`,
    index: "The index",
    tileDocuments: "documents in the index",
    tileText: "of text",
    tileFile: "on the disk",
    bytes: (n: number) =>
        n < 1e6
            ? `${(n / 1e3).toFixed(1)} KB`
            : n < 1e9
              ? `${(n / 1e6).toFixed(1)} MB`
              : `${(n / 1e9).toFixed(2)} GB`,
    box: "Paste a document, or drop a text file here",
    first: "First document",
    second: "Second document",
    threshold: "Threshold",
    ask: "Find",
    compareThem: "Compare",
    asking: "Looking …",
    notText: (name: string) => `${name} is not a text file. twinset index add reads other kinds.`,
    none: (threshold: string) =>
        `Nothing in the index resembles it by ${threshold} or more. ` +
        "A lower threshold shows what has less in common with it.",
    found: (n: number) =>
        `${counted(n, "document")} of the index ${n === 1 ? "resembles" : "resemble"} it`,
    estimates: "The index keeps no texts: similarities are estimates, and there are no passages.",
    shares: (a: number, b: number) =>
        `${percent(a)} of your text is in it, ${percent(b)} of it in your text`,
    passages: (n: number, words: number) => `${counted(words, "word")} in ${counted(n, "passage")}`,
    yours: "Your text",
    back: "All matches",
    noPassages: "No passage was found: the two are similar all over, in small pieces.",
    noText: "The index does not keep the text of this document.",
    alike: (share: string) => `The two are ${share} alike.`,
    token: "This server asks for a token.",
    wrongToken: "The server refused this token: it is mistyped, or not valid any more.",
    tokenBox: "Token",
    enter: "Go on",
};
