// Opens a study's pages in a browser and says, a line each, what `words` of a hostile name became that is not text.
// Reads one JSON object from stdin: link, study, words.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const own = createRequire(new URL("../../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");
const { link, study, words } = JSON.parse(readFileSync(0, "utf8"));
const found = [];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext()).newPage();
page.setDefaultTimeout(120000);
page.on("pageerror", (e) => found.push(`page error: ${e.message}`));
page.on("request", (r) => {
  if (new URL(r.url()).hostname !== new URL(link).hostname) found.push(`asks ${r.url()}`);
});
try {
  await page.goto(link);
  await page.locator("main, body").first().waitFor();
  for (const place of [`#/studies/${study}`, `#/studies/${study}/runs`, `#/runs/${study}-r1`]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await page.getByText(words).first().waitFor();
    if (await page.locator(".cheat, [onerror]").count()) found.push(`an element at ${place}`);
    if (await page.evaluate(() => "cheated" in window)) found.push(`its script ran at ${place}`);
  }
} catch (error) {
  found.push(`stopped: ${error.message}`);
}
await browser.close();
for (const one of found) console.log(one);
