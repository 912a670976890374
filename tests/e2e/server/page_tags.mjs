// Tags and the archive in the page of a server: page_tags.mjs FOLDER. Reads one JSON object from stdin: the link and two
// studies that have ended. Prints what it found wrong, a line each; screenshots go into FOLDER.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { looking } from "./browser_checks.mjs";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");
const axe = readFileSync(own.resolve("axe-core/axe.min.js"), "utf8");

const folder = process.argv[2];
const { link, one, two } = JSON.parse(readFileSync(0, "utf8"));
const address = new URL(link).origin;
const found = [];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(240000);
page.on("console", (m) => ["error", "warning"].includes(m.type()) && found.push(`console: ${m.text()}`));
page.on("pageerror", (e) => found.push(`page error: ${e.message}`));
page.on("request", (r) => new URL(r.url()).pathname === "/x" && found.push("a tag is taken for markup"));

const cdp = await context.newCDPSession(page);
const look = looking({ page, cdp, folder, axe, found });
const rows = page.locator("tr.study");
const row = (id) => rows.filter({ has: page.locator(`a[href="#/studies/${id}"]`) });
const at = async (wanted) => {
  const now = await page.evaluate(() => location.hash);
  if (now !== wanted) found.push(`the address is ${now}, not ${wanted}`);
};

try {
  await page.goto(link);
  await row(two).waitFor();
  await page.goto(`${address}/#/studies/${one}`);
  // By keyboard only: two tags, one of them markup, and one too many, which is removed again.
  await page.getByLabel("Tag", { exact: true }).focus();
  await page.keyboard.type("night <img/src=x> wrong");
  await page.keyboard.press("Enter");
  const remove = page.getByRole("button", { name: "Remove the tag wrong" });
  await remove.focus();
  await page.keyboard.press("Enter");
  await remove.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "<img/src=x>", exact: true }).waitFor();
  await look("tags-of-study");
  // A refused tag says why.
  await page.getByLabel("Tag", { exact: true }).fill("-old");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("begins with `-`").waitFor();
  found.splice(0, found.length, ...found.filter((f) => !f.includes("422")));

  // In the list, a tag leads to the studies that have it.
  await page.goto(`${address}/#/studies`);
  await row(one).getByRole("link", { name: "<img/src=x>", exact: true }).waitFor();
  await look("tags-in-list");
  await row(one).getByRole("link", { name: "night", exact: true }).click();
  await row(two).waitFor({ state: "detached" });
  await at("#/studies?tag=night");
  await page.getByLabel("Tag").selectOption("");
  await row(two).waitFor();

  // j goes to a study; Tab reaches its tags and then the button of the archive.
  await page.keyboard.press("/"); // The focus was in a row.
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  const first = await page.evaluate(() => document.activeElement.getAttribute("href"));
  if (first !== `#/studies/${two}`) found.push(`j goes to ${first}`);
  await page.keyboard.press("Tab");
  if ((await page.evaluate(() => document.activeElement.getAttribute("aria-label"))) !== `Archive ${two}`) found.push("Tab does not reach the archive");
  await page.keyboard.press("Enter");
  await row(two).waitFor({ state: "detached" });
  await row(one).waitFor();
  await page.getByLabel("Archived").selectOption({ label: "only these" });
  await row(two).waitFor();
  await row(one).waitFor({ state: "detached" });
  await at("#/studies?archived=true");
  await look("archived");
  await row(two).getByRole("button", { name: `Unarchive ${two}` }).click();
  await page.getByText("No study matches these filters.").waitFor();
  await page.getByLabel("Archived").selectOption({ label: "left out" });
  await row(two).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await look("tags-phone");
} finally {
  for (const wrong of found) console.log(wrong);
  await browser.close();
}
