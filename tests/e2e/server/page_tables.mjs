// The table of runs and the axes of a search in the page of a server: page_tables.mjs FOLDER. Reads one JSON object from
// stdin: the link, a search over two factors that has ended, and a study whose registered runs are withheld. Prints what
// it found wrong, a line each; screenshots go into FOLDER.
import { readFileSync } from "node:fs";

import { opened } from "./browser_checks.mjs";

const folder = process.argv[2];
const { link, searched, covered } = JSON.parse(readFileSync(0, "utf8"));
const address = new URL(link).origin;

const { browser, page, found, look } = await opened(folder, 120000);

const table = page.getByRole("region", { name: "Runs", exact: true });
const equal = (what, is, wanted) => {
  if (JSON.stringify(is) !== JSON.stringify(wanted)) found.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
};
/// The numbers of the runs in the table, from its top.
const numbers = () => table.locator("tbody a").evaluateAll((links) => links.map((one) => Number(one.textContent.split("-r")[1])));
/// The runs as the API sorts them.
const asked = (study, query) => page.evaluate((path) => fetch(path).then((r) => r.json()).then((r) => r.items), `/api/v1/studies/${study}/runs?limit=1000&${query}`);
const until = async (what, test) => {
  for (let i = 0; i < 600; ++i) {
    if (await test()) return;
    await page.waitForTimeout(50);
  }
  found.push(`never: ${what}`);
};

try {
  // Withheld values have no order: their runs stand last, by number, in both directions.
  await page.goto(link);
  await page.locator("tr.study").first().waitFor();
  const withheld = (await asked(covered, "")).filter((run) => run.withheld).map((run) => run.number);
  if (withheld.length < 4) found.push(`only ${withheld.length} withheld runs`);
  for (const [sign, order] of [["", "oldest"], ["-", "newest"]]) {
    await page.goto(`${address}/#/studies/${covered}/runs?sort=${sign}cost`);
    await until("the runs are shown", async () => (await numbers()).length > withheld.length);
    const shown = await numbers();
    equal(`sort=${sign}cost`, shown.slice(-withheld.length), withheld);
    equal(`sort=${sign}cost as the API`, shown, (await asked(covered, `sort=metric:cost&order=${order}`)).map((run) => run.number));
  }

  // Bounds on the axes of parallel coordinates, by keyboard only.
  await page.goto(`${address}/#/studies/${searched}/search`);
  const upper = page.getByRole("slider", { name: "lr, upper bound" });
  await upper.focus();
  equal("the upper bound", await upper.getAttribute("aria-valuetext"), "1");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  equal("the upper bound, two lower", await upper.getAttribute("aria-valuetext"), "0.01");
  const selected = page.getByRole("status").filter({ hasText: / selected; the best: / });
  await selected.waitFor();
  const fewer = Number((await selected.textContent()).match(/^(\d+) setting/)[1]);
  await look("search-by-keys");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  equal("the focus", await upper.evaluate((one) => one === document.activeElement), true);
  await page.keyboard.press("Home");
  await until("fewer settings", async () => Number((await selected.textContent()).match(/^(\d+) setting/)[1]) < fewer);
  const lower = page.getByRole("slider", { name: "lr, lower bound" });
  await lower.focus();
  await page.keyboard.press("ArrowUp"); // It does not pass the upper bound.
  equal("the lower bound", await lower.getAttribute("aria-valuetext"), "0.0001");
  await page.keyboard.press("Escape");
  await selected.waitFor({ state: "detached" });
  equal("the upper bound after Escape", await upper.getAttribute("aria-valuetext"), "1");

  // What a run of seconds used, over time.
  await page.route(`**/api/v1/runs/${searched}-r1`, async (route) => {
    const answer = await route.fetch();
    const run = await answer.json();
    await route.fulfill({ response: answer, json: { ...run, blobs: { ...run.blobs, usage: "00" } } });
  });
  await page.route("**/usage", (route) => route.fulfill({ contentType: "text/csv", body: "seconds,cpu_seconds,memory_bytes,gpu_seconds,gpu_memory_bytes\n0.5,0.25,1000000,,\n0.5,,,0.5,8000000\n1,1.25,64000000,,\n2.5,1.25,3000000,,\n2.5,,,0.5,9000000\n" }));
  await page.goto(`${address}/#/runs/${searched}-r1`);
  await page.getByRole("img", { name: "Busy processors: 3 values from 0 to 2", exact: true }).waitFor();
  await page.getByRole("img", { name: "Memory in MB: 3 values from 1 to 64", exact: true }).waitFor();
  await page.getByRole("img", { name: "Busy GPUs: 2 values from 0 to 1", exact: true }).waitFor();
  await page.getByRole("img", { name: "GPU memory in MB: 2 values from 8 to 9", exact: true }).waitFor();
  await look("run-resources");

  // If a study has more runs than the page loads, the server sorts and filters: here of one that says it has 2,000.
  await page.route(`**/api/v1/studies/${searched}`, async (route) => {
    const answer = await route.fetch();
    const study = await answer.json();
    await route.fulfill({ response: answer, json: { ...study, runs: { ...study.runs, total: 2000 } } });
  });
  const queries = [];
  page.on("request", (r) => new URL(r.url()).pathname.endsWith("/runs") && queries.push(new URL(r.url()).search));
  await page.goto(`${address}/#/studies`);
  await page.goto(`${address}/#/studies/${searched}/runs?sort=-loss`);
  const by_loss = (await asked(searched, "sort=metric:loss&order=newest")).map((run) => run.number);
  await until("the runs are sorted", async () => JSON.stringify(await numbers()) === JSON.stringify(by_loss.slice(0, 100)));
  if (!queries.some((one) => one.includes("sort=metric%3Aloss&order=newest"))) found.push(`the server was not asked to sort: ${queries}`);
  const field = page.getByLabel("Find");
  await field.fill("loss<1.5 lr=0.01");
  const few = (await asked(searched, "sort=metric:loss&order=newest&measured=loss%3C1.5&where=lr%3D0.01")).map((run) => run.number);
  if (few.length < 2) found.push(`only ${few.length} runs with such a loss`);
  await until("the runs are filtered", async () => JSON.stringify(await numbers()) === JSON.stringify(few));
  await until("the server filters", async () => queries.some((one) => one.includes("measured=loss%3C1.5")));
  equal("the focus while typing", await field.evaluate((one) => one === document.activeElement), true);
  await page.getByRole("status").filter({ hasText: `${few.length} of 2,000` }).waitFor();

  await field.fill("loss<abc");
  await page.getByRole("status").filter({ hasText: "loss<abc: give a number behind the sign." }).waitFor();
  equal("runs with a loss below a word", await numbers(), []);

  // Groups, words and conditions on factors need all runs, so the page loads them: here in pages of 20.
  const every = (await asked(searched, "")).map((run) => run.number);
  const of_level = (await asked(searched, "where=lr%3D0.01")).map((run) => run.number);
  if (every.length < 30) found.push(`only ${every.length} runs`);
  await page.route(`**/api/v1/studies/${searched}/runs?*`, (route) => route.continue({ url: route.request().url().replace("limit=1000", "limit=20") }));
  const count = (words) => page.getByRole("status").filter({ hasText: words }).waitFor();
  await page.goto(`${address}/#/studies`);
  await page.goto(`${address}/#/studies/${searched}/runs`);
  await count("20 of 20 loaded of 2,000");
  await page.getByLabel("Group by").selectOption("cell");
  await count(`${every.length} of ${every.length} loaded of 2,000`);
  await page.goto(`${address}/#/studies`);
  await page.goto(`${address}/#/studies/${searched}/runs?find=lr%3D0.01`);
  await until("all runs at a level are shown", async () => JSON.stringify(await numbers()) === JSON.stringify(of_level));
} catch (error) {
  found.push(error.message.split("\n").slice(0, 4).join(" "));
}
await page.unrouteAll({ behavior: "ignoreErrors" }); // An answer may be on its way.
await browser.close();
for (const one of found) console.log(one);
