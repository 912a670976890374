// The page with answers that its server rarely gives: page_mocked.mjs FOLDER. Reads one JSON object from stdin: the link, and
// a study that has ended, one arm of which failed. Answers are those of the server with some parts replaced. Prints what it
// found wrong, a line each; screenshots go into FOLDER.
import { readFileSync } from "node:fs";

import { mocked, opened } from "./browser_checks.mjs";

const folder = process.argv[2];
const { link, study } = JSON.parse(readFileSync(0, "utf8"));

const { browser, page, found, look, go, panel } = await opened(folder);
page.on("dialog", (d) => { found.push(`a dialog: ${d.message()}`); void d.dismiss(); });

const { get, equal, mock, check } = mocked({ page, found, folder, go });

await page.goto(link);
await page.locator("tr.study").first().waitFor();
const failed = (await get(`/studies/${study}/runs?state=failed`)).items[0];

/// A failed run whose stderr is `text`; the pieces of its log that are shown: their text and look.
const printed = async (text) => {
  await page.unroute(/\/log\?/);
  await page.route(/\/log\?/, (route) => route.fulfill({ body: text, contentType: "text/plain; charset=utf-8" }));
  await go(`studies/${study}/claims`);
  await panel("Claims").waitFor();
  await go(`runs/${failed.id}/stderr`);
  const log = page.getByRole("log", { name: "What it printed (stderr)" });
  await log.waitFor();
  await page.waitForFunction(() => document.querySelector("pre.log[role=log]").textContent !== "(nothing)");
  return log;
};
const looks = (log) => log.evaluate((pre) => [...pre.querySelectorAll("span")].map((one) => [one.textContent, one.className.replace(/ ?\b(tinted error-line|error-begins)\b/g, "")]).filter(([, look]) => look));
const top_of = (log, words) => log.evaluate((pre, sought) => {
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const at = node.textContent.lastIndexOf(sought);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + sought.length);
    return Math.round(range.getBoundingClientRect().top - pre.getBoundingClientRect().top);
  }
  return null;
}, words);

await check("Colours in a log", async () => {
  const esc = "\x1b[";
  const log = await printed([
    `${esc}31mred${esc}0m ${esc}1;92mbright bold green${esc}22m not bold${esc}m plain`,
    `${esc}38;5;208morange of 256${esc}39m ${esc}38;2;40;80;220mtrue blue${esc}0m ${esc}38:2::200:40:200mmagenta with colons${esc}0m`,
    `${esc}43;30mon yellow${esc}49m ${esc}0;7minverse${esc}27m ${esc}90mgrey${esc}0m${esc}4:3mcurly${esc}0m${esc}58;5;1mplain${esc}0m`,
    `${esc}2K${esc}1A${esc}?25l\x1b]0;a title\x07\x1b]8;;http://example.org\x1b\\a link\x1b]8;;\x1b\\\x1b(B\x1b7\x07 tab\tend`,
    `10 %\r20 %\r${esc}36m30 %${esc}0m\r`,
    `\x1b]0;a title without an end`,
    `<b>no markup</b> ${esc}999;38;5mkept${esc}0m ${esc}31`,
  ].join("\n"));
  equal("the text of a log", await log.textContent(), [
    "red bright bold green not bold plain", "orange of 256 true blue magenta with colons", "on yellow inverse greycurlyplain", "a link tab\tend",
    "10 %", "20 %", "30 %", "0;a title without an end", "<b>no markup</b> kept ",
  ].join("\n"));
  equal("the looks of a log", await looks(log), [
    ["red", "ink-red"], ["bright bold green", "ink-green bold"], [" not bold", "ink-green"],
    ["orange of 256", "ink-yellow"], ["true blue", "ink-blue"], ["magenta with colons", "ink-magenta"],
    ["on yellow", "ink-plain tinted on-yellow"], [" ", "ink-plain"], ["inverse", "ink-plain tinted on-grey"], ["grey", "ink-grey"],
    ["curly", "underlined"], ["30 %", "ink-cyan"],
  ]);
  // A mark covers letters of several colours.
  await page.getByLabel("Find").fill("ED BRIGHT");
  await log.locator("mark.current", { hasText: "ed bright" }).locator(".ink-green").waitFor();
  equal("the marked pieces", await log.locator("mark").evaluateAll((marks) => marks.map((one) => one.textContent)), ["ed bright"]);
  for (const theme of ["light", "dark"]) {
    await page.getByLabel("Colours").selectOption(theme);
    await look(`log-colours-${theme}`);
  }
  await page.getByLabel("Colours").selectOption("light");
});

await check("A log opens where its error is", async () => {
  const many = (what, count) => Array.from({ length: count }, (_, i) => `${what} ${i}, error=0.${i}`);
  const trace = ["\x1b[31mTraceback (most recent call last):\x1b[0m", '  File "train.py", line 9, in <module>', "    train()", "ValueError: the loss is not a number"];
  const log = await printed([...many("step", 300), ...trace, ...many("cleaning up", 10), "srun: error: task 0", ...many("afterwards", 300)].join("\n"));
  equal("the line of the error", await log.locator(".error-line").allTextContents(), [trace.at(-1)]);
  await page.waitForFunction(() => document.querySelector("pre.log[role=log]").scrollTop > 0);
  const height = (await log.boundingBox()).height;
  const first = await top_of(log, "Traceback");
  if (!(first >= 0 && first < height / 4)) found.push(`the traceback stands ${first} px below the top of its log of ${height} px`);
  const later = await printed([...many("step", 300), ...trace, ...many("afterwards", 300), "Fatal: no room on the disk", ...many("cleaning up", 300)].join("\n"));
  equal("the line of a later error", await later.locator(".error-line").allTextContents(), ["Fatal: no room on the disk"]);
  const fatal = await top_of(later, "Fatal");
  if (!(fatal >= 0 && fatal < height / 4)) found.push(`the error stands ${fatal} px below the top of its log`);
  // Without an error, where it ended.
  const none = await printed(many("step", 300).join("\n"));
  equal("errors that are none", await none.locator(".error-line").count(), 0);
  await page.waitForFunction(() => { const log = document.querySelector("pre.log[role=log]"); return log.scrollTop + log.clientHeight >= log.scrollHeight - 2 && log.scrollTop > 0; });
});

await check("Both streams as one log", async () => {
  let blobs = { stdout: "00", stderr: "00", log_order: "00" };
  await mock(`/runs/${failed.id}`, (run) => ({ ...run, blobs: { ...run.blobs, ...blobs } }));
  await printed("of one stream");
  const merged = ["out: \x1b[32mgreen", "err: \x1b[1mloud", "err: err: still loud\x1b[0m", "out: still green", "err: <b>plain</b>", ""].join("\n");
  await page.unroute(/\/log\?/);
  await page.route(/\/log\?/, (route) => (new URL(route.request().url()).searchParams.get("stream") === "both"
    ? route.fulfill({ body: merged, contentType: "text/plain; charset=utf-8" })
    : route.fulfill({ body: "of one stream", contentType: "text/plain; charset=utf-8" })));
  await page.getByRole("group", { name: "Which stream" }).getByRole("button", { name: "both" }).click();
  const log = page.getByRole("log", { name: "What it printed (both streams)" });
  await log.getByText("still green").waitFor();
  equal("the turns of a merged log", await log.locator(":scope > span").evaluateAll((turns) => turns.map((one) => [one.className, one.textContent, getComputedStyle(one, "::before").content])), [
    ["of-out", "green\n", "none"], ["of-err", "loud\nerr: still loud\n", '"err"'], ["of-out", "still green\n", "none"], ["of-err", "<b>plain</b>\n", '"err"']]);
  equal("its colours, which stay with their stream", await log.evaluate((pre) => [...pre.querySelectorAll("span > span")].map((one) => [one.textContent, one.className.replace(/ ?\b(tinted error-line|error-begins)\b/g, "")])), [
    ["green\n", "ink-green"], ["loud\nerr: still loud", "bold"], ["still green\n", "ink-green"]]);
  // Each line takes the height of one: a turn adds no empty line.
  const [height, line] = await log.evaluate((pre) => [[...pre.children].reduce((sum, one) => sum + one.getBoundingClientRect().height, 0), pre.children[0].getBoundingClientRect().height]);
  if (Math.abs(height - 5 * line) > 2) found.push(`five lines of a merged log are ${height} px high, one is ${line} px`);
  await page.getByLabel("Find").fill("still");
  await page.getByText("Found 2 times in both streams").waitFor();
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await look(`log-of-both-${theme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  // Of an older run the order is not known.
  blobs = { stdout: "00", stderr: "00", log_order: undefined };
  await printed("of one stream");
  await page.getByRole("group", { name: "Which stream" }).getByRole("button", { name: "both" }).click();
  for (const stream of ["stdout", "stderr"]) await page.getByRole("log", { name: `What it printed (${stream})` }).getByText("of one stream").waitFor();
});

await check("A hostile log stays text", async () => {
  const hostile = '<script>document.title="taken"</script><img src=x onerror=alert(1)>\x1b[31m</span><mark>"onclick=alert(1)\x1b[38;5;999999999999m\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07\u202e\0';
  const log = await printed(`${hostile}\n${"\x1b[1mx\x1b[31mx\x1b[m".repeat(25_000)}\nlast line`);
  const text = await log.textContent();
  if (!text.startsWith('<script>document.title="taken"</script><img src=x onerror=alert(1)></span><mark>"onclick=alert(1)link')) found.push(`the hostile log: ${text.slice(0, 200)}`);
  if (!text.endsWith("xxx\nlast line")) found.push("the end of the hostile log is lost");
  equal("elements of a hostile log", await log.locator(":not(span)").count(), 0);
  const spans = await log.locator("span").count();
  if (spans > 20_010) found.push(`a hostile log makes ${spans} elements`);
  if ((await page.title()) === "taken") found.push("a log became a script");
  if (text.includes("\u202e") || !text.includes("link\\u202e\n")) found.push("a character that turns the text acts in a log");
});

/// So many runs, as columns of the list say.
const of_study = (changes) => mock(`/studies/${study}`, (now) => ({ ...now, ...changes, runs: { ...now.runs, ...changes.runs } }));

await check("Failures of more runs than the page loads", async () => {
  const causes = [
    { fingerprint: "exit status 1: <b>IndexError</b>", runs: 2500, first: failed.id, reason: null },
    { fingerprint: "exit status 2: no room", runs: 3, first: "s9-r7777", reason: "no room <i>left</i>" },
  ];
  await of_study({ runs: { failed: 2503, timed_out: 0, invalid: 0, lost: 4, total: 9000 } });
  await mock(`/studies/${study}/failures`, () => ({ items: causes, cursor: null }));
  await page.route("**/runs/s9-*/log?*", (route) => route.fulfill({ body: "no room on \x1b[31mthe disk\x1b[0m", contentType: "text/plain" }));
  const numbers = [];
  await mock(`/studies/${study}/runs?*`, (answer, { searchParams }) => {
    if (searchParams.has("numbers")) {
      numbers.push(searchParams.get("numbers"));
      return { items: [{ ...failed, id: "s9-r7777", number: 7777, fingerprint: causes[1].fingerprint, seed: 4242, factors: { arm: "other" }, exit: 2 }], cursor: null };
    }
    const many = Array.from({ length: 998 }, (_, i) => ({ ...failed, number: i + 1, id: `s9-r${i + 1}`, fingerprint: causes[0].fingerprint, factors: { arm: i % 5 ? "broken" : "slow" } }));
    const lost = [1, 2].map((i) => ({ ...failed, number: 998 + i, id: `s9-r${998 + i}`, fingerprint: null, state: "lost", reason: "its process is gone", exit: null }));
    return { items: [{ ...failed, fingerprint: causes[0].fingerprint }, ...many.slice(1), ...lost], cursor: "1000" };
  });
  await go(`studies/${study}/failures`);
  const failures = panel("2,507 runs failed");
  const of = (n) => failures.locator(".cause").nth(n);
  await of(0).getByText("2,500 runs").waitFor();
  await of(0).locator("h3", { hasText: "exit status 1" }).waitFor();
  await of(0).locator("dd", { hasText: "arm = broken (799); arm = slow (199) of the first 1,000 failed runs" }).waitFor();
  await of(0).getByText("IndexError: row 4097 is out of range").waitFor();
  await of(0).getByText(`etude try --run ${failed.id}`, { exact: true }).waitFor();
  await of(1).locator("h3", { hasText: "3 runs exit status 2" }).waitFor();
  await of(1).locator("dd", { hasText: "s9-r7777, its log" }).getByText("seed 4242").waitFor();
  await of(1).locator("dd", { hasText: "arm = other" }).waitFor();
  await of(1).locator("pre .ink-red", { hasText: "the disk" }).waitFor();
  await of(2).locator("h3", { hasText: "2 runs its process is gone" }).waitFor();
  await failures.getByText("2 other runs failed without a recorded cause").waitFor();
  equal("runs that were asked for", numbers, ["7777"]);
  await go(`studies/${study}/overview`);
  await failures.getByRole("link", { name: "All 3 reasons" }).waitFor();
  await of(1).locator("pre .ink-red").waitFor();
});

await check("Means by cell of more runs than the page loads", async () => {
  await of_study({ runs: { total: 1001 } });
  await go("");
  await page.locator("tr.study").first().waitFor();
  await go(`studies/${study}/overview`);
  const cells = panel("cost by cell");
  const { items: all } = await get(`/studies/${study}/cells`);
  const runs = (await get(`/studies/${study}/runs?limit=1000&state=succeeded`)).items.filter((run) => run.evidence);
  for (const cell of all) {
    const values = runs.filter((run) => JSON.stringify(run.factors) === JSON.stringify(cell.factors)).map((run) => run.metrics.cost).sort((x, y) => x - y);
    equal("the runs of a cell", cell.n, values.length);
    equal("its mean", cell.mean.toFixed(9), (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(9));
    equal("its ends", [cell.quartiles[0], cell.quartiles[4]], [values[0], values.at(-1)]);
  }
  if (all.length < 2) found.push(`only ${all.length} cells`);
  await cells.locator("tbody tr").nth(all.length - 1).waitFor();
  equal("boxes", await cells.locator("svg.points rect").count(), all.length);
  equal("single runs", await cells.locator("svg.points circle").count(), 0);
  await look("cells-summarised");
});

await check("What a hypothesis claims is drawn for each direction", async () => {
  const now = await get(`/studies/${study}`);
  const of = (id, direction, margin) => ({ ...now.hypotheses[0], id, kind: "compare", direction, margin, value: null, effect: -1, effect_relative: null, interval: [-2, 0.5], interval_relative: null });
  const hypotheses = [of("H1", "not_worse", { absolute: 1 }), of("H2", "different", { absolute: 0.5 }), of("H3", "different", null), of("H4", "equal", { absolute: 1 })];
  const regions = (id) => page.locator(`#h-${id} svg.forest rect.claimed`).evaluateAll((all) => all.map((one) => [one.x.baseVal.value, one.x.baseVal.value + one.width.baseVal.value].map(Math.round)));
  for (const goal of ["minimize", "maximize"]) {
    await of_study({ hypotheses, metrics: now.metrics.map((metric) => ({ ...metric, goal })) });
    await go("");
    await page.locator("tr.study").first().waitFor();
    await go(`studies/${study}/overview`);
    await page.locator("#h-H4 svg.forest").waitFor();
    const [from, to] = (await regions("H1"))[0];
    equal(`not worse, ${goal}`, [from === 0, to === 240], goal === "minimize" ? [true, false] : [false, true]);
    for (const [id, count] of [["H1", 1], ["H2", 2], ["H3", 0], ["H4", 1]]) equal(`regions of ${id}`, (await regions(id)).length, count);
    const both = await regions("H2");
    equal("either side", [both[0][0], both[1][1], both[0][1] < both[1][0]], [0, 240, true]);
  }
});

await check("The list is honest about every state", async () => {
  const listed = (await get("/studies?limit=1")).items[0];
  const good = { ...listed.runs, succeeded: 8, failed: 0, timed_out: 0, invalid: 0, lost: 0 };
  const ended = { state: "ended", outcome: "concluded", gates: [], runs: good, verdicts: { supported: 2 } };
  const running = { ...ended, state: "running", stage: "confirming", outcome: null, ended: null, verdicts: { open: 2 } };
  const states = [
    ["✓ concluded", "good", ended],
    ["~ concluded, 1 of 3 inconclusive", "warn", { ...ended, verdicts: { supported: 1, refuted: 1, inconclusive: 1, withdrawn: 1 } }],
    ["! concluded, 3 runs failed", "warn", { ...ended, runs: { ...good, failed: 2, lost: 1 } }],
    ["✗ failed: no run succeeded", "bad", { ...ended, runs: { ...good, succeeded: 0, failed: 8 } }],
    ["– concluded without a verdict", "quiet", { ...ended, verdicts: {} }],
    ["✗ failed", "bad", { ...ended, outcome: "failed" }],
    ["– cancelled", "quiet", { ...ended, outcome: "cancelled", verdicts: { open: 2 } }],
    ["! waiting for approval", "warn", { ...running, state: "waiting", gates: [{ id: "g1", on: "hypotheses", what: "the design", opened: listed.opened, decision: null, why: null, by: null, tool: null, arguments: null }] }],
    ["‖ paused (budget)", "warn", { ...running, state: "paused", reason: "budget", limit: "runs" }],
    ["‖ paused for a provider", "warn", { ...running, waiting: [{ on: "provider", why: "model m is out of reach" }] }],
    ["▸ waiting for a batch", "live", { ...running, waiting: [{ on: "batch", why: "200 calls" }] }],
    ["■ stopped", "warn", { ...running, stopped: true }],
    ["▸ running", "live", running],
  ].map(([words, tone, changes], i) => ({ words, tone, study: { ...listed, reason: null, ...changes, id: `s${901 + i}`, title: `In state ${i}` } }));
  await mock("/studies?*", (now) => ({ ...now, items: states.map(({ study }) => study), total: states.length, cursor: null }));
  await mock("/health", (now) => ({ ...now, studies: states.filter(({ study }) => !study.stopped).map(({ study }) => study.id) }));
  await go(`studies/${study}/ledger`);
  await page.getByRole("link", { name: "ledger", exact: true }).waitFor();
  await go("");
  await page.getByText("In state 12").waitFor();
  await page.locator("tr.study", { hasText: "In state 11" }).locator(".pill.warn", { hasText: "stopped" }).waitFor(); // Once /health has answered.
  const colours = new Map();
  for (const [i, { words, tone }] of states.entries()) {
    const pill = page.locator("tr.study").nth(i).locator('[data-name="state"] .pill');
    equal(`state ${i}`, [await pill.textContent(), await pill.getAttribute("class")], [words, `pill ${tone}`]);
    const colour = await pill.evaluate((one) => getComputedStyle(one).color);
    equal(`the colour of ${tone}`, colours.get(tone) ?? colour, colour);
    colours.set(tone, colour);
  }
  equal("tones with a colour of their own", new Set(colours.values()).size, 5);
  await page.locator("tr.study").nth(11).getByText("Continue it: etude resume s912.").waitFor();
  await page.locator("tr.study").nth(8).getByText("etude resume s909 --budget runs=N").waitFor();
  await look("states");
});

await check("Hostile levels and metrics stay text, also in the CSV", async () => {
  const formula = "=cmd|' /C calc'!A1", markup = "<img src=x onerror=alert(1)>";
  const now = await get(`/studies/${study}`);
  await of_study({ metrics: [{ ...now.metrics[0], name: formula, unit: null }, { ...now.metrics[0], name: markup, unit: "@SUM(1)", primary: false }] });
  const levels = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", 'a "quoted", one', "-5"];
  await mock(`/studies/${study}/runs?*`, (answer) => ({
    cursor: null,
    items: levels.map((arm, i) => ({ ...answer.items[0], number: i + 1, id: `s9-r${i + 1}`, state: "succeeded", withheld: false, factors: { "=arm": arm }, metrics: { [formula]: -1.5, [markup]: i } })),
  }));
  await go(`studies/${study}/ledger`);
  await go(`studies/${study}/runs`);
  const table = page.getByRole("region", { name: "Runs", exact: true });
  await table.getByRole("cell", { name: "=1+1", exact: true }).waitFor();
  await table.getByRole("columnheader", { name: markup }).waitFor();
  const csv = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
    return readFileSync(await download.path(), "utf8").split("\r\n");
  };
  const [head, ...rows] = await csv();
  equal("the head of the CSV", head, `run,state,'=arm,seed,'${formula},${markup} (@SUM(1)),wall,for`);
  const fields = ["'=1+1", "'+1+1", "'-2+3", "'@SUM(A1)", "'\t=1", '"a ""quoted"", one"', "-5"];
  for (const [i, wanted] of fields.entries()) if (!rows[i].startsWith(`s9-r${i + 1},succeeded,${wanted},${failed.seed},-1.5,${i},`)) found.push(`row ${i} of the CSV: ${rows[i]}`);
  await page.getByLabel("Group by").selectOption("cell");
  await table.getByRole("row", { name: /^=arm = =1\+1 / }).waitFor();
  const [grouped] = await csv();
  equal("the head of the grouped CSV", grouped, `cell,runs,succeeded,mean ${formula},sd ${formula},n ${formula},mean ${markup} (@SUM(1)),sd ${markup} (@SUM(1)),n ${markup} (@SUM(1)),mean wall,sd wall,n wall`);
  if (await page.locator("main img").count()) found.push("the name of a metric became markup");
});

await check("Characters that turn the text stand as text", async () => {
  const turning = "\u202egnp.exe \u2066a\u2069\u200f", shown = "\\u202egnp.exe \\u2066a\\u2069\\u200f";
  await of_study({ title: turning, question: "Which?" });
  await go(`studies/${study}/ledger`);
  await page.getByRole("heading", { name: shown, exact: true }).waitFor();
  // The same, as an escape sequence of JSON; one whose backslash is escaped is text already.
  await page.unrouteAll({ behavior: "wait" });
  await page.route(`**/api/v1/studies/${study}`, async (route) => {
    const now = await (await route.fetch()).json();
    await route.fulfill({ contentType: "application/json", body: JSON.stringify({ ...now, title: "TITLE" }).replace('"TITLE"', String.raw`"a \u202Eb \\u202e c"`) });
  });
  await go("");
  await page.locator("tr.study").first().waitFor();
  await go(`studies/${study}/ledger`);
  await page.getByRole("heading", { name: String.raw`a \u202Eb \u202e c`, exact: true }).waitFor();
});

await check("A failed study says first why", async () => {
  const now = await get(`/studies/${study}`);
  const unjudged = { ...now.hypotheses[0], verdict: "inconclusive", effect: null, reason: "Not judged: the arm was stopped (exit status 1; the end of its stderr: File /tmp/a/b | IndexError)" };
  await of_study({ outcome: "failed", manipulation_check_skipped: true, hypotheses: [unjudged] });
  await go("");
  await page.locator("tr.study").first().waitFor();
  await go(`studies/${study}/overview`);
  const answer = panel("Answer");
  await answer.locator("p.answer", { hasText: "The study failed, so the question is not answered." }).locator("code", { hasText: "IndexError: row 4097 is out of range" }).waitFor();
  await answer.locator("p", { hasText: /Not judged: the arm was stopped \(exit status 1\)$/ }).waitFor();
  await page.getByRole("region", { name: "Warnings" }).getByText("The manipulation check was skipped (design.smoke: false): nothing shows that the parameters act.").waitFor();
  await go(`studies/${study}/hypotheses`);
  await page.getByText("Why, and what is compared").first().click();
  await page.getByText(/the end of its stderr: File \/tmp\/a\/b \| IndexError/).waitFor();
});

await check("A term says what it means, by mouse and by keyboard", async () => {
  await go(`studies/${study}/overview`);
  const dialog = page.getByRole("dialog");
  for (const [name, meaning] of [["p", /^how probable a result at least this strong is/], ["n", /^the number of units that a test counted/]]) {
    const term = panel("Effects").getByRole("button", { name, exact: true }).first();
    await term.focus();
    await page.keyboard.press("Enter");
    await dialog.getByText(meaning).waitFor();
    await look(`term-${name}`);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  }
});

await check("Levels stand behind intervals, each row with its own", async () => {
  const now = await get(`/studies/${study}`);
  const of = (id, level) => ({ ...now.hypotheses[0], id, effect: 0.571, effect_relative: null, interval: [0.534, 0.615], interval_relative: null, level });
  await of_study({ hypotheses: [of("H1", 0.9), of("H2", 0.975)] });
  await go("");
  await page.locator("tr.study").first().waitFor();
  await go(`studies/${study}/hypotheses`);
  await page.locator("#h-H1").getByText(/^0\.571 s \[0\.534, 0\.615\] at 90 %$/).waitFor();
  await page.locator("#h-H2").getByText(/^0\.571 s \[0\.534, 0\.615\] at 97\.5 %$/).waitFor();
});

await check("Models that work on a study get messages, and others do not", async () => {
  let agents = "builtin";
  await mock(`/studies/${study}/opening`, (now) => ({ ...now, spec: { ...now.spec, agents } }));
  await of_study({ state: "running", outcome: null, ended: null, stage: "proposing", steering: [] });
  for (const [name, fields] of [["builtin", 0], ["default", 1]]) {
    agents = name;
    await go("");
    await page.locator("tr.study").first().waitFor();
    const asked = page.waitForResponse((response) => response.url().includes("/opening"));
    await go(`studies/${study}/ledger`);
    await asked;
    await page.waitForTimeout(200);
    equal(`fields for messages to ${name}`, await page.getByLabel("Message to the agents").count(), fields);
  }
});

await check("A stream that a proxy refuses is opened again", async () => {
  let refused = 0;
  await page.route("**/events?*", (route) => (++refused > 2 ? route.continue().catch(() => {}) : route.fulfill({ status: 502, body: "nobody is there" })));
  await go("");
  await page.reload();
  const lost = page.getByText("No connection; trying again");
  await lost.waitFor();
  await lost.waitFor({ state: "detached" });
  found.splice(0, found.length, ...found.filter((one) => !/502|EventSource/.test(one))); // The browser reports it, too.
});

await check("A run is asked for again only after events that concern it", async () => {
  await page.addInitScript((id) => {
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      constructor(address) {
        super();
        if (address.includes(`/studies/${id}/events`)) window.source = this;
        setTimeout(() => this.onopen?.());
      }
      close() {}
    };
  }, study);
  let asked = 0;
  await page.route(`**/api/v1/runs/${failed.id}`, (route) => { ++asked; route.continue().catch(() => {}); });
  await go(`runs/${failed.id}`);
  await page.reload();
  await page.getByRole("heading", { name: `Run ${failed.id}`, exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  const asked_after = async (type, payload) => {
    const before = asked;
    await page.evaluate(([study, type, payload]) => window.source.dispatchEvent(new MessageEvent(type, { data: JSON.stringify({ study, type, payload }) })), [study, type, payload]);
    await page.waitForTimeout(400);
    return asked - before;
  };
  equal("requests after events of others", [await asked_after("RunStarted", { run: failed.number + 1 }), await asked_after("NoteTaken", {})], [0, 0]);
  equal("requests after its own events", [await asked_after("RunStarted", { run: failed.number }), await asked_after("RunsQueued", { runs: [{ number: failed.number }] })], [1, 1]);
  equal("requests after events that uncover values", await asked_after("StudyEnded", {}), 1);
});

await check("Events that follow one another are seen at once", async () => {
  // The page's clock stands still, and the events are ours: one every 20 ms.
  const apart = 20;
  let sent = 0;
  await page.clock.install();
  await page.addInitScript((id) => {
    const own = window.fetch;
    window.sources = [];
    window.asked = [];
    window.unanswered = window.slow = 0;
    window.EventSource = class extends EventTarget {
      static CLOSED = 2;
      constructor(address) {
        super();
        if (address.includes(`/studies/${id}/events`)) window.sources.push(this);
        setTimeout(() => this.onopen?.());
      }
      close() { window.sources = window.sources.filter((one) => one !== this); }
    };
    window.fetch = async (...what) => {
      if (what[0] !== `/api/v1/studies/${id}`) return own(...what);
      window.asked.push(performance.now());
      ++window.unanswered;
      const answer = await own(...what);
      const body = await answer.text();
      --window.unanswered;
      if (window.slow) await new Promise((later) => setTimeout(later, window.slow));
      return new Response(body, { status: answer.status });
    };
  }, study);
  await mock(`/studies/${study}`, (now) => ({ ...now, title: `Seen ${sent}` }));
  await go(`studies/${study}/ledger`);
  await page.reload();
  await page.getByRole("heading", { name: "Seen 0" }).waitFor();
  await page.clock.pauseAt(new Date(Date.now() + 3600_000));
  const answered = async () => {
    while (await page.evaluate(() => window.unanswered > 0)) await new Promise((later) => setTimeout(later, 2));
  };
  for (let i = 0; i < 2; ++i) {
    await page.clock.runFor(5000);
    await answered();
  }
  const seen = async () => Number((await page.locator("h1").textContent()).split(" ")[1]);
  const event = async () => {
    ++sent;
    await page.evaluate((of) => window.sources.forEach((one) => one.dispatchEvent(new MessageEvent("RunStarted", { data: JSON.stringify({ study: of, type: "RunStarted", payload: { run: 1 } }) }))), study);
    await page.clock.runFor(apart);
    await answered();
  };
  const stream = async (ms) => {
    await page.evaluate(() => { window.asked = []; });
    const lags = [];
    const values = new Set();
    for (let i = 0; i < ms / apart; ++i) {
      await event();
      const now = await seen();
      values.add(now);
      lags.push((sent - now) * apart);
    }
    return { longest: Math.max(...lags), values: values.size, asked: await page.evaluate(() => window.asked.length) };
  };
  const quick = await stream(2000);
  if (quick.longest > 100 + apart) found.push(`an event is shown ${quick.longest} ms later`);
  if (quick.asked > 21 || quick.asked < 15) found.push(`the study is asked for ${quick.asked} times in two seconds`);
  await page.clock.runFor(1000);
  await page.getByRole("heading", { name: `Seen ${sent}`, exact: true }).waitFor();
  // A server that takes 300 ms is asked less often, and what it says is shown while events come.
  await page.evaluate(() => (window.slow = 300));
  const slow = await stream(3000);
  if (slow.asked > 6) found.push(`a slow server is asked ${slow.asked} times in three seconds`);
  if (slow.values < 4) found.push(`of a slow server's answers ${slow.values} are shown`);
});

await browser.close();
for (const one of found) console.log(one);
