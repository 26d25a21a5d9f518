// Tests what a reader uses to judge a case: filters, texts that scroll together, pages to print and
// evidence other than passages. They also test the memory of a page with thousands of documents.
import assert from "node:assert/strict";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {
    accessibilityProblems,
    firstDocument,
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

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const sentence = (seed, count) =>
    Array.from({length: count}, (_, i) => `${seed}word${(i * 7919) % 100_003}`).join(" ");

test("filters act immediately: quotations, labels, authors, and an excluded document", async () => {
    const quoted = `He wrote: "${sentence("quoted", 40)}" and no more.`;
    const texts = {
        ada: `${sentence("own", 60)}\n${sentence("a", 30)}`,
        ben: `${sentence("own", 60)}\n${sentence("b", 30)}`,
        cleo: `${quoted}\n${sentence("c", 30)}`,
        dan: `${quoted}\n${sentence("d", 30)}`,
    };
    for (const [name, content] of Object.entries(texts)) write(`class/${name}.txt`, content);
    const rows = ["ada,staff,Ada", "ben,,Ada", "cleo,,Cleo", "dan,,Dan"].map((row) =>
        row.replace(/^(\w+)/, (name) => write(`class/${name}.txt`, texts[name])),
    );
    const list = write("list.csv", `path,label,author\n${rows.join("\n")}\n`);
    const page = await open(browser, report(`@${list}`, "-t", "0.1"), "#/pairs");
    const names = async () => {
        await settled(page);
        const found = await page.locator(".rows .row").allTextContents();
        return found.map((row) => (row.includes("ada") ? "ada" : "cleo")).sort();
    };
    assert.deepEqual(await names(), ["ada", "cleo"]);
    for (const [label, left] of [
        ["Without quotations", ["ada"]],
        ["same author", ["cleo"]],
        ["staff", ["cleo"]],
    ]) {
        await page.check(`label:has-text("${label}") input`);
        assert.deepEqual(await names(), left, label);
        await page.uncheck(`label:has-text("${label}") input`);
    }
    await page.fill("input[list]", "dan.txt");
    await page.locator("input[list]").blur();
    assert.deepEqual(await names(), ["ada"]);
    await page.click(".chip");
    assert.deepEqual(await names(), ["ada", "cleo"]);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("arrow keys move through rows, and a button keeps the focus", async () => {
    const page = await open(browser, report(join(samples, "essays"), "-t", "0.05"), "#/pairs");
    await page.focus(".view");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const address = await page.evaluate(() => document.activeElement.getAttribute("href"));
    assert.equal(address, await page.locator(".rows a").nth(1).getAttribute("href"));
    await page.keyboard.press("Enter");
    await page.waitForSelector("main[data-ready]");
    await page.focus("button.confirmed");
    await page.keyboard.press("Enter");
    await settled(page);
    const pressed = await page.evaluate(() => document.activeElement.getAttribute("aria-pressed"));
    assert.equal(pressed, "true");
    await page.context().close();
});

test("texts scroll together within a long passage", async () => {
    const lines = Array.from({length: 300}, (_, i) => `Line ${i}: ${sentence(`s${i}`, 6)}.`);
    const before = Array.from({length: 80}, (_, i) => `Before ${i}: ${sentence(`b${i}`, 3)}.`);
    write("long/a.txt", lines.join("\n"));
    write("long/b.txt", [...before, ...lines].join("\n"));
    const page = await open(browser, report(join(write("long/c.txt", ""), ".."), "-t", "0.1"));
    await openFirstPair(page);
    const pane = page.locator(".scroller").first();
    await pane.hover();
    await page.mouse.wheel(0, 4000);
    await page.waitForFunction(() => document.querySelector(".scroller").scrollTop > 3000);
    await settled(page);
    const inSight = await page.evaluate(() =>
        [...document.querySelectorAll(".scroller")].map((scroller) => {
            const {top, height} = scroller.getBoundingClientRect();
            const line = [...scroller.querySelectorAll(".line")].find(
                (element) => element.getBoundingClientRect().bottom > top + height / 3,
            );
            return Number(/Line (\d+)/.exec(line.textContent)?.[1] ?? NaN);
        }),
    );
    assert.ok(inSight[0] > 50, `${inSight}`);
    assert.ok(Math.abs(inSight[0] - inSight[1]) <= 1, `${inSight}`);
    await page.context().close();
});

test("comments and misspelt words that both programs have are listed", async () => {
    const program = (i, comment, name) =>
        `# ${comment}\ndef ${name}(ships):\n    total = 0\n    for ship in ships:\n` +
        `        if ship.cargo > ${i}:\n            total += ship.cargo * ship.length\n` +
        `    return total\n\n\ndef show(ships, label${i}):\n    print(label${i}, ${name}(ships))\n`;
    const files = [0, 1, 2, 3, 4].map((i) =>
        i < 2
            ? write(`ships/${i}.py`, program(i, "Sum over what they carry.", "calulate"))
            : write(`ships/${i}.py`, program(i, `My own way ${i} of it.`, "calculate")),
    );
    const page = await open(browser, report(...files, "--by", "code", "-t", "0.05"));
    const names = await page.locator(".finding .names").allTextContents();
    await page.locator(".finding").nth(names.indexOf("0.py and 1.py")).click();
    await page.waitForSelector("main[data-ready]");
    const besides = await page.textContent(".besides");
    assert.match(besides, /calulate \(usual: calculate\)/);
    assert.match(besides, /Sum over what they carry\. in none of 3 other documents/);
    for (const [button, line] of [
        ["Sum over what", "# Sum over what they carry."],
        ["calulate", "def calulate(ships):"],
    ]) {
        await page.click(`.besides button:has-text("${button}")`);
        const found = page.locator(".scroller .line.found");
        assert.deepEqual(await found.allTextContents(), [line, line]);
        for (const one of await found.all()) assert.ok(await one.isVisible());
    }
    await page.click("a:has-text('Print this case')");
    await page.waitForSelector("section.evidence");
    await page.waitForSelector(".besides");
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.context().close();
});

test("files of a submission are sorted by their share, and collapse together", async () => {
    const page = await open(
        browser,
        report(...submissions(), "--group", "dir", "--by", "code", "-t", "0.05"),
    );
    await openFirstPair(page);
    const pane = page.locator(".pane").first();
    const shares = (await pane.locator(".file > summary .soft").allTextContents()).map(parseFloat);
    assert.ok(shares.length > 1);
    assert.deepEqual(shares, [...shares].sort((x, y) => y - x));
    await pane.locator("button:has-text('Collapse all')").click();
    assert.equal(await pane.locator("details[open]").count(), 0);
    await page.keyboard.press("n"); // opens the file that has the passage
    assert.ok((await pane.locator("details[open]").count()) > 0);
    assert.ok((await page.locator(".strip .band.now").count()) <= 1);
    await page.screenshot({path: join(shots, "files-light-wide.png")});
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.context().close();
});

function submissions() {
    const code = (name, words) =>
        `def ${name}(items):\n    found = []\n    for item in items:\n` +
        `        if item.${words} > len(found):\n            found.append(item.${words} * 2)\n` +
        `        else:\n            found.extend(item.rest)\n    return sorted(found)\n\n\n`;
    for (const who of ["ada", "ben"]) {
        write(`hand/${who}/a.py`, code("one", "x") + code("two", "y"));
        write(`hand/${who}/b.py`, `${code("three", "z")}print("${who}" * 3)\n`.repeat(2));
        write(`hand/${who}/own_${who}.py`, `print("${who} says hello", [${who.length}] * 7)\n`);
    }
    return [join(write("hand/ada/a.py", code("one", "x") + code("two", "y")), "../..")];
}

test("--evidence opens the pages to print of one case, and no line is cut", async () => {
    const page = await open(
        browser,
        report(
            join(samples, "programs"),
            "-t",
            "0.05",
            "--evidence",
            "marks-felix.c",
            "marks-hugo.c",
        ),
    );
    await page.waitForSelector("section.evidence");
    assert.match(page.url(), /#\/evidence\//);
    await page.emulateMedia({media: "print", colorScheme: "dark"});
    await page.setViewportSize({width: 700, height: 900});
    const cut = await page.evaluate(() =>
        [...document.querySelectorAll(".excerpt .line")]
            .filter((line) => line.scrollWidth > line.clientWidth + 1)
            .map((line) => line.textContent),
    );
    assert.deepEqual(cut, []);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    assert.equal(ink, "rgb(0, 0, 0)");
    await page.context().close();
});

test("the histogram has all pairs of programs; known times make a timeline", async () => {
    const page = await open(browser, report(join(samples, "programs")));
    assert.ok((await page.locator(".histogram .bar.sampled").count()) > 0);
    // Its line is at the lowest similarity of the listed pairs, however they were chosen.
    assert.match(await page.textContent(".tiles"), /3pairs listed/);
    const lowest = (await page.locator(".finding").last().textContent()).match(/^[\d.]+%/)[0];
    const main = await page.textContent("main");
    assert.ok(main.includes(`listed pairs have a similarity of ${lowest}`), main);
    const rows = ["a", "b"].map(
        (name, i) => `${write(`times/${name}.txt`, sentence("t", 50))},2026-03-0${i + 1}`,
    );
    const list = write("times.csv", `path,time\n${rows.join("\n")}\n`);
    const path = report(`@${list}`);
    // A time without a zone is the same for all readers.
    for (const timezoneId of ["America/Los_Angeles", "Asia/Tokyo"]) {
        const there = await open(browser, path, "#/clusters", {timezoneId});
        const chart = there.locator("svg[aria-label='When they were handed in']");
        assert.deepEqual((await chart.locator("text").allTextContents()).slice(0, 3), [
            "Cluster 1",
            "a.txt",
            "b.txt",
        ]);
        assert.match(await there.textContent("main"), /From 1 March 2026 to 2 March 2026/);
        await there.context().close();
    }
    const other = await open(browser, path, "#/clusters");
    assert.equal(await other.locator(".dot").count(), 2);
    assert.match(await other.textContent("main"), /When they were handed in/);
    await go(other, "#/pairs");
    await other.fill("input[type=search]", "nobody"); // leaves no pair, and so no cluster
    await go(other, "#/clusters");
    assert.equal(await other.locator(".dot").count(), 0);
    await other.context().close();
    await page.context().close();
});

test("essays are held against how similar any two of them are", async () => {
    const page = await open(browser, report(join(samples, "essays")));
    assert.ok((await page.locator(".histogram .bar.sampled").count()) > 0);
    const main = await page.textContent("main");
    assert.match(main, /typically 0\.5% alike\. That is measured on 91 pairs/);
    const [, upper, top, times] =
        /Nine of ten .* at most ([\d.]+)% alike; the .* has ([\d.]+)%, (\d+) times/.exec(main);
    assert.ok(Math.abs(times / (top / upper) - 1) < 0.1, `${top} is ${times} times ${upper}`);
    assert.match(await page.locator(".finding").first().textContent(), /chance does not explain/);
    await page.context().close();
    const few = ["a", "b"].map((name) => write(`few/${name}.txt`, sentence(name, 50)));
    const other = await open(browser, report(...few, "-t", "0"));
    assert.match(await other.textContent("main"), /Among fewer than ten documents nothing/);
    await other.context().close();
});

test("the report of dedup counts by time where records say when", async () => {
    const records = Array.from({length: 300}, (_, i) => ({
        id: i,
        date: new Date(Date.UTC(2024, 0, 1 + ((i * 7) % 300)))
            .toISOString()
            .slice(0, i % 2 ? 10 : 24),
        text: `${sentence(`t${i < 200 ? i : 0}`, 60)} ${i}`,
    }));
    const lines = records.map((record) => JSON.stringify(record)).join("\n");
    const input = write("dated.jsonl", `${lines}\n`);
    const tab = await open(browser, report("dedup", input, "-o", write("dated-out.jsonl", "")));
    const chart = tab.locator("svg[aria-label='Removed by time']");
    const labels = await chart.locator("text").allTextContents();
    assert.deepEqual([labels[0], labels.at(-1)], ["4 Jan 2024", "23 Oct 2024"]); // without 1%
    const titles = await chart.locator("title").allTextContents();
    const counts = titles.map((one) => one.match(/: (\d+) of (\d+)/).slice(1).map(Number));
    assert.equal(counts.reduce((sum, [, read]) => sum + read, 0), 300);
    assert.equal(counts.reduce((sum, [removed]) => sum + removed, 0), 100);
    assert.match(await tab.textContent("main"), /By the field “date” of the records/);
    await tab.context().close();
});

/** Dismisses the longest passage of the pair that is open, and waits until scores follow. */
async function dismissLongest(page) {
    const lengths = (await page.locator(".passage").allTextContents()).map((one) =>
        Number(/([\d,]+) (?:word|token|character)/.exec(one)[1].replace(",", "")),
    );
    const longest = lengths.indexOf(Math.max(...lengths));
    await page.locator(".passage").nth(longest).locator(".small").click();
    await page.waitForSelector(".score .warm");
    return lengths.filter((_, i) => i !== longest);
}

/** The text of a cell of the first row of the table of pairs, by its title. */
async function cellOfFirst(page, title) {
    const titles = await page.locator(".row.head > span").allTextContents();
    const index = titles.findIndex((one) => one.startsWith(title));
    return page.locator(".rows .row").first().locator("> span").nth(index).textContent();
}

test("a dismissed passage leaves the longest, both shares, and what is covered", async () => {
    const both = sentence("left", 90), less = sentence("right", 40);
    const texts = ["ada", "ben"].map((who) =>
        write(`off/${who}.txt`, `${both}\n${sentence(who, 300)}\n${less}\n`),
    );
    const options = "-t 0.05 --min-passage 10 --by word".split(" ");
    const page = await open(browser, report(...texts, ...options));
    await openFirstPair(page);
    const pair = new URL(page.url()).hash;
    const columns = ["Longest", "Of first", "Of second"];
    await go(page, "#/pairs");
    const before = await Promise.all(columns.map((title) => cellOfFirst(page, title)));
    const lanes = async () => {
        await go(page, await firstDocument(page));
        await page.waitForSelector(".lane-share");
        return (await page.locator(".lane-share").allTextContents()).map(parseFloat);
    };
    const covered = await lanes();
    await go(page, pair);
    await page.waitForSelector("main[data-ready]");
    assert.deepEqual(await dismissLongest(page), [40]);
    await go(page, "#/pairs");
    await page.fill("label:has-text('Threshold') input", "0");
    const after = await Promise.all(columns.map((title) => cellOfFirst(page, title)));
    assert.deepEqual([before[0], after[0]], ["90", "40"]);
    for (const i of [1, 2]) {
        const expected = (parseFloat(before[i]) * 40) / 130;
        assert.ok(Math.abs(parseFloat(after[i]) - expected) < 3, `${after[i]} of ${before[i]}`);
    }
    for (const [i, share] of (await lanes()).entries())
        assert.ok(Math.abs(share - (covered[i] * 40) / 130) < 3, `${share} of ${covered[i]}`);
    await page.context().close();
});

test("a dismissed passage leaves the shares of files, and the lowest of a cluster", async () => {
    const page = await open(
        browser,
        report(...submissions(), "--group", "dir", "--by", "code", "-t", "0.05"),
    );
    const lowest = async () => {
        await go(page, "#/clusters");
        return parseFloat(await page.locator("tbody td").nth(2).textContent());
    };
    const least = await lowest();
    await openFirstPair(page);
    const shares = async () =>
        (await page.locator(".pane .file > summary .soft").allTextContents()).map(parseFloat);
    const before = await shares();
    await dismissLongest(page);
    const after = await shares();
    assert.ok(after.some((share, i) => share < before[i] - 10), `${after} of ${before}`);
    assert.ok(after.every((share, i) => share <= before[i]), `${after} of ${before}`);
    const score = parseFloat(await page.locator(".score .percent").textContent());
    await page.evaluate(() => scrollTo(0, 0));
    await go(page, "#/pairs");
    await page.fill("label:has-text('Threshold') input", "0");
    const now = await lowest();
    assert.ok(now < least && now === score, `${now} of ${least}, ${score}`);
    await page.context().close();
});

test("a line of a megabyte with escape sequences is shown in full", async () => {
    const line = `${sentence("long", 60)} ${"\u001b[31m</script>'\" ".repeat(60_000)}`;
    const folder = join(write("lines/a.txt", `${line}\nfirst\n`), "..");
    write("lines/b.txt", `${line}\nsecond\n`);
    const page = await open(browser, report(folder));
    await openFirstPair(page);
    const shown = await page.locator(".scroller").first().locator(".line").allTextContents();
    assert.equal(shown.join(""), `${line.replaceAll("\u001b", "\ufffd")}first`);
    assert.equal(await page.locator(".scroller").first().locator(".line[data-n]").count(), 3);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("clusters of ten thousand documents are drawn within 300 MB", async () => {
    const lines = Array.from({length: 10_400}, (_, i) =>
        JSON.stringify({id: `r${i}`, text: `${sentence(`g${i >> 2}`, 12)} end${i & 3}`}),
    );
    const path = report(
        write("clusters.jsonl", `${lines.join("\n")}\n`),
        ...["-t", "0.3", "--by", "word", "-k", "2"],
    );
    const page = await open(browser, path, "#/clusters");
    await settled(page);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    await session.send("HeapProfiler.collectGarbage");
    const {metrics} = await session.send("Performance.getMetrics");
    const bytes = metrics.find((metric) => metric.name === "JSHeapUsedSize").value;
    assert.ok(bytes < 300e6, `${bytes} bytes`);
    const painted = await page.evaluate(() => {
        const canvas = document.querySelector("canvas.graph");
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value > 0);
    });
    assert.ok(painted);
    assert.ok((await page.locator("tbody tr").count()) <= 200);
    await page.context().close();
});
