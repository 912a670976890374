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
const context = await browser.newContext();
context.setDefaultTimeout(240000);
context.on("weberror", (e) => found.push(`page error: ${e.error().message}`));
const page = await context.newPage();
const address = new URL(link).origin;
const without = "No connection; trying again";
// Nothing is reproduced here, so the answer is made up.
const reproduction = {
  artifact: "there", study: "s8", state: "running", outcome: "running", recorded: { study: "s7", head: "0".repeat(64) }, claims: [], seeds: "same", sample: null, runs: [], run_counts: {}, untrue: [],
  run_s: { observed: 1, recorded: 2 }, environment: [],
};
/// Another view of the same server, which says that it has no connection, keeps what it shows, and has one again later.
const other_view = async (place, title) => {
  const view = await context.newPage();
  await view.route("**/api/v1/reproductions/s8", (route) => route.fulfill({ json: reproduction }));
  await view.goto(`${address}/#/${place}`);
  const heading = view.getByRole("heading", { name: title, level: 1 });
  await heading.waitFor();
  const lost = view.locator(".head").getByText(without, { exact: true });
  return {
    said: async () => { await lost.waitFor(); if (!(await heading.isVisible())) found.push(`${place} is not readable without a server`); },
    over: () => lost.waitFor({ state: "detached" }),
  };
};
try {
  // Once everything is loaded and before the first frame is shown: the page must have used the link by then.
  await page.addInitScript((id) => addEventListener("load", () => (location.hash = `#/studies/${id}/runs`)), study);
  await page.goto(link);
  await page.getByRole("row").filter({ hasText: "running" }).first().waitFor();
  await page.evaluate(() => (window.unloaded = "never"));
  const views = [await other_view("", "Studies"), await other_view(`runs/${study}-r1`, `Run ${study}-r1`), await other_view("machine", "Machine"), await other_view("reproductions/s8", "Reproduction s8")];
  const said = Promise.all([page.locator(".head").getByText(without, { exact: true }).waitFor(), ...views.map((view) => view.said())]);
  console.log("open");
  // Nobody touches it from here on.
  await said;
  await page.locator(".head").getByText("concluded").waitFor();
  await Promise.all(views.map((view) => view.over()));
  await page.getByLabel("State").selectOption("succeeded");
  await page.getByText(`${runs} of ${runs}`, { exact: true }).waitFor();
  if ((await page.evaluate(() => window.unloaded)) !== "never") found.push("the page was loaded anew");
  if (await page.getByText("running", { exact: true }).count()) found.push("it still shows something as running");
} catch (error) {
  found.push(`stopped: ${error.message}`);
}
await browser.close();
for (const one of found) console.log(one);
