// Opens a copy of the page from the disk: share.mjs FOLDER. Reads one JSON object from stdin: the path of the copy, the
// study and its title, a run that succeeded, and how many runs there are. Prints what it found wrong, a line each;
// screenshots go into FOLDER.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { looking } from "./browser_checks.mjs";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");
const axe = readFileSync(own.resolve("axe-core/axe.min.js"), "utf8");

const folder = process.argv[2];
const { copy, title, study, run, runs, good } = JSON.parse(readFileSync(0, "utf8"));
const address = pathToFileURL(copy).href;
const found = [];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"], timeout: 240000 });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(60000);
// The report is shown in a sandboxed frame, without its script: it is complete without.
const blocked_report = /^Blocked script execution in '.*\/report\.html' because the document's frame is sandboxed/;
// axe asks for the style sheet a second time, which the copy's policy forbids like every request.
const asked_by_axe = /^(Connecting to 'file:.*\/page\.css' violates|Couldn't load preload assets)/;
page.on("console", (m) => ["error", "warning"].includes(m.type()) && !blocked_report.test(m.text()) && !asked_by_axe.test(m.text()) && found.push(`console: ${m.text()}`));
page.on("pageerror", (e) => found.push(`page error: ${e.stack}`));
const home = address.slice(0, address.lastIndexOf("/") + 1);
page.on("request", (r) => !r.url().startsWith(home) && !/^(data|blob):/.test(r.url()) && found.push(`elsewhere: ${r.url()}`));
page.on("dialog", (d) => { found.push(`a dialog: ${d.message()}`); void d.dismiss(); });
const cdp = await context.newCDPSession(page);

const go = (place) => page.evaluate((hash) => (location.hash = hash), `#/${place}`);
const panel = (name) => page.locator("section.panel").filter({ has: page.getByRole("heading", { name, level: 2 }) });
const look = looking({ page, cdp, folder, axe, found });

try {
  await page.goto(address);
  await page.getByRole("heading", { name: title, level: 1, exact: true }).waitFor();
  const note = page.getByRole("note").filter({ hasText: "This is a copy of" });
  await note.getByText(`the beginning of ${good} logs longer than 64 kB; the content of ${good} output files; earlier states; other studies.`).waitFor();
  const answer = await panel("Answer").locator(".answer").first().textContent();
  if (!/cost is [56]\d(\.\d+)? % lower with arm = fast than with arm = __proto__/.test(answer)) found.push(`the answer: ${answer}`);
  await panel(/runs? failed for one reason/).getByText("IndexError: row 4097 is out of range").waitFor();
  await panel("cost by cell").getByRole("row", { name: /arm = __proto__ .* 4$/ }).waitFor();
  for (const name of ["Look back", "New study", "Approve", "Pause", "Send"])
    if (await page.getByRole("button", { name }).count()) found.push(`there is a button ${name}`);
  if (await page.getByRole("navigation", { name: "Views" }).count()) found.push("it links to views that it lacks");
  await look("share-overview");

  await go(`studies/${study}/runs`);
  await page.getByText(`${runs} of ${runs}`, { exact: true }).waitFor();
  await page.getByLabel("State").selectOption("succeeded");
  await page.getByText(`${good} of ${good}`, { exact: true }).waitFor();

  await go(`studies/${study}/charts`);
  await panel("Learning curves").getByRole("row", { name: /fast/ }).waitFor();
  await panel("Learning curves").getByLabel("log x").check();
  await panel("Learning curves").getByLabel("Along").selectOption("time");
  await panel("Learning curves").getByText("Steps have no recorded time").waitFor();
  await panel("Learning curves").getByRole("row", { name: /fast/ }).waitFor();

  await go(`studies/${study}/timeline`);
  await panel("Timeline of runs").locator(".lanes svg").waitFor();

  await go(`studies/${study}/graph`);
  await panel("Exploration").getByRole("button", { name: /dead end N\d+: No run of arm = broken succeeded/ }).waitFor();
  await look("share-graph");

  await go(`studies/${study}/claims`);
  await panel("Claims").locator("summary").first().click();
  await panel("Claims").locator("ol.chain li", { hasText: "evidence" }).locator("summary").first().click();
  await panel("Claims").locator("ul.evidence a").first().waitFor();
  if ((await panel("Claims").locator("ul.evidence a").count()) !== 4) found.push("an arm has not its four runs");

  await go(`studies/${study}/report`);
  await page.frameLocator("iframe.report").getByText("Fast costs less than half of the other").first().waitFor();

  await go(`runs/${run}`);
  await page.getByRole("log").getByText("the last line of").waitFor();
  await page.getByRole("log").getByText("[the beginning is not in this copy]").waitFor();
  await page.getByText("note.txt").waitFor();
  await page.getByText("Their content is not in this copy.").waitFor();
  await panel("Measured").locator("canvas, svg").first().waitFor();
  await look("share-run");

  await go("memory");
  await page.getByRole("heading", { name: title, level: 1, exact: true }).waitFor();
  if ((await page.title()) === "taken") found.push("the title became a script");
} catch (error) {
  found.push(`stopped: ${error.message}`);
  await page.screenshot({ path: `${folder}/share-stopped.png`, fullPage: true });
}
await browser.close();
for (const one of found) console.log(one);
