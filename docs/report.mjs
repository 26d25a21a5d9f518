// Draws docs/report.png: two programs of the samples, side by side, in a report.
//     TWINSET=build/release/twinset TWINSET_WEB_MODULES=build/web node docs/report.mjs
// script/test web installs what it needs in build/web.
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {go, launch, open, report, samples, settled} from "../tests/web/browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const browser = await launch();
const page = await open(browser, report(join(samples, "programs")), "", {
    viewport: {width: 1280, height: 800},
    deviceScaleFactor: 1.5,
    colorScheme: "light",
});
await go(page, await page.getAttribute(".finding:has-text('roman-ines')", "href"));
await page.waitForSelector("main[data-ready]");
await page.click(".passage >> nth=0");
await settled(page);
await page.waitForTimeout(500); // scrolling is smooth
await page.screenshot({path: join(here, "report.png")});
await browser.close();
