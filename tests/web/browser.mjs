// Opens reports in Chromium. NODE_PATH has playwright-core and axe-core; TWINSET is the command.
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(process.env.TWINSET_WEB_MODULES, "package.json"));
export const {chromium} = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");

export const samples = join(root, "samples");
export const scratch = mkdtempSync(join(tmpdir(), "twinset-web-"));
export const shots = process.env.TWINSET_SCREENSHOTS ?? join(scratch, "screenshots");
mkdirSync(shots, {recursive: true});

/** Writes a file below the scratch folder, and returns its path. */
export function write(name, content) {
    const path = join(scratch, name);
    mkdirSync(dirname(path), {recursive: true});
    writeFileSync(path, content);
    return path;
}

let made = 0;

/** Writes a report, and returns its path. */
export function report(...args) {
    const path = join(scratch, `report-${made++}.html`);
    execFileSync(process.env.TWINSET, [...args, "--quiet", "--html", path], {
        stdio: ["ignore", "ignore", "inherit"],
    });
    return path;
}

export async function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    });
}

/** Opens a report. page.problems has its errors, and its requests for anything but files. */
export async function open(browser, path, address = "", options = {}) {
    const context = await browser.newContext({
        viewport: {width: 1300, height: 860},
        acceptDownloads: true,
        ...options,
    });
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(error.message));
    page.on("console", (line) => line.type() === "error" && page.problems.push(line.text()));
    page.on("request", (request) => {
        if (!/^(file|data|blob):/.test(request.url()))
            page.problems.push(`asked for ${request.url()}`);
    });
    await page.goto(`file://${path}${address}`);
    return page;
}

/** Goes to another page of the report and waits until it is drawn. */
export async function go(page, address) {
    await page.evaluate(async (hash) => {
        const before = location.href;
        const left = new Promise((done) => addEventListener("hashchange", done, {once: true}));
        location.hash = hash;
        if (location.href !== before) await left; // the listener of the page was called first
    }, address);
    await settled(page);
}

export async function settled(page) {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
}

/** The address of the first document that the report lists. */
export async function firstDocument(page) {
    await go(page, "#/documents");
    return page.getAttribute("td a[href^='#/document/']", "href");
}

export async function openFirstPair(page) {
    await go(page, "#/");
    await follow(page, ".finding");
}

/** Clicks a link and waits until the page that it leads to is drawn in full. */
export async function follow(page, link) {
    // The page that is left may still become ready; its first element tells it from the next one.
    await page.evaluate(() => {
        const main = document.querySelector("main");
        main.removeAttribute("data-ready");
        main.firstElementChild.setAttribute("data-left", "");
    });
    await page.click(link);
    await page.waitForSelector("main[data-ready]:not(:has(> [data-left]))");
}

/** The serious and critical violations that axe-core finds. */
export async function accessibilityProblems(page) {
    const session = await page.context().newCDPSession(page);
    // page.evaluate() cannot add a script, because the policy of the page refuses it.
    await session.send("Runtime.evaluate", {expression: axe});
    const expression = `axe.run(document, {resultTypes: ["violations"]}).then((found) =>
        JSON.stringify(found.violations.filter((rule) => /serious|critical/.test(rule.impact))
            .map((rule) => [rule.id, rule.nodes.slice(0, 3).map((node) => node.failureSummary)])))`;
    const {result} = await session.send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
    });
    return JSON.parse(result.value);
}
