// Parts of the page, each with the answers that it needs: page_parts.mjs FOLDER. Reads one JSON object from stdin: the link, and
// two studies: `tuned` (a search that has ended) and `gated` (waits for an approval). Prints what it found wrong, a line each.
import { readFileSync } from "node:fs";

import { mocked, opened } from "./browser_checks.mjs";

const folder = process.argv[2];
const { link, tuned, gated } = JSON.parse(readFileSync(0, "utf8"));

const { browser, page, found, go, panel } = await opened(folder, 20000);
const { get, equal, mock, check } = mocked({ page, found, folder, go });
const at_least = (what, is, least) => { if (!(is >= least)) found.push(`${what}: ${is}, not at least ${least}`); };
const at_most = (what, is, most) => { if (!(is <= most)) found.push(`${what}: ${is}, not at most ${most}`); };

await page.goto(link);
await page.locator("tr.study").nth(1).waitFor();

/// How many points of the chart have a colour: in the middle of a line, and in a band.
const coloured = () => page.evaluate(() => {
  const canvas = document.querySelector(".curves canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const count = { line: 0, band: 0 };
  for (let i = 0; i < data.length; i += 4) {
    if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) < 60) continue;
    if (data[i + 3] > 230) ++count.line;
    else if (data[i + 3] > 30 && data[i + 3] < 60) ++count.band;
  }
  return count;
});

await check("Means of curves and their bands", async () => {
  // Two groups of ten runs; each run has one value at every step: 0 to 4, and 10 to 14.
  const runs = 20, steps = 50;
  const of = (value) => Array.from({ length: runs }, (_, i) => value(i));
  const x = Array.from({ length: steps }, (_, i) => i);
  await mock(`/studies/${tuned}/curves?*`, (now) => ({
    ...now, axis: "step", x, y: of((i) => x.map(() => 10 * (i % 2) + (i >> 1) % 5)), cursor: null,
    runs: { id: of((i) => `s9-r${i + 1}`), experiment: of(() => null), purpose: of(() => "search"), state: of(() => "succeeded"), evidence: of(() => false), seed: of((i) => i), factors: { lr: of((i) => i % 2) }, points: of(() => steps) },
  }));
  const shown = async (what) => {
    await go(`studies/${tuned}/overview`);
    await panel("Answer").waitFor();
    await go(`studies/${tuned}/charts?show=${what}`);
    await page.locator('.curves[data-drawn="20"]').waitFor();
    return coloured();
  };
  const means = await shown("means");
  const each = await shown("runs");
  // Two lines of 2.5 px across the chart, and two bands that are each about a sixth of its height.
  at_least("points of mean lines", means.line, 1500);
  at_least("points of bands", means.band, 30000);
  at_most("points of bands where none are shown", each.band, means.band / 5);
  await shown("means");
  await page.getByText("bands are one standard deviation to each side").waitFor();
  // The standard deviation of 0, 1, 2, 3 and 4, each twice: the root of 20 / 9.
  const over = async (share) => {
    await page.locator(".curves").scrollIntoViewIfNeeded();
    const box = await page.locator(".curves .u-over").boundingBox();
    await page.mouse.move(box.x + 200, box.y + share * box.height);
  };
  const tip = (group) => page.locator(".tip", { hasText: RegExp(`^s9-r\\d+ \\(lr = \\d, seed \\d+\\): \\d+ at step \\d+; ${group} ± 1\\.5$`) });
  await over(0.95);
  await tip("lr = 0: 2").waitFor();
  await over(0.05);
  await tip("lr = 1: 12").waitFor();
  await page.getByLabel("Show lr = 0", { exact: true }).uncheck();
  await over(0.95);
  await tip("lr = 1: 12").waitFor();
});

await check("Each registered run is a point of its cell", async () => {
  await go(`studies/${tuned}/charts`);
  const rows = panel("loss by cell").locator("tbody tr");
  await rows.first().waitFor();
  const counts = await rows.evaluateAll((all) => all.map((row) => [row.querySelectorAll("svg.points circle").length, Number(row.querySelector("[data-name=n]").textContent)]));
  equal("points and runs of each cell", counts, [[4, 4], [4, 4]]);
  const places = await rows.first().locator("circle").evaluateAll((all) => all.map((one) => Number(one.getAttribute("cx"))));
  const mean = Number(await rows.first().locator("svg.points line").getAttribute("x1"));
  if (Math.abs(places.reduce((sum, at) => sum + at, 0) / places.length - mean) > 0.5) found.push(`the line is not at the mean of its points: ${mean}, ${places}`);
});

await check("Effects, both metrics and the response of a search", async () => {
  const values = { 0.0001: [5, 1], 0.001: [3, 2], 0.01: [1, 4], 0.1: [2, 5], 1: [4, 3] };
  const candidates = Object.entries(values).map(([lr, [mean, second_mean]]) => ({
    cell: { lr }, mean, second_mean, sd: 0.1, n: 2, failed: 0, kept: lr === "0.01", baseline: lr === "1", refined: false,
  }));
  const effect = (factors, [at, low, high], kept) => ({ factors, low: "0.0001", high: "1", effect: at, interval_low: low, interval_high: high, kept, df: 4, se: 0.2, n: [4, 4], failed: [0, 0] });
  let second = "minimize";
  await mock(`/studies/${tuned}`, (now) => ({ ...now, search: {
    ...now.search, objectives: [{ metric: "loss", goal: "minimize", limit: null, margin: 0 }, { metric: "size", goal: second, limit: null, margin: 0 }],
    ranked: [...now.search.ranked.slice(0, -1), { ...now.search.ranked.at(-1), candidates, effects: [effect(["lr"], [-2, -2.5, -1.5], true), effect(["lr", "size"], [0.25, -0.5, 1], false)] }],
  } }));
  const search = async () => {
    await go(`studies/${tuned}/ledger`);
    await page.getByRole("link", { name: "ledger", exact: true }).waitFor();
    await page.reload();
    await go(`studies/${tuned}/search`);
    await panel("Both metrics").waitFor();
  };
  await search();
  const effects = page.getByRole("region", { name: "Effects of factors" });
  await effects.getByRole("row", { name: "lr, 0.0001 to 1 -2 [-2.5, -1.5] tested on fresh seeds" }).waitFor();
  await effects.getByRole("row", { name: "lr × size 0.25 [-0.5, 1]" }).waitFor();
  // Nothing is left of the interval's ends, and no effect lies outside the first interval and inside the second.
  const bars = await effects.locator("svg.forest").evaluateAll((all) => all.map((one) => {
    const at = (what, name) => Number(one.querySelector(what).getAttribute(name));
    return { kept: one.classList.contains("kept"), none: at(".null", "x1"), low: at(".interval", "x1"), point: at(".point", "x") + 4, high: at(".interval", "x2") };
  }));
  equal("effects with a bar that is marked", bars.map((bar) => bar.kept), [true, false]);
  equal("points inside their intervals", bars.map(({ low, point, high }) => low < point && point < high), [true, true]);
  equal("intervals with no effect inside", bars.map(({ low, none, high }) => low < none && none < high), [false, true]);
  // Five settings, and those of them that no other beats in both metrics: three, or two where a greater size is better.
  const both = panel("Both metrics").getByRole("img");
  equal("settings and their front", await both.getAttribute("aria-label"), "size of the front, settings, tested on fresh seeds, baseline: 8 values from 1 to 5");
  equal("points of a response", await panel("Response").getByRole("img").first().getAttribute("aria-label"), "loss of mean at the level, each setting: 10 values from 1 to 5");
  await panel("Both metrics").locator("canvas").waitFor();
  await panel("Response").locator("canvas").first().waitFor();
  second = "maximize";
  await search();
  equal("the front where a greater size is better", await both.getAttribute("aria-label"), "size of the front, settings, tested on fresh seeds, baseline: 7 values from 1 to 5");
});

await check("Time, power and an agent's change at the gate", async () => {
  const gate = (await get(`/studies/${gated}`)).gates[0];
  const { allows } = await get(`/gates/${gate.id}`);
  await go(`studies/${gated}`);
  const waits = page.getByRole("region", { name: "Waits for you" });
  const fact = (name) => waits.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
  const row = waits.getByRole("row", { name: /^H1: / });
  await row.waitFor();
  equal("time without measured runs", await fact("Time").textContent(), `not known: ${allows.cost.basis}`);
  if (!allows.cost.basis) found.push("it is not said why the time is not known");
  at_least("the power of 40 replicates", allows.hypotheses[0].power.max, 0.9999);
  equal("power that is nearly one", await row.getByRole("cell").last().textContent(), "> 0.9999");
  const wall_s = { expected: 60, low: 45, high: 90 };
  await mock(`/gates/${gate.id}`, (now) => ({ ...now, allows: {
    ...now.allows, cost: { ...now.allows.cost, wall_s, jobs: 2, gpu_hours: null }, hypotheses: now.allows.hypotheses.map((h) => ({ ...h, power: { min: 0.81, max: 0.934 } })),
  } }));
  await mock(`/studies/${gated}`, (now) => ({ ...now, agents_code: { text: "An agent changed one line.", read_by_person: false, diff: "sha256:abc" } }));
  await page.route(`**/api/v1/studies/${gated}/agents-code`, (route) => route.fulfill({ json: { by: "engineer", model: null, mends: [], diff: "--- a/job.py\n+++ b/job.py\n@@ -3 +3 @@\n-value = <b>10</b>\n+value = 4\n" } }));
  await page.reload();
  await row.waitFor();
  equal("time", await fact("Time").textContent(), "about 1 min 0 s (45 s to 1 min 30 s), 2 runs at once");
  equal("power", await row.getByRole("cell").last().textContent(), "0.810 to 0.934");
  const changed = waits.getByRole("region", { name: "What was changed" });
  await changed.waitFor(); // It is open.
  equal("changed lines", await changed.locator(".added, .removed").allTextContents(), ["-value = <b>10</b>\n", "+value = 4\n"]);
});

await check("The list of studies draws the rows near the window", async () => {
  const asked = [];
  const count = 300;
  const like = (await get("/studies?limit=1")).items[0];
  await page.route("**/api/v1/studies?*", (route) => {
    const { searchParams } = new URL(route.request().url());
    const limit = Number(searchParams.get("limit"));
    if (limit === 1) return route.continue();
    const from = Number(searchParams.get("cursor") ?? 0);
    asked.push(from);
    const items = Array.from({ length: Math.min(limit, count - from) }, (_, i) => ({ ...like, id: `s${901 + from + i}`, title: `Listed ${from + i}` }));
    return route.fulfill({ json: { items, total: count, cursor: from + limit < count ? String(from + limit) : null } });
  });
  await go("");
  const rows = page.locator("tr.study");
  await page.getByText("Listed 0", { exact: true }).waitFor();
  const drawn = async (what) => {
    const now = await rows.count();
    at_least(`rows that are drawn ${what}`, now, 10);
    at_most(`rows that are drawn ${what}`, now, 79);
  };
  await drawn("at first");
  equal("pages that are asked for at first", [...new Set(asked)], [0]);
  for (let i = 0; i < 6; ++i) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForTimeout(150);
    await drawn("after scrolling");
  }
  await page.getByText("Listed 299", { exact: true }).waitFor();
  equal("rows of the beginning, far below it", await page.getByText("Listed 0", { exact: true }).count(), 0);
  equal("pages that are asked for", [...new Set(asked)], [0, 100, 200]);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByText("Listed 0", { exact: true }).waitFor();
});

await check("Columns of runs, and what a run consists of", async () => {
  await go(`studies/${tuned}/runs`);
  const table = page.getByRole("region", { name: "Runs", exact: true });
  const heads = async () => (await table.getByRole("columnheader").allTextContents()).map((head) => head.replace(/[ ↑↓]+$/, ""));
  await table.locator("td a").first().waitFor();
  const all = await heads();
  for (const name of ["lr", "seed", "loss"]) if (!all.includes(name)) found.push(`no column ${name} in ${all}`);
  await page.getByText("Columns", { exact: true }).click();
  await page.locator("details.choice").getByLabel("seed", { exact: true }).uncheck();
  await page.locator("details.choice").getByLabel("wall", { exact: true }).uncheck();
  equal("columns without two", await heads(), all.filter((name) => name !== "seed" && name !== "wall"));
  if (!decodeURIComponent(page.url()).endsWith("?without=seed|wall")) found.push(`the address does not keep the columns: ${page.url()}`);
  await page.reload();
  await table.locator("td a").first().waitFor();
  equal("columns that the address names", await heads(), all.filter((name) => name !== "seed" && name !== "wall"));
  await table.locator("td a").first().click();
  const origin = panel("Command, code and environment");
  const fact = (name) => origin.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
  const { workspace } = await get(`/studies/${tuned}/opening`);
  equal("the code of a run", await fact("Code").textContent(), `workspace ${workspace.slice(0, 12)}, frozen when the study was opened`);
  equal("the environment of a run", await fact("Environment").textContent(), "system");
  const lr = (await origin.getByText(/^python3 -S job\.py /).textContent()).split(" ")[3];
  const [download] = await Promise.all([page.waitForEvent("download"), panel("Output files").getByRole("link", { name: "Download" }).click()]);
  equal("the name of a downloaded file", download.suggestedFilename(), "note.txt");
  const text = readFileSync(await download.path(), "utf8");
  if (!/^lr is \d/.test(text) || Number(text.slice(6)) !== Number(lr)) found.push(`a downloaded file of lr = ${lr}: ${text}`);
});

await check("The small map of the graph, and the whole of it again", async () => {
  const nodes = Array.from({ length: 60 }, (_, i) => ({ id: `N${i}`, type: i % 2 ? "insight" : "decision", title: `Node ${i}`, parents: i ? [`N${Math.floor((i - 1) / 2)}`] : [], fields: {}, alternatives: [], evidence: [], experiment: null, hypothesis: null }));
  await page.route(`**/api/v1/studies/${tuned}/graph`, (route) => route.fulfill({ json: { nodes } }));
  await go(`studies/${tuned}/graph`);
  await page.locator("#node-N0, canvas.boxes:not([hidden])").first().waitFor();
  const camera = () => page.locator(".graph .picture > g").getAttribute("transform");
  const frame = () => page.locator(".minimap .frame").boundingBox();
  const moved = async (before, how) => {
    for (let i = 0; i < 50 && (await camera()) === before; ++i) await page.waitForTimeout(20);
    if ((await camera()) === before) throw Error(`${how} moves nothing`);
  };
  await page.waitForTimeout(200);
  await page.getByRole("button", { name: "Fit" }).click();
  await page.waitForTimeout(200);
  const whole = await camera();
  // Nearer, then to another place, which the frame of the map follows.
  equal("small maps of what is seen as a whole", await page.locator(".minimap:visible").count(), 0);
  await page.locator(".graph").hover({ position: { x: 300, y: 200 } });
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await moved(whole, "the wheel");
  await page.waitForTimeout(100);
  const near = await frame();
  const inked = await page.locator(".minimap canvas").evaluate((map) => map.getContext("2d").getImageData(0, 0, map.width, map.height).data.filter((_, i) => i % 4 === 3).reduce((sum, alpha) => sum + (alpha > 0), 0));
  at_least("points of the small map that are drawn", inked, 60);
  const map = await page.locator(".minimap canvas").boundingBox();
  at_least("the width of the frame", near.width, 5);
  const before = await camera();
  await page.locator(".minimap").click({ position: { x: 0.8 * map.width, y: 0.5 * map.height } });
  await moved(before, "a click on the map");
  await page.waitForTimeout(100);
  const there = await frame();
  if (!(there.x > near.x)) found.push(`the frame of the map does not follow: ${near.x} to ${there.x}`);
  await page.getByRole("button", { name: "Fit" }).click();
  await page.waitForTimeout(200);
  equal("the whole graph again", await camera(), whole);
  equal("small maps of the whole graph", await page.locator(".minimap:visible").count(), 0);
});

await check("An answer of a model grows as it comes", async () => {
  await page.addInitScript((id) => {
    window.sources = [];
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      constructor(address) {
        super();
        this.address = address;
        if (address.includes(`/studies/${id}/events`)) window.sources.push(this);
        setTimeout(() => this.onopen?.());
      }
      close() { window.sources = window.sources.filter((one) => one !== this); }
    };
  }, gated);
  const asked = [];
  const line = "hypothesis-1";
  const call = (answer) => ({ by: "agent", seq: 4, text: "", anew: false, model: "mock-1", thoughts: "", tokens: 12, usd: 0, calls: [{ tool: "read_file", arguments: "{}", answer, refused: false }] });
  let steps = [{ by: "system", seq: 3, text: "Propose.", anew: false }, { by: "user", seq: 3, text: "What is cheaper?", anew: false }, call(null)];
  const summary = () => ({ line, role: "hypothesis", tokens: 12, usd: 0, unanswered: 0, ended: null, ending: "" });
  await page.route(`**/api/v1/studies/${gated}/conversations`, (route) => route.fulfill({ json: { items: [{ ...summary(), steps: steps.length }], cursor: null } }));
  await page.route(`**/api/v1/studies/${gated}/conversations/${line}?*`, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("from"));
    asked.push(from);
    return route.fulfill({ json: { ...summary(), from, steps: steps.slice(from) } });
  });
  await go(`studies/${gated}/agents`);
  await page.reload();
  const talk = page.getByRole("region", { name: `Conversation ${line}` });
  await talk.getByText("This conversation goes on.").waitFor();
  await page.waitForFunction(() => window.sources.some((one) => one.address.includes("text=true")));
  // On a busy machine the page is still asking for the study, and opens its stream again afterwards.
  await page.waitForLoadState("networkidle");
  const say = (type, data) => page.evaluate(([type, data]) => {
    for (const one of window.sources) if (type !== "text" || one.address.includes("text=true")) one.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
  }, [type, data]);
  const growing = talk.locator("li.step", { hasText: "is answering" });
  equal("answers that grow before a word came", await growing.count(), 0);
  await say("text", { line, text: "Fast is <b>" });
  await growing.locator(".said").getByText("Fast is <b>", { exact: true }).waitFor();
  await say("text", { line: "another-1", text: "of another conversation" });
  await say("text", { line, text: "cheaper</b>" });
  await growing.locator(".said").getByText("Fast is <b>cheaper</b>", { exact: true }).waitFor();
  // The whole answer takes its place; only the steps that can have changed are asked for.
  steps = [...steps.slice(0, 2), call("the file"), { ...call(null), text: "Fast is <b>cheaper</b>, I think.", calls: [] }];
  const before = asked.length;
  await say("ModelAnswered", { study: gated, type: "ModelAnswered", payload: {} });
  await talk.getByText("Fast is <b>cheaper</b>, I think.").waitFor();
  await growing.waitFor({ state: "detached" });
  equal("steps that are shown", await talk.locator("li.step").count(), 4);
  equal("the first step that is asked for again", asked.slice(before), [2]);
});

await check("Compared studies list a line for each level", async () => {
  await go(`compare/${tuned}/${gated}`);
  const settings = panel("Settings that differ");
  await settings.getByText(/other settings$/).click();
  await settings.getByRole("row", { name: "factor lr, level 1 0.0001 –", exact: true }).waitFor();
  await settings.getByRole("row", { name: "factor arm, level 2 – fast", exact: true }).waitFor();
  const raw = (await settings.locator("th code").allTextContents()).filter((name) => /^factors\.|value\.(number|text)$/.test(name));
  equal("raw paths of levels", raw, []);
});

await check("A smoothing that there is not is none", async () => {
  await go(`studies/${tuned}/charts?smooth=7`);
  await page.locator(".curves[data-drawn]").waitFor();
  equal("the smoothing", await page.getByLabel("Smoothing").inputValue(), "0");
});

await browser.close();
for (const one of found) console.log(one);
