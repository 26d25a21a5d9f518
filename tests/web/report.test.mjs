// Drives each page of the report as a reader would.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {
    accessibilityProblems,
    firstDocument,
    follow,
    go,
    launch,
    open,
    openFirstPair,
    report,
    samples,
    settled,
    shots,
    write,
} from "./browser.mjs";

let browser, essays, programs, many, page;

/** A report of 10,250 pairs. */
function manyPairs() {
    const lines = [];
    for (let i = 0; i < 20_500; i++) {
        const words = Array.from({length: 12}, (_, j) => `w${(i >> 1) * 31 + j * 7919}`);
        lines.push(JSON.stringify({id: `r${i}`, text: `${words.join(" ")} end${i & 1}`}));
    }
    const input = write("many.jsonl", `${lines.join("\n")}\n`);
    return report(input, ..."-t 0.3 --by word -k 2".split(" "));
}

before(async () => {
    browser = await launch();
    essays = report(join(samples, "essays"), "-t", "0.05");
    programs = report(join(samples, "programs"), "-t", "0.05");
    many = manyPairs();
    page = await open(browser, essays);
});
after(() => browser.close());

const text = (selector) => page.textContent(selector);
const count = (selector) => page.locator(selector).count();

test("dragging the threshold changes tiles, findings and rows", async () => {
    await go(page, "#/");
    const pairs = () => page.locator(".tile b").nth(1).textContent();
    const all = Number(await pairs());
    const handle = await page.locator(".handle").boundingBox();
    const chart = await page.locator(".histogram").boundingBox();
    await page.mouse.move(handle.x + 5, handle.y + 5);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.5, handle.y, {steps: 5});
    await page.mouse.up();
    await settled(page);
    const fewer = Number(await pairs());
    assert.ok(fewer < all && fewer > 0, `${fewer} of ${all}`);
    assert.equal(await count(".finding"), Math.min(12, fewer));
    await go(page, "#/pairs");
    assert.equal(await count(".rows .row"), fewer);
    await go(page, "#/");
    await page.focus(".handle");
    for (let i = 0; i < 30; i++) await page.keyboard.press("PageDown");
    await settled(page);
    assert.equal(Number(await pairs()), all);
});

test("the table is sorted and filtered, and saved as CSV", async () => {
    await go(page, "#/pairs");
    const first = () => page.locator(".rows .row").first().locator(".name").first().textContent();
    await page.click(".head button:has-text('First document')");
    await settled(page);
    const ascending = await first();
    await page.click(".head button:has-text('First document')");
    await settled(page);
    const descending = await first();
    assert.ok(ascending < descending, `${ascending} ${descending}`);
    await page.fill("input[type=search]", "lighthouse");
    await settled(page);
    const names = await page.locator(".rows .row").allTextContents();
    assert.ok(names.length > 0 && names.every((row) => row.includes("lighthouse")));
    const saving = page.waitForEvent("download");
    await page.click("button:has-text('Save as CSV')");
    const lines = readFileSync(await (await saving).path(), "utf8")
        .trim()
        .split("\r\n");
    assert.equal(lines.length, names.length + 1);
    assert.match(lines[0], /^a,b,similarity/);
    await page.fill("input[type=search]", "");
    await page.fill("label:has-text('Passage of at least') input", "100000");
    await settled(page);
    assert.equal(await count(".rows .row"), 0);
    await page.fill("label:has-text('Passage of at least') input", "");
});

test("a pair is opened, and its passages are stepped through", async () => {
    await openFirstPair(page);
    const passages = await count(".passage");
    assert.ok(passages > 0);
    await page.keyboard.press("n");
    await settled(page);
    assert.equal(await count(".passage.now"), 1);
    const marked = await page.locator(".pane").first().locator("mark.now").first().textContent();
    assert.ok(marked.length > 0);
    assert.match(page.url(), /\/1$/);
    // The passage is in sight on both sides.
    for (const side of [0, 1]) {
        const pane = await page.locator(".scroller").nth(side).boundingBox();
        const mark = await page
            .locator(".scroller")
            .nth(side)
            .locator("mark.now")
            .first()
            .boundingBox();
        assert.ok(mark.y >= pane.y - 2 && mark.y < pane.y + pane.height, `side ${side}`);
    }
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector("main[data-ready]");
    assert.equal(await count(".passage.now"), 1);
});

test("the texts of a pair are those of its files", async () => {
    const tab = await open(browser, programs);
    await openFirstPair(tab);
    const names = await tab.locator(".pane header a").allTextContents();
    for (const side of [0, 1]) {
        const source = readFileSync(join(samples, "programs", names[side]), "utf8");
        const shown = await tab.locator(".scroller").nth(side).locator(".line").allTextContents();
        assert.equal(shown.join("\n"), source);
    }
    await tab.context().close();
});

test("decisions are saved, and loaded into another report by content", async () => {
    await openFirstPair(page);
    await page.keyboard.press("c");
    await page.fill(".note", "Seen in class.");
    await page.locator(".note").blur();
    await go(page, "#/review");
    assert.match(await text("tbody"), /confirmed.*Seen in class/);
    const saving = page.waitForEvent("download");
    await page.click("button:has-text('Save review.json')");
    const path = await (await saving).path();
    const saved = JSON.parse(readFileSync(path, "utf8"));
    assert.equal(saved.format, "twinset review");
    const other = await open(browser, report(join(samples, "essays"), "-t", "0.4"), "#/review");
    await other.setInputFiles("input[type=file]", path);
    await other.waitForSelector("td .confirmed");
    assert.match(await other.textContent("tbody"), /Seen in class/);
    const next = await open(browser, report(join(samples, "essays"), "--review", path), "#/review");
    assert.match(await next.textContent("tbody"), /confirmed.*Seen in class/);
    await next.context().close();
    await other.setInputFiles("input[type=file]", write("no.json", "{}"));
    await other.waitForFunction(() => /not a review/.test(document.body.textContent));
    await other.context().close();
});

test("copies of one text have different addresses and decisions", async () => {
    const text = "All of them handed in this very text. ".repeat(9);
    const copies = (...names) =>
        report(...names.map((name) => write(`copies/${name}.txt`, text)));
    const two = await open(browser, copies("ada", "ben"));
    await openFirstPair(two);
    await two.keyboard.press("c");
    await go(two, "#/review");
    const saving = two.waitForEvent("download");
    await two.click("button:has-text('Save review.json')");
    const saved = readFileSync(await (await saving).path(), "utf8");
    await two.context().close();

    const three = await open(browser, copies("ada", "ben", "cem"), "#/pairs");
    const links = three.locator(".row a[href^='#/pair/']");
    const rows = await links.evaluateAll((all) => [...new Set(all.map((link) => link.hash))]);
    assert.equal(rows.length, 3);
    const titles = new Set();
    for (const address of rows) {
        await go(three, address);
        titles.add(await three.title());
    }
    assert.equal(titles.size, 3);
    await go(three, "#/review");
    await three.setInputFiles("input[type=file]", write("copies/review.json", saved));
    await three.waitForSelector("td .confirmed");
    assert.equal(await three.locator("td .confirmed").count(), 1);
    assert.match(await three.textContent("tbody"), /ada.*ben/);
    await three.context().close();
});

test("a passage is dismissed in all pairs, and their scores change", async () => {
    await openFirstPair(page);
    await page.click(".passage .small >> nth=0");
    await page.waitForSelector(".score .warm");
    assert.match(await text(".score"), /without dismissed passages/);
    const pair = page.url();
    await go(page, "#/pairs");
    const score = await page.locator(".rows .row").last().locator(".number").first().textContent();
    await page.goto(pair);
    await page.waitForSelector("main[data-ready]");
    await page.click(".passage .small >> nth=0");
    await page.waitForSelector(".score .warm", {state: "detached"});
    assert.ok(parseFloat(score) < 50, score);
});

test("scores without a dismissed passage are on every page", async () => {
    const tab = await open(browser, essays);
    const bars = () => tab.locator(".histogram .bar title").allTextContents();
    const drawn = await bars();
    await openFirstPair(tab);
    const shares = () => tab.locator(".pane header .soft").allTextContents();
    const [address, before, passages] = [
        new URL(tab.url()).hash,
        await tab.locator(".score .percent").textContent(),
        await tab.locator(".passage").count(),
    ];
    const covered = await shares();
    await tab.click(".passage .small >> nth=0");
    await tab.waitForSelector(".score .warm");
    const after = await tab.locator(".score .percent").textContent();
    assert.ok(parseFloat(after) < parseFloat(before), `${after} of ${before}`);
    assert.match(await tab.textContent(".score .warm"), new RegExp(`${after}.*${before}`));
    for (const [i, share] of (await shares()).entries())
        assert.ok(parseFloat(/[\d.]+/.exec(share)) < parseFloat(/[\d.]+/.exec(covered[i])), share);
    assert.equal(await tab.locator("mark:not(.off)[data-passage='0']").count(), 0);
    await tab.keyboard.press("c");

    await go(tab, "#/review");
    assert.ok((await tab.textContent("tbody")).includes(after));
    await follow(tab, "tbody a:has-text('Print this case')");
    assert.equal(await tab.locator("section.evidence").count(), passages - 1);
    assert.match(await tab.textContent(".case"), /Left out: 1 dismissed passage/);
    assert.match(await tab.textContent(".facts"), new RegExp(`${after} without dismissed`));

    // The bar that the pair was in has moved.
    await go(tab, "#/");
    assert.notDeepEqual(await bars(), drawn);
    await go(tab, "#/pairs");
    await tab.fill("label:has-text('Threshold') input", "0");
    const row = tab.locator(`.row:has(a[href="${address}"])`);
    assert.ok((await row.textContent()).includes(after));
    const saving = tab.waitForEvent("download");
    await tab.click("button:has-text('Save as CSV')");
    const [head, ...rows] = readFileSync(await (await saving).path(), "utf8").split("\r\n");
    const column = head.split(",").indexOf("without_dismissed");
    assert.ok(rows.some((one) => (100 * one.split(",")[column]).toFixed(3).startsWith(
        parseFloat(after).toFixed(1))), rows[0]);
    await tab.context().close();
});

test("a redacted case shows only shared text of the second document", async () => {
    await openFirstPair(page);
    const name = await page.locator(".pane header a").nth(1).textContent();
    await page.click("summary:has-text('More')");
    await follow(page, "a:has-text('Redact the second')");
    assert.ok(!(await text("main")).includes(name));
    assert.equal(await page.locator(".pane header a").count(), 1);
    await follow(page, "a:has-text('Print this case')");
    assert.ok(!(await text("main")).includes(name));
});

test("a redacted case has no name, comment, value or note of the other document", async () => {
    const program = (author, sum, unit, comment) => `# Author: ${author}
def total(items):
    ${sum} = 0
    for item in items:
        ${comment}
        if item.${unit} > 3:
            ${sum} += item.${unit} * item.count  # ${author} was here
        else:
            ${sum} -= item.count
    return ${sum}


def show(items):
    for item in sorted(items):
        print("of ${author}", item.${unit}, item.count)
    return len(items)
`;
    write("accused/a.py", program("Lovelace", "result", "weight", "pass"));
    write("accused/b.py", program("Franklin", "benny", "heavy", "# call Franklin: 555-1234"));
    const path = report(join(write("accused/c.py", "print('another one')\n"), ".."), "-t", "0.05");
    const tab = await open(browser, path);
    await openFirstPair(tab);
    await tab.keyboard.press("c");
    await tab.fill(".note", "Franklin gave it away.");
    await tab.locator(".note").blur();
    const address = new URL(tab.url()).hash.split("/").slice(0, 3).join("/");
    const isFirst = (await tab.locator(".pane header a").first().textContent()) === "a.py";
    await go(tab, `${address}/1/hide-${isFirst ? "b" : "a"}`);
    await tab.waitForSelector("main[data-ready]");
    const secret = /franklin|benny|heavy|555/i;
    const shown = async () => {
        const html = await tab.locator("main").innerHTML();
        assert.ok(!secret.test(html), secret.exec(html)?.input.slice(0, 9_000));
        assert.match(html, /item\.count/);
        assert.match(html, /Lovelace/);
    };
    await shown();
    await follow(tab, "a:has-text('Print this case')");
    await shown();
    const saving = tab.waitForEvent("download");
    await tab.click("button:has-text('Save as a page of its own')");
    assert.ok(!secret.test(readFileSync(await (await saving).path(), "utf8")));
    await tab.context().close();
});

test("pages to print have every passage in full", async () => {
    await openFirstPair(page);
    const passages = await count(".passage");
    await follow(page, "a:has-text('Print this case')");
    assert.equal(await count("section.evidence"), passages);
    assert.match(await text("main"), /[0-9a-f]{40}/);
    await page.emulateMedia({media: "print"});
    assert.equal(await page.locator(".top nav").isVisible(), false);
    await page.screenshot({path: join(shots, "evidence-print.png"), fullPage: true});
    await page.emulateMedia({media: "screen"});
});

test("the report of dedup shows what was removed, with samples", async () => {
    const words = Array.from({length: 80}, (_, i) => `word${i}`).join(" ");
    const records = ["first", "second", "third"].map((id) =>
        JSON.stringify({id, text: `${words} ${id}`}),
    );
    const input = write("records.jsonl", `${records.join("\n")}\n`);
    const tab = await open(browser, report("dedup", input, "-o", write("out.jsonl", "")));
    assert.deepEqual((await tab.locator(".tile b").allTextContents()).slice(0, 2), ["3", "2"]);
    await tab.waitForSelector(".panes .quote");
    const samples = await tab.locator(".panes .quote").allTextContents();
    assert.deepEqual(samples.slice(0, 2), [`${words} first`, `${words} second`]);
    assert.deepEqual((await tab.locator("mark.differs").allTextContents()).slice(0, 2), [
        "first",
        "second",
    ]);
    assert.match(await tab.textContent("main"), /third/);
    await tab.click("details summary >> nth=0");
    await tab.waitForSelector("details .quote");
    await tab.focus(".handle");
    await tab.keyboard.press("End");
    await tab.waitForFunction(() => /no sample at or above/.test(document.body.textContent));
    assert.match(await tab.textContent("main"), /0 of 3 records removed/);
    await tab.screenshot({path: join(shots, "cleaning-light-wide.png")});
    assert.deepEqual(await accessibilityProblems(tab), []);
    assert.deepEqual(tab.problems, []);
    await tab.context().close();
});

test("the report of dedup shows differences of long records, and hosts", async () => {
    const records = [0, 1, 2].flatMap((i) => {
        const words = Array.from({length: 2_000}, (_, j) => `w${(i * 31 + j * 7919) % 100_003}é`);
        const copy = words.map((word, j) => (j === 1_500 ? "CHANGED" : word));
        return [
            {url: `https://news.example.com/${i}`, text: words.join(" ")},
            {url: `https://mirror.example.org/${i}`, text: copy.join(" ")},
        ];
    });
    const lines = records.map((record) => JSON.stringify(record)).join("\n");
    const input = write("hosts.jsonl", `${lines}\n`);
    const out = write("hosts-out.jsonl", "");
    const tab = await open(browser, report("dedup", input, "--id", "url", "-o", out));
    await tab.waitForSelector("mark.differs:has-text('CHANGED')");
    assert.match(await tab.locator(".sample").first().textContent(), /^… [\d,]+ equal characters/);
    const main = await tab.textContent("main");
    assert.ok(!main.includes("\ufffd"));
    assert.match(main, /Hosts that repeat each other.*mirror\.example\.orgnews\.example\.com3/);
    assert.doesNotMatch(main, /Files that repeat each other/);
    assert.match(main, /Removed along the collection.*say no time that could be read/);
    await tab.context().close();
});

test("scripts in names and texts do not run", async () => {
    const evil = `</script><script>window.broken=1</script><img src=x onerror="window.broken=1">`;
    const words = Array.from({length: 80}, (_, i) => `word${i}`).join(" ");
    const records = [1, 2].map((i) =>
        JSON.stringify({id: `${i}${evil}`, text: `${evil} ${words}`}),
    );
    const input = write("evil.jsonl", `${records.join("\n")}\n`);
    const tab = await open(browser, report(input));
    await openFirstPair(tab);
    for (const address of [
        "#/",
        "#/pairs",
        "#/clusters",
        "#/documents",
        await firstDocument(tab),
        "#/review",
        "#/evidence",
    ])
        await go(tab, address);
    assert.equal(await tab.evaluate(() => window.broken), undefined);
    // The policy refuses a script that is added anyway.
    await tab.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.broken = 1";
        document.body.append(script);
    });
    assert.equal(await tab.evaluate(() => window.broken), undefined);
    await tab.context().close();
});

test("a table of ten thousand pairs is scrolled, and rows stay in sight", async (run) => {
    const tab = await open(browser, many, "#/pairs");
    assert.ok((await tab.locator(".rows .row").count()) < 100);
    const {frame, added} = await tab.evaluate(async () => {
        const view = document.querySelector(".view"),
            data = (id) => JSON.parse(document.getElementById(id).textContent),
            documents = data("documents"),
            pairs = data("pairs").rows,
            next = () => new Promise((done) => requestAnimationFrame(done));
        let added = 0;
        const watch = new MutationObserver((changes) =>
            changes.forEach((one) => (added += one.addedNodes.length)),
        );
        watch.observe(view, {childList: true, subtree: true});
        const scroll = async (by, frames) => {
            const begin = performance.now();
            for (let i = 0; i < frames; i++) {
                view.scrollTop += by;
                await next();
            }
            return (performance.now() - begin) / frames;
        };
        // The row in the middle of the view is that of its position, with the names of its pair.
        const check = async () => {
            await next();
            await next();
            const {x, y, height} = view.getBoundingClientRect(),
                position = Math.floor((view.scrollTop + height / 2) / 34),
                middle = y + (position + 0.5) * 34 - view.scrollTop,
                row = document.elementFromPoint(x + 200, middle).closest(".row");
            if (row?.ariaRowIndex !== String(position + 2)) throw new Error(`no row ${position}`);
            const names = [...row.querySelectorAll(".name")].map((one) => one.textContent);
            const expected = pairs[position].slice(0, 2).map((at) => documents[at].name);
            if (names.join() !== expected.join())
                throw new Error(`row ${position} shows ${names}`);
        };
        const frame = await scroll(900, 60);
        watch.disconnect();
        for (const by of [900, -70, 34, 1e9, -900, -1e9, 500]) {
            await scroll(by, 3);
            await check();
        }
        return {frame, added};
    });
    assert.equal(added, 0, "elements are made while the table is scrolled");
    run.diagnostic(`${frame.toFixed(1)} ms a frame`);
    // When it stands still, elements are in the order of rows: for Tab, and for reading aloud.
    await tab.waitForFunction(() => {
        const all = [...document.querySelectorAll(".rows .row")].map((row) => +row.ariaRowIndex);
        return all.every((position, i) => !i || position === all[i - 1] + 1);
    });
    await tab.context().close();
});

test("long names keep their ends, by which they differ", async () => {
    const words = Array.from({length: 80}, (_, i) => `word${i}`).join(" "),
        folder = `names/${"a-long-name-that-all-of-them-have-".repeat(3)}`;
    const paths = ["1.txt", "2.txt"].map((name) => write(`${folder}${name}`, `${words} ${name}`));
    paths.push(write(`names/${"\u05d0\u05d1 ".repeat(40)}3.txt`, `${words} 3`));
    for (const width of [1300, 400]) {
        const tab = await open(browser, report(...paths), "#/pairs", {
            viewport: {width, height: 860},
        });
        const ends = await tab.locator(".rows .name").evaluateAll((all) =>
            all
                .map((name) => name.lastElementChild)
                .filter((end) => end.textContent)
                .map((end) => [end.textContent, end.scrollWidth <= end.clientWidth]),
        );
        assert.equal(ends.length, 4);
        for (const [end, isWhole] of ends) assert.ok(isWhole && /[12]\.txt$/.test(end), end);
        const names = await tab.locator(".rows .name").allTextContents();
        assert.ok(paths.every((path) => names.some((name) => path.endsWith(name))));
        await tab.context().close();
    }
});

test("a document that is a case of its own is opened from the review", async () => {
    const tab = await open(browser, essays);
    const address = await firstDocument(tab);
    await go(tab, address);
    await tab.click(".actions button:has-text('Confirm')");
    await go(tab, "#/review");
    await tab.click("tbody td.names a");
    await settled(tab);
    assert.equal(new URL(tab.url()).hash, address);
    assert.equal(await tab.locator("main.document").count(), 1);
    await tab.context().close();
});

test("the overview says what is listed for passages, and copies are shared in full", async () => {
    const tab = await open(browser, report(join(samples, "essays")));
    assert.equal(await tab.locator(".bar.below:not(.sampled)").count(), 0);
    assert.match(await tab.textContent("main"), /Those that share passages alone follow/);
    assert.match(
        await tab.textContent("main"),
        /2 pairs of a similarity of 50\.0% or more, and 2 for the passages that they share/,
    );
    const text = "# include\n" + "All of them handed in this very text. ".repeat(9);
    const copies = ["ada", "ben"].map((name) => write(`same/${name}.txt`, text));
    const other = await open(browser, report(...copies));
    await go(other, await firstDocument(other));
    await other.waitForSelector(".lane");
    const shares = await other.locator(".lane-share").allTextContents();
    assert.deepEqual(shares, ["100.0%", "100.0%"]);
    await tab.context().close();
    await other.context().close();
});

test("the keys move through the table, and the focus stays in it", async () => {
    const tab = await open(browser, many, "#/pairs");
    const focused = () =>
        tab.evaluate(() => document.activeElement.closest(".row")?.ariaRowIndex ?? "");
    const rows = Number(await tab.getAttribute("[role=table]", "aria-rowcount")) - 1;
    await tab.focus(".view");
    for (const [key, position] of [
        ["ArrowDown", 0],
        ["PageDown", 10],
        ["End", rows - 1],
        ["Home", 0],
    ]) {
        await tab.keyboard.press(key);
        assert.equal(await focused(), String(position + 2), key);
        await tab.waitForTimeout(200); // the elements are put in order meanwhile
        assert.equal(await focused(), String(position + 2), `${key}, later`);
    }
    await tab.context().close();
});

test("the table is printed from its first row on", async () => {
    const tab = await open(browser, many, "#/pairs");
    const all = () => tab.locator(".rows .row").count();
    const before = await all();
    await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await all(), 1_000);
    await tab.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await all(), before);
    await tab.context().close();
});

test("on paper there are all columns, bars, the decision, and no hint for the mouse", async () => {
    const paper = {width: 700, height: 1000};
    const tab = await open(browser, essays, "", {colorScheme: "dark", viewport: paper});
    await tab.emulateMedia({media: "print", colorScheme: "dark"});
    const isShown = (text) => tab.locator(`text=${text}`).first().isVisible();
    assert.equal(await isShown("Drag the line"), false);
    await go(tab, "#/pairs");
    await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const boxes = await tab.locator(".rows .row").evaluateAll((all) =>
        all.map((row) => {
            const {top, bottom} = row.getBoundingClientRect();
            return {top, bottom, cells: [...row.children].filter((one) => one.clientWidth).length};
        }),
    );
    boxes.forEach(({top, bottom, cells}, i) => {
        assert.equal(cells, 9);
        assert.ok(bottom - top > 10 && (!i || top >= boxes[i - 1].bottom - 1), `row ${i}`);
    });
    await go(tab, await firstDocument(tab));
    await tab.waitForSelector(".coverage i");
    const bar = await tab.locator(".coverage i").first().evaluate((element) => {
        const {printColorAdjust, backgroundColor} = getComputedStyle(element);
        return [printColorAdjust, backgroundColor];
    });
    assert.deepEqual(bar, ["exact", "rgb(102, 102, 102)"]);
    await openFirstPair(tab);
    await tab.keyboard.press("d");
    await tab.waitForSelector("text=Decision: dismissed.");
    await tab.context().close();
});

for (const [look, colorScheme] of [
    ["light", "light"],
    ["dark", "dark"],
])
    for (const [size, width] of [
        ["wide", 1300],
        ["narrow", 400],
    ])
        test(`every page, ${look} and ${size}, is accessible`, async () => {
            const tab = await open(browser, programs, "", {
                colorScheme,
                viewport: {width, height: 860},
            });
            const addresses = [
                "#/",
                "#/pairs",
                "#/clusters",
                "#/documents",
                await firstDocument(tab),
                "#/review",
            ];
            for (const address of [...addresses, "pair"]) {
                if (address === "pair") await openFirstPair(tab);
                else await go(tab, address);
                const name = address.split("/")[1] || (address === "#/" ? "overview" : address);
                await tab.screenshot({path: join(shots, `${name}-${look}-${size}.png`)});
                assert.deepEqual(await accessibilityProblems(tab), [], address);
                const over = await tab.evaluate(
                    () => document.documentElement.scrollWidth - innerWidth,
                );
                assert.ok(over <= 1, `${address} is ${over} pixels too wide`);
            }
            assert.deepEqual(tab.problems, []);
            await tab.context().close();
        });

test("the page had no errors and made no requests", () => assert.deepEqual(page.problems, []));
