// Drives the page of `twinset serve` like a user who asks whether a text is known.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {chmodSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {
    accessibilityProblems,
    follow,
    launch,
    samples,
    scratch,
    shots,
    write,
} from "./browser.mjs";

const essay = (name) => readFileSync(join(samples, "essays", name), "utf8");
const TOKEN = "a-token-to-read-with";
const WRITE_TOKEN = "a-token-to-write-with";
const hostile = '<img src=x onerror="document.title=1">';
const processes = [];
let browser, url;

/** Starts a server, and returns its address when it listens. */
async function serve(name, ...args) {
    const index = join(scratch, `${name}.twx`);
    const options = ["serve", index, "--listen", "127.0.0.1:0", ...args];
    const server = spawn(process.env.TWINSET, options, {stdio: ["ignore", "ignore", "pipe"]});
    processes.push(server);
    let output = "";
    for await (const more of server.stderr.setEncoding("utf8").iterator({destroyOnReturn: false})) {
        output += more;
        const found = /http:\/\/[\d.]+:\d+/.exec(output);
        if (found) return found[0];
    }
    throw new Error(output);
}

async function add(to, documents, token) {
    const headers = {"Content-Type": "application/json"};
    if (token) headers["Authorization"] = `Bearer ${token}`;
    const body = JSON.stringify({documents});
    const answer = await fetch(`${to}/v1/documents`, {method: "POST", headers, body});
    assert.equal(answer.status, 200);
}

async function openPage(to, options = {}) {
    const context = await browser.newContext({viewport: {width: 1300, height: 860}, ...options});
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(error.message));
    page.on("console", (line) => line.type() === "error" && page.problems.push(line.text()));
    page.on("request", (request) => {
        if (!request.url().startsWith(to) && !/^(data|blob):/.test(request.url()))
            page.problems.push(`asked for ${request.url()}`);
    });
    await page.goto(to);
    await page.waitForSelector("main h1");
    return page;
}

async function ask(page, text) {
    await page.fill("#text", text);
    await page.click("button:has-text('Find')");
    await page.waitForSelector(".answer .finding, .answer p:not(.soft)");
}

before(async () => {
    browser = await launch();
    url = await serve("page");
    await add(url, [
        {id: "bridges.txt", text: essay("bridges-original.txt")},
        {id: "chess.txt", text: essay("chess.txt")},
        {id: `names/${hostile}`, text: `${essay("library.txt")}\n${hostile}`},
    ]);
});
after(async () => {
    await browser.close();
    await Promise.all(
        processes.map(
            (child) => new Promise((done) => child.on("exit", done) && child.kill("SIGTERM")),
        ),
    );
});

test("similar documents of a pasted text are shown with their passages", async () => {
    const page = await openPage(url);
    await page.waitForSelector(".tile");
    assert.equal(await page.locator(".tile b").first().textContent(), "3");
    await ask(page, essay("bridges-verbatim.txt"));
    assert.equal(await page.locator(".finding").count(), 1);
    assert.match(await page.textContent(".finding"), /62\.9%.*bridges\.txt/);
    await follow(page, ".finding");
    assert.equal(await page.locator(".pane").count(), 2);
    const texts = [essay("bridges-verbatim.txt"), essay("bridges-original.txt")];
    for (const side of [0, 1]) {
        const marked = await page.locator(".pane").nth(side).locator("mark").allTextContents();
        assert.ok(marked.join("").length > 500, "much of it is marked");
        for (const line of marked) assert.ok(texts[side].includes(line), line);
    }
    await page.click(".passage .go");
    assert.ok((await page.locator("mark.now").count()) > 0);
    await page.click(".steps a");
    await page.waitForSelector(".finding");
    assert.equal(await page.inputValue("#text"), texts[0]);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("a dropped file is searched", async () => {
    const page = await openPage(url);
    const drop = async (name, content) => {
        const files = await page.evaluateHandle(
            ([title, bytes]) => {
                const data = new DataTransfer();
                data.items.add(new File([new Uint8Array(bytes)], title));
                return data;
            },
            [name, [...Buffer.from(content)]],
        );
        await page.dispatchEvent("#text", "drop", {dataTransfer: files});
    };
    await drop("essay.txt", essay("chess.txt"));
    await page.waitForSelector(".finding");
    assert.match(await page.textContent(".finding"), /100\.0%.*chess\.txt/);
    await drop("picture.bin", "\0\0\0");
    await page.waitForSelector(".answer [role=alert]");
    assert.match(await page.textContent(".answer"), /not a text file/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("a text without similar documents", async () => {
    const page = await openPage(url);
    await ask(page, "Nothing of this was ever written before, by anybody, anywhere on earth.");
    assert.match(await page.textContent(".answer"), /Nothing in the index/);
    await page.context().close();
});

test("scripts in names and texts do not run", async () => {
    const page = await openPage(url);
    await ask(page, `${essay("library.txt")}\n${hostile}`);
    assert.ok((await page.textContent(".finding")).includes(hostile));
    await follow(page, ".finding");
    assert.equal(await page.locator("main img").count(), 0);
    assert.ok((await page.textContent(".panes")).includes(hostile));
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("two texts are compared", async () => {
    const page = await openPage(url);
    await page.click("nav a:has-text('Compare')");
    await page.fill("#side-0", essay("bridges-original.txt"));
    await page.fill("#side-1", essay("bridges-verbatim.txt"));
    await page.click("button:has-text('Compare')");
    await page.waitForSelector("main[data-ready]");
    assert.match(await page.textContent(".score"), /62\.9%/);
    assert.ok((await page.locator("mark").count()) > 0);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("the page asks for the token of a server", async () => {
    const file = write("tokens", `read ${TOKEN} ada\nwrite ${WRITE_TOKEN} ben\n`);
    chmodSync(file, 0o600);
    const guarded = await serve("guarded", "--token-file", file);
    await add(guarded, [{id: "chess.txt", text: essay("chess.txt")}], WRITE_TOKEN);
    const page = await openPage(guarded);
    await page.waitForSelector("#token");
    assert.match(await page.textContent("main"), /asks for a token/);
    for (const wrong of ["wrong", "wröng→"]) {
        await page.fill("#token", wrong);
        await page.click("button:has-text('Go on')");
        await page.waitForSelector("[role=alert]:has-text('refused this token')");
        assert.equal(await page.inputValue("#token"), "");
        assert.equal(await page.evaluate(() => document.activeElement.id), "token");
        assert.doesNotMatch(await page.textContent("main"), /asks for a token/);
    }
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.fill("#token", TOKEN);
    await page.click("button:has-text('Go on')");
    await page.waitForSelector(".tile");
    await ask(page, essay("chess.txt"));
    assert.match(await page.textContent(".finding"), /100\.0%/);
    await page.context().close();
});

for (const [colorScheme, size, width] of [
    ["light", "wide", 1300],
    ["dark", "narrow", 400],
])
    test(`every page, ${colorScheme} and ${size}, is accessible`, async () => {
        const page = await openPage(url, {colorScheme, viewport: {width, height: 860}});
        const look = async (name) => {
            await page.screenshot({path: join(shots, `serve-${name}-${colorScheme}-${size}.png`)});
            assert.deepEqual(await accessibilityProblems(page), [], name);
            const over = await page.evaluate(
                () => document.documentElement.scrollWidth - innerWidth,
            );
            assert.ok(over <= 1, `${name} is ${over} pixels too wide`);
        };
        await page.waitForSelector(".tile");
        await ask(page, essay("bridges-verbatim.txt"));
        await look("matches");
        await follow(page, ".finding");
        await look("match");
        await page.click("nav a:has-text('Compare')");
        await look("compare");
        assert.deepEqual(page.problems, []);
        await page.context().close();
    });
