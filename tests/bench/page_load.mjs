// How soon the page of a server shows something, and what was asked for, in a real browser: reads one JSON object from stdin
// with `address`, `token` and `views` (name, place after the #, selector of the useful content), and prints for each view the
// medians of five loads, in ms after the navigation began.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../peers/package.json", import.meta.url))("playwright-core");
const { address, token, views } = JSON.parse(readFileSync(0, "utf8"));
const loads = 5;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, extraHTTPHeaders: { Authorization: `Bearer ${token}` } });
const found = [];
for (const [name, place, selector] of views) {
  const [paint, useful] = [[], []];
  for (let i = 0; i < loads; ++i) {
    const page = await context.newPage();
    await page.addInitScript((wanted) => {
      const look = () => (document.querySelector(wanted) ? (window.useful = performance.now()) : requestAnimationFrame(look));
      requestAnimationFrame(look);
    }, selector);
    await page.goto(`${address}/#${place}`);
    await page.waitForFunction(() => window.useful, null, { timeout: 120000 });
    paint.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    useful.push(await page.evaluate(() => window.useful));
    await page.close();
  }
  found.push({ name, paint_ms: median(paint), useful_ms: median(useful) });
}
await browser.close();
console.log(JSON.stringify(found));
