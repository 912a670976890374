// The page while its server is killed and comes back: page_survives.mjs. Reads one JSON object from stdin's first line:
// the link, the study and how many runs it has. Says "open" once the page shows it live, and at the end what it found
// wrong, a line each.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { link, study, runs } = JSON.parse((await lines.next()).value);
const found = [];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext()).newPage();
page.setDefaultTimeout(240000);
page.on("pageerror", (e) => found.push(`page error: ${e.message}`));
try {
  // Once everything is loaded and before the first frame is shown: the page must have used the link by then.
  await page.addInitScript((id) => addEventListener("load", () => (location.hash = `#/studies/${id}/runs`)), study);
  await page.goto(link);
  await page.getByRole("row").filter({ hasText: "running" }).first().waitFor();
  await page.evaluate(() => (window.unloaded = "never"));
  console.log("open");
  // Nobody touches it from here on.
  await page.locator(".head").getByText("concluded").waitFor();
  await page.getByLabel("State").selectOption("succeeded");
  await page.getByText(`${runs} of ${runs}`, { exact: true }).waitFor();
  if ((await page.evaluate(() => window.unloaded)) !== "never") found.push("the page was loaded anew");
  if (await page.getByText("running", { exact: true }).count()) found.push("it still shows something as running");
} catch (error) {
  found.push(`stopped: ${error.message}`);
}
await browser.close();
for (const one of found) console.log(one);
