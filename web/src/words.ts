// Every sentence and label of the page, so that another language takes another file like this.

const format = new Intl.NumberFormat("en");
export const number = (n: number) => format.format(n);
// Cut off and not rounded, as in the command's table: 100.0% is all.
const tenths = (share: number) =>
    share >= 1 ? 1000 : Math.min(999, Math.max(0, Math.floor(share * 1000 + 1e-12)));
export const percent = (share: number | null) =>
    share === null ? "–" : `${(tenths(share) / 10).toFixed(1)}%`;
export const counted = (n: number, one: string, many = `${one}s`) =>
    `${number(n)} ${n === 1 ? one : many}`;

export const words = {
    locale: "en-GB", // of dates
    title: "twinset report",
    skip: "Skip to the content",
    menu: "Pages of the report",
    overview: "Overview",
    pairs: "Pairs",
    clusters: "Clusters",
    documents: "Documents",
    review: "Review",
    cleaning: "Cleaning",
    madeBy: (version: string) => `made by twinset ${version}`,
    anonymised: "Names are replaced. The key file beside the report has the real ones.",
    and: "and",
    more: "More",

    // overview
    overviewOf: (name: string) => `Overview of ${name}`,
    tileDocuments: "documents compared",
    tileNoneSkipped: "documents, none skipped",
    tilePairs: (threshold: string) => `pairs of ${threshold} or more`,
    tileAllPairs: "pairs listed",
    tileBackground: "typical of unrelated ones",
    tileClusters: "clusters",
    tileSkipped: "inputs skipped",
    tileRecall: "of similar pairs expected to be found",
    distribution: "How similar the pairs are",
    dragHint: "Drag the line, or use the arrow keys, to set the threshold for all pages.",
    drag: (share: string) => `from ${share}`,
    allCompared: "All pairs were compared: no similar pair is missed.",
    partOf: (n: number, all: number) =>
        `The report has the passages and texts of the first ${number(n)} of ` +
        `${counted(all, "pair")}. Others have their figures alone.`,
    allParameters: "All parameters",
    moreFindings: (n: number) => `All ${counted(n, "pair")}`,
    comparedBy: (unit: string, k: unknown) =>
        unit === "token"
            ? `Programs were compared by tokens, ${k} in a row, whatever their names and layout.`
            : `Texts were compared by ${unit}s, ${k} in a row.`,
    listedFrom: (threshold: string, pairs: string) =>
        `Listed are pairs of a similarity of ${threshold} or more: ${pairs}.`,
    listedFor: (threshold: string, similar: string, others: number) =>
        `Listed are ${similar} of a similarity of ${threshold} or more, and ` +
        `${number(others)} for the passages that they share.`,
    listedDownTo: (lowest: string, pairs: string) =>
        `The listed pairs have a similarity of ${lowest} or more: ${pairs}.`,
    methodExact: (candidates: string) =>
        `Every pair that shares something was looked at; ${candidates} were computed exactly.`,
    methodBands: (bands: number, rows: number, candidates: string) =>
        `Candidates were found by signatures (${bands} bands of ${rows} rows); ` +
        `${candidates} were computed exactly.`,
    threshold: "Threshold",
    thresholdNow: (share: string, count: string) => `Threshold ${share}: ${count}`,
    background: (share: string, pairs: string) =>
        `Unrelated documents here are typically ${share} alike. That is measured on ${pairs}.`,
    noBackground: (pairs: string) =>
        `Of ${pairs} that were sampled, more than half share nothing but what is common here.`,
    backgroundUnknown: (documents: number) =>
        documents < 10
            ? "Among fewer than ten documents nothing can be said of unrelated ones."
            : "How similar unrelated documents are was not measured: the collection is large, " +
              "or its documents are long.",
    upper: (share: string) => `Nine of ten pairs are at most ${share} alike.`,
    farAbove: (share: string, top: string, times: number | null) =>
        `Nine of ten pairs are at most ${share} alike; the most similar one has ${top}, ` +
        (times === null
            ? "hardly more."
            : `${number(times < 10 ? Math.floor(times * 10) / 10 : Math.floor(times))} ` +
              "times as much."),
    farAboveNothing: (top: string) =>
        `Nine of ten pairs share next to nothing; the most similar one is ${top} alike.`,
    backgroundMark: "typical",
    greyBars: (isSample: boolean) =>
        isSample
            ? "Blue bars are the listed pairs, grey ones all pairs, estimated from that sample. " +
              "A run with a lower --threshold lists more of them."
            : "Blue bars are the listed pairs, grey ones all pairs. " +
              "A run with a lower --threshold lists more of them.",
    allPairsAt: (from: string, to: string, count: string) =>
        `${from}–${to}: about ${count} of all pairs`,
    findings: "What to look at first",
    findingsOrder:
        "Pairs that are similar as a whole come first. Those that share passages alone follow, " +
        "the strongest evidence first.",
    noFindings:
        "No pair reaches the threshold. Drag the line in the chart to the left to see more.",
    how: "What was compared, and how",
    skippedTitle: "Skipped inputs",
    notesTitle: "Notes of the run",
    flaggedTitle: "Things to know about documents",
    recall: (share: string) => `${share} of the pairs at the threshold are expected to be found.`,
    times: (times: string) => `${times} times the typical similarity`,
    chance: (alarms: number) =>
        alarms >= 0.5
            ? `chance gives about ${number(Math.round(alarms * 10) / 10)} such pairs here`
            : alarms >= 1e-4
              ? `chance gives such a pair in one of ${number(Math.round(1 / alarms))} collections`
              : "chance does not explain it",

    // reasons
    identical: "The two are identical.",
    sharedPassages: (amount: string, count: number) => `${amount} in ${counted(count, "passage")}`,
    nowhereElse: "found nowhere else",
    inNoOtherPair: "in no other pair of this report",
    alsoIn: (count: number) => `in ${number(count)}${count >= 100 ? " or more" : ""} documents`,
    someOfThem: (count: number, rarity: string) => `${number(count)} of them ${rarity}`,
    nothingCounted: "All that they share is filtered out or dismissed.",
    coverage: (a: string, b: string, isOfPassages: boolean) =>
        isOfPassages
            ? `passages cover ${a} of the first, ${b} of the second`
            : `${a} of the first, ${b} of the second`,
    wholeAlike: "Similar all over, without a long passage in common.",
    shortPieces: "Short pieces in common, no longer passage.",

    // pairs
    filters: "Filters",
    search: "Search names",
    thresholdPercent: "Threshold (%)",
    minimum: (unit: string) => `Passage of at least (${unit}s)`,
    hideQuotations: "Without quotations",
    hideBibliography: "Without lists of sources",
    hideLabel: (label: string) => `Without “${label}”`,
    earlier: "earlier term",
    sameAuthor: "same author",
    leaveOut: (name: string) => `Leave out ${name}`,
    leaveOutSource: "Leave out a document",
    leftOut: (name: string) => `without ${name}`,
    bringBack: "Bring back",
    reset: "Reset filters",
    decision: "Decision",
    any: "all",
    shown: (n: number, all: number) => `${number(n)} of ${counted(all, "pair")}`,
    csv: "Save as CSV",
    first: "First document",
    second: "Second document",
    similarity: "Similarity",
    longest: (unit: string) => `Longest (${unit}s)`,
    passageWords: (unit: string) => `Shared ${unit}s`,
    coverageA: "Of first",
    coverageB: "Of second",
    cluster: "Cluster",
    sortBy: (name: string) => `Sort by ${name}`,
    emptyTable: "No pair passes the filters.",

    // compare
    back: "All pairs",
    previousPair: "Previous pair",
    nextPair: "Next pair",
    passages: "Passages",
    passageTitle: (n: number, amount: string) => `${n}. ${amount}`,
    noText: "The report does not have the text of this document. A run with fewer pairs keeps it.",
    noPassages: "The report has no passages of this pair. A run with fewer pairs keeps them.",
    noneFound: "No passage was found: the two are similar all over, in small pieces.",
    together: "Scroll together",
    names: "Names that became others",
    order: "Order of the passages: those of the first document on the left",
    orderNote: (isInOrder: boolean) =>
        isInOrder
            ? "The passages stand in the same order in both."
            : "Bands that cross were moved. The first document is on the left.",
    side: (side: number) => (side ? "Second document" : "First document"),
    fileShare: (share: string) => `${share} shared`,
    besides: "Besides the passages",
    spellings: "Words that only these two have, a letter from a usual one",
    usually: (usual: string) => `(usual: ${usual})`,
    comments: (n: number) => `Comments that both have, word for word (${number(n)})`,
    alsoElsewhere: (others: number, among: number) =>
        among <= 0
            ? ""
            : others === 0
              ? `in none of ${counted(among, "other document")}`
              : `in ${number(others)} of ${counted(among, "other document")}, too`,
    digest: "Content digest",
    files: "Files",
    collapseAll: "Collapse all",
    expandAll: "Expand all",
    minimap: "Overview of the text; click to go there",
    keysPassages: "passages",
    digestOf: (digest: string) => `SHA-1 ${digest}`,
    sharedOfIt: (share: string, isOfPassages: boolean) =>
        isOfPassages ? `passages cover ${share} of it` : `${share} of it is shared`,
    file: (n: number) => `File ${n}`,
    bothLines: (a: string, b: string) => `${a} and ${b}`,
    template: "Grey text belongs to a template or is common to many documents. It does not count.",
    lines: (from: number, to: number) => (from === to ? `line ${from}` : `lines ${from}–${to}`),
    dismissPassage: "Dismiss this passage everywhere",
    restorePassage: "Count this passage again",
    dismissedPassage: "dismissed",
    quotation: "a quotation",
    bibliography: "in a list of sources",
    withoutDismissed: (share: string, all: string) =>
        `about ${share} without dismissed passages, ${all} with them`,
    leftOutDismissed: (n: number) => `Left out: ${counted(n, "dismissed passage")}`,
    withoutDismissedColumn: "without_dismissed",
    restoreAll: "Count them again",
    redactFirst: "Redact the first",
    redactSecond: "Redact the second",
    showBoth: "Show both documents",
    redacted: "Another document",
    redactedNote: "Only what both documents share is shown of the other one.",
    print: "Print this case",
    printPage: "Print",
    savePage: "Save as a page of its own",

    // kinds
    kinds: {
        verbatim: "verbatim",
        renamed: "names changed",
        edited: "edited",
        alike: "same structure",
        reordered: "moved",
        padded: "something put in",
        paraphrased: "paraphrased",
        summary: "summary",
    } as Record<string, string>,

    // clusters
    graph: "Clusters as a graph; the table below has the same content",
    graphHint: "A circle is a document, a line a pair; the stronger, the more similar. ",
    graphKeys: "Click a circle to open the document. Drag to move, + and − to zoom. ",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    zoomReset: "Whole graph",
    noClusters: "No cluster passes the filters.",
    strongest: "Strongest pair",
    capped: (n: number, all: number) =>
        `The graph shows the ${number(n)} strongest of ${counted(all, "line")}.`,
    members: "Members",
    typical: "Most typical",
    lowest: "Lowest similarity",
    timeline: "When they were handed in",
    timelineFrom: (from: string, to: string) =>
        from === to ? `All on ${from}. ` : `From ${from} to ${to}. `,
    clusterTitle: (id: number) => `Cluster ${number(id)}`,

    firstOf: (n: number, all: string) => `The first ${number(n)} of ${all} are shown.`,

    // documents
    document: "Document",
    source: "Resembles",
    coverageBar: "How many of its characters other documents have, by source",
    wholeDocument: "all together",
    flagsTitle: "Things to know about it",
    caseOfOne: "This document as a case of its own",
    caseOfOneHint: "For what concerns this document alone, such as hidden characters.",
    closestPairs: "Most similar",
    with: "with",
    author: (name: string) => `by ${name}`,
    why: "Why",
    sizes: (files: number, bytes: number) =>
        (files > 1 ? `${counted(files, "file")}, ` : "") +
        (bytes < 2_000 ? counted(bytes, "byte") : `${number(Math.round(bytes / 1_000))} KB`),
    distributionOfOne: "How similar the others are to it",
    notCovered: "The report has no passage of it in another document.",
    noPairs: "No pair of this document reaches the threshold.",

    // review
    confirmed: "confirmed",
    dismissed: "dismissed",
    undecided: "undecided",
    decided: (decision: string, note: string) =>
        [`Decision: ${decision}.`, note].filter(Boolean).join(" "),
    confirm: "Confirm",
    dismiss: "Dismiss",
    undo: "Undecided",
    note: "Note",
    noteHint: "A note on this case",
    saveReview: "Save review.json",
    loadReview: "Load review.json",
    loaded: (n: number) => `${counted(n, "decision")} loaded.`,
    notAReview: "This is not a review file of twinset.",
    unsaved:
        "There are decisions that are not saved to a file. This browser keeps them until you save.",
    reviewHint:
        "Decisions are kept by the content of documents. The next run takes the file: --review.",
    noDecisions: "Nothing is decided yet. Open a pair and confirm or dismiss it.",
    noConfirmed: "No case is confirmed yet. Confirmed cases appear here, ready to print.",
    progress: (confirmed: number, dismissed: number, undecided: number) =>
        `${number(confirmed)} confirmed, ${number(dismissed)} dismissed, ` +
        `${number(undecided)} undecided`,
    nextUndecided: "Next undecided pair",
    case: "Case",
    dismissedPassages: "Dismissed passages",
    evidence: "Pages to print",
    sideBySide: "Side by side",
    evidenceTitle: "Evidence",
    evidenceOf: (version: string) => `Found by twinset ${version}`,
    parameters: "Parameters",
    shares: "Shared",
    digestTitle: (name: string) => `SHA-1 of ${name}`,
    underlined: "Underlined text is equal in both; dotted lines mark what was changed.",
    passageOf: (n: number, amount: string, kinds: string) => `Passage ${n}: ${amount}, ${kinds}`,

    // cleaning
    removedTitle: "What was removed",
    tileRecords: "records read",
    tileRemoved: "removed",
    removedOf: (removed: number, records: number) =>
        `${number(removed)} of ${counted(records, "record")} removed`,
    clusterOf: (id: number, size: number, share: string) =>
        `Cluster ${number(id)}: ${counted(size, "record")}, the least similar two by ${share}`,
    cleaningSummary: (removed: string, records: string, share: string) =>
        `${removed} of ${records} are near-copies of others and were removed: ${share}.`,
    nearThreshold: "What is removed at this threshold",
    nearThresholdHint:
        "The samples nearest to the line. Where they are copies to you, the threshold is not too " +
        "low; where they are not, drag the line to the right. Words that differ are marked.",
    lowerThreshold: (share: string) =>
        `The run looked for similarities of ${share} or more. To see what a lower threshold ` +
        "removes, run it again with a lower --threshold.",
    noSamples: "There is no sample at or above this similarity.",
    growth: "Removed along the collection",
    growthHint:
        "From the first record that was read to the last, since most records say no time that " +
        "could be read. The dark part was removed.",
    growthByTime: "Removed by time",
    growthTimes: (field: string | null, known: number, sampled: number, all: number) =>
        [
            field
                ? `By the field “${field}” of the records.`
                : "By when the files were changed last.",
            "The dark part was removed.",
            sampled < all
                ? `Counted on ${number(sampled)} of ${counted(all, "record")}, spread evenly.`
                : "",
            known < sampled ? `${counted(sampled - known, "record")} of these say no time.` : "",
        ]
            .filter(Boolean)
            .join(" "),
    repeatedIn: "Removed from",
    repeatedOf: "because of records in",
    records: "Records",
    textInMemory: "(texts in memory)",
    saveRemovals: "Save the list as CSV",
    removedFor: "Kept instead",
    keptTitle: (name: string) => `Kept: ${name}`,
    removedAs: (name: string, share: string) => `Removed: ${name}, ${share} similar`,
    largest: "Largest clusters",
    repeats: "Files that repeat each other",
    repeatsOfHosts: "Hosts that repeat each other",
    hostsNotCounted: (n: number) =>
        `${counted(n, "removed record")} of further hosts had no room in memory to be counted.`,
    equalBefore: (n: number) => `… ${counted(n, "equal character")} …`,
    removedAt: "Removed at each similarity",
    removedAtHint:
        "Drag the line: a threshold there removes what stands to its right. Bars are logarithmic.",
};

const plural = (n: number, unit: string) => counted(n, unit === "char" ? "character" : unit);
export const amount = (n: number, unit: string) => plural(n, unit);
export const kindNames = (kinds: string[]) =>
    (kinds.length ? kinds : ["verbatim"]).map((kind) => words.kinds[kind] ?? kind).join(", ");

const flags: Record<string, string> = {
    "invalid-utf8": "bytes that are no characters",
    "hidden-characters": "hidden characters inside words",
    homoglyphs: "letters of another script that look Latin",
    "hidden-text": "text that no reader sees",
    "encoding-guessed": "its encoding was guessed",
    unparsed: "a program that parses badly",
    lexed: "a program that was not parsed",
    "mostly-quoted": "most of it is quoted",
    controls: "control characters",
    undivided: "several texts, read as one",
};
/** What a flag of a document says; what is none, such as an encoding, as it is. */
export const flagName = (flag: string) => flags[flag] ?? flag;
