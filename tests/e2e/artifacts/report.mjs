// Reads a report in a real browser, with and without scripts: report.mjs REPORT PDF. Prints what it found wrong, a line
// each, and the report into the file PDF.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");
const axe = readFileSync(own.resolve("axe-core/axe.min.js"), "utf8");
const [report, pdf] = process.argv.slice(2);
const wrong = (what) => console.log(what);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
const open = async (javaScriptEnabled) => {
  const page = await (await browser.newContext({ javaScriptEnabled, viewport: { width: 1200, height: 900 } })).newPage();
  page.setDefaultTimeout(120000);
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong(`console: ${m.text()}`));
  page.on("pageerror", (e) => wrong(`page error: ${e.message}`));
  page.on("request", (r) => /^(file|data):/.test(r.url()) || wrong(`elsewhere: ${r.url()}`));
  await page.goto(pathToFileURL(report).href);
  return page;
};
try {
  const plain = await open(false);
  const bare = await plain.evaluate(() => document.querySelector("main").innerText);
  if ((await plain.locator(".plot img").count()) < 4) wrong("without scripts there are no pictures");
  await plain.locator("summary").first().click();
  if (!(await plain.locator("details[open] td").first().isVisible())) wrong("without scripts a table of values does not open");

  const page = await open(true);
  if ((await page.evaluate(() => document.querySelector("main").innerText)) !== bare) wrong("scripts change what the page says");
  const plots = page.locator(".plot");
  for (let i = 0; i < (await plots.count()); ++i) {
    const plot = plots.nth(i), words = plot.locator(".words");
    await plot.scrollIntoViewIfNeeded();
    const [width, , values] = JSON.parse(await plot.locator("script").textContent());
    const box = await plot.locator("img").boundingBox();
    const scale = (box.width - 2 * 13.8) / width;
    const [x, y] = values[0];
    await page.mouse.move(box.x + 13.8 + x * scale, box.y + 13.8 + y * scale);
    const shown = (await words.isVisible()) ? await words.textContent() : "nothing";
    // Another value may lie at the same place.
    const near = values.filter(([vx, vy]) => Math.hypot(vx - x, vy - y) < 3).map((value) => value[2]);
    if (!near.includes(shown)) wrong(`picture ${i} shows ${shown} where ${near} is`);
    await page.mouse.move(2, 2);
    if (await words.isVisible()) wrong(`picture ${i} keeps showing a value`);
    await plot.focus();
    await page.keyboard.press("ArrowRight");
    const first = await words.textContent();
    await page.keyboard.press("ArrowRight");
    if (values.length > 1 && (await words.textContent()) === first && new Set(values.map((v) => v[2])).size > 1)
      wrong(`picture ${i}: the arrow keys do not go on`);
    await page.keyboard.press("Escape");
    if (await words.isVisible()) wrong(`picture ${i}: Escape does not hide its value`);
  }
  // As if the developer had typed it, which the policy of the page does not forbid.
  const { result } = await (await page.context().newCDPSession(page)).send("Runtime.evaluate", {
    expression: `${axe}; axe.run(document).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target).slice(0, 3)))`,
    awaitPromise: true, returnByValue: true,
  });
  for (const violation of result.value ?? [`axe did not run: ${result.description}`]) wrong(violation);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) wrong(`${wide} px wider than the window`);
  await page.pdf({ path: pdf, preferCSSPageSize: true });
} catch (error) {
  wrong(error.stack);
}
await browser.close();
