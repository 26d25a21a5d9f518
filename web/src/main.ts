// The frame of the page: the menu, which page an address names, and the keys.
import "./style.css";
import {pairs, run} from "./data";
import {h, replace} from "./dom";
import {cleaningPage} from "./pages/cleaning";
import {clusterPage} from "./pages/clusters";
import {compare, forgetKeys, keys, Redaction} from "./pages/compare";
import {documentList, documentPage} from "./pages/document";
import {overview} from "./pages/overview";
import {pairTable} from "./pages/pairs";
import {evidencePage, reviewPage} from "./pages/review";
import {findDocument, findPair, isUnsaved, onChange, pairKey} from "./state";
import {words} from "./words";

const isCleaning = run.kind === "dedup";
const main = h("main", {id: "main", tabindex: -1});
const menu = h("nav", {"aria-label": words.menu});

/** Where the only pair of the page is. */
const onlyPair = pairs.length === 1 ? pairKey(pairs[0]!) : "";

const PAGES: [string, string][] = isCleaning
    ? [["", words.cleaning]]
    : run.case
      ? [
            [`evidence/${onlyPair}`, words.evidence],
            [`pair/${onlyPair}`, words.sideBySide],
        ]
      : [
          ["", words.overview],
          ["pairs", words.pairs],
          ["clusters", words.clusters],
          ["documents", words.documents],
          ["review", words.review],
      ];

function openPage([page = "", first = "", second = "", third = ""]: string[]): () => void {
    const hidden = [second, third].find((part) => part.startsWith("hide-"))?.slice(5) ?? "";
    const redaction: Redaction = hidden === "a" || hidden === "b" ? hidden : "";
    const pair = findPair(first);
    if (page === "pair" && pair)
        return compare(main, pair, Number(second) > 0 ? Number(second) - 1 : -1, redaction);
    const index = findDocument(first);
    if (page === "document" && index !== undefined) return documentPage(main, index);
    if (page === "evidence") return evidencePage(main, first, pair, redaction);
    const open = {
        pairs: pairTable,
        clusters: clusterPage,
        documents: documentList,
        review: reviewPage,
    }[page];
    return (isCleaning ? cleaningPage : (open ?? overview))(main);
}

let update: () => void = () => {};

function show(): void {
    const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
    const isAt = (page: string) =>
        page.includes("/") ? parts.slice(0, 2).join("/") === page : (parts[0] ?? "") === page;
    forgetKeys();
    delete main.dataset["ready"];
    main.className = parts[0] || "overview";
    replace(
        menu,
        ...PAGES.map(([page, title]) =>
            h(
                "a",
                {href: `#/${page}`, "aria-current": isAt(page) ? "page" : null},
                title,
            ),
        ),
    );
    update = openPage(parts);
    const heading = main.querySelector("h1")?.textContent;
    document.title = heading ? `${heading} – ${words.title}` : words.title;
    scrollTo(0, 0);
}

document.getElementById("app")!.append(
    h(
        "a",
        {
            class: "skip",
            href: "#main",
            onclick: (event: Event) => {
                event.preventDefault();
                main.focus();
            },
        },
        words.skip,
    ),
    h(
        "header",
        {class: "top"},
        h("b", null, "twinset"),
        menu,
        h("small", null, words.madeBy(run.version)),
    ),
    run.anonymised ? h("p", {class: "banner"}, words.anonymised) : h("span"),
    main,
    h("div", {id: "live", class: "unseen", "aria-live": "polite"}),
);

addEventListener("hashchange", () => {
    show();
    main.focus({preventScroll: true});
});
onChange(() => update());
addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
    )
        return;
    if (keys?.(event.key)) event.preventDefault();
});
addEventListener("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
});
if (onlyPair && (run.case || run.kind === "compare") && !location.hash)
    history.replaceState(null, "", `#/${run.case ? "evidence" : "pair"}/${onlyPair}`);
show();
