// Asks the page of a server the questions of a person who has ten seconds: page_answers.mjs FOLDER. Reads one JSON object
// from stdin: the link, and the ids of four studies: `arms` (ended, one arm fails), `tuned` (a search), `gated` (waits for
// an approval) and `running`. Prints the command that runs a failed run by hand, then what it found wrong, a line each;
// screenshots go into FOLDER.
import { readFileSync, writeFileSync } from "node:fs";

import { best_of, opened, script_timer } from "./browser_checks.mjs";
import { odd_answers } from "./odd_curves.mjs";

const folder = process.argv[2];
const { link, arms, tuned, gated, running } = JSON.parse(readFileSync(0, "utf8"));
let command = "";

const { browser, page, cdp, found, look, look_everywhere, go, panel } = await opened(folder);

/// A question, and what answers it; the answer that is missing is named.
const ask = async (question, answer) => {
  try {
    await answer();
  } catch (error) {
    found.push(`${question} ${error.message.split("\n").slice(0, 4).join(" ")}`);
    await page.screenshot({ path: `${folder}/unanswered.png`, fullPage: true });
  }
};

try {
  await page.goto(link);
  await page.locator("tr.study").nth(3).waitFor();

  await ask("What must I approve?", async () => {
    await page.locator("tr.study", { hasText: "Noisy arms" }).locator(".pill.warn", { hasText: "waiting for approval" }).waitFor();
    await go(`studies/${gated}`);
    const gate = page.getByRole("region", { name: "Waits for you" });
    await gate.getByText("2 cells × 40 replicates; 85 runs in all").waitFor();
    await gate.locator("dd", { hasText: "python3 -S job.py {arm} {seed}" }).waitFor();
    await gate.locator("dd", { hasText: "none: no model has been asked" }).waitFor();
    await gate.getByRole("row", { name: /^H1: Fast costs less than slow\./ }).getByRole("cell", { name: "40", exact: true }).waitFor();
    await gate.getByRole("button", { name: "Approve" }).waitFor();
    await look_everywhere("gate-allows");
    await page.locator(".head .pill.warn", { hasText: "waiting for approval" }).waitFor();
    await go("");
  });

  await ask("Is the list honest?", async () => {
    const card = page.locator("tr.study", { hasText: "Three arms" });
    await card.locator(".pill.warn", { hasText: "concluded, 1 of 2 inconclusive" }).waitFor();
    await card.getByText(/^[234] failed$/).waitFor();
    if (await card.locator(".pill.good", { hasText: "concluded" }).count()) found.push("a study with failed runs is green");
    await look_everywhere("answers-list");
  });

  await go(`studies/${arms}`);
  await ask("Which arm won and by how much?", async () => {
    const text = await panel("Answer").locator(".answer").first().textContent();
    if (!/supported H1 cost is [56]\d(\.\d+)? % lower with arm = fast than with arm = slow \[[\d.]+ %, [\d.]+ %\] at 9\d(\.\d+)? %\.$/.test(text)) throw Error(text);
    await panel("Effects").locator("svg.forest .claimed").first().waitFor();
    await panel("Effects").locator("svg.axis text").first().waitFor();
    await panel("cost by cell").getByRole("row", { name: /arm = fast .* 4$/ }).waitFor();
  });
  await ask("Is anything wrong with this evidence?", async () => {
    await page.getByText(/concluded, 1 of 2 inconclusive/).first().waitFor();
    await panel(/runs? failed for one reason/).first().waitFor();
  });
  await ask("Why did it fail?", async () => {
    await panel("Answer").locator("p", { hasText: "H2 Not judged: the arm arm=broken was stopped" }).waitFor();
    const failures = panel(/runs? failed for one reason/);
    await failures.getByRole("region", { name: /^Last lines of / }).getByText("IndexError: row 4097 is out of range").waitFor();
    await failures.getByText(/^arm = broken \(\d\)$/).waitFor();
  });
  await ask("How do I run that again?", async () => {
    command = await page.locator(".command code").first().textContent();
  });
  await look_everywhere("overview");
  await ask("What is not decided?", async () => {
    await go(`studies/${arms}/claims`);
    await panel("Claims").locator(".claim .pill.inconclusive", { hasText: "~ inconclusive" }).waitFor();
    await go(`studies/${arms}`);
    await panel("Answer").waitFor();
  });
  await ask("Where does the log say it?", async () => {
    await page.getByRole("link", { name: "failures", exact: true }).click();
    await look_everywhere("failures");
    await page.getByRole("link", { name: /, its log$/ }).click();
    const log = page.getByRole("log", { name: "What it printed (stderr)" });
    await log.getByText("IndexError: row 4097 is out of range").waitFor();
    await page.waitForFunction(() => { const log = document.querySelector(".log"); return log.scrollTop + log.clientHeight >= log.scrollHeight - 2; });
    await look_everywhere("run-failed");
    await page.getByLabel("Find").fill("indexerror");
    await log.locator("mark.current", { hasText: "IndexError" }).waitFor();
  });

  await ask("Which learning rate?", async () => {
    await go(`studies/${tuned}`);
    await panel("Answer").locator(".answer").getByText(/^Use lr=0\.01: H1 is supported; loss is [\d.]+( %)? lower with lr = 0\.01 than with lr = [\d.]+ \[.*\] at 9\d(\.\d+)? %\.$/).waitFor();
    const sizes = (await panel("Answer").textContent()).match(/lower with lr = 0\.01/g).length;
    if (sizes !== 1) found.push(`the overview of a search says its size ${sizes} times`);
    await page.getByRole("link", { name: "search", exact: true }).click();
    await page.getByRole("img", { name: /^loss of best so far, each run: / }).waitFor();
    const first = page.getByRole("region", { name: "Ranking" }).getByRole("row").nth(1);
    await first.getByText("confirmed on fresh seeds").waitFor();
    await first.getByRole("cell", { name: "0.01", exact: true }).waitFor();
    await look_everywhere("search");
  });

  await ask("Where is the curve?", async () => {
    await page.getByRole("link", { name: "charts", exact: true }).click();
    const chart = page.getByRole("img", { name: /^loss by step: \d+ runs in 5 groups/ });
    await chart.waitFor();
    await page.locator(".curves[data-drawn]").waitFor();
    await page.getByRole("region", { name: "Curves by group" }).getByRole("row", { name: /lr = 0\.01 .*1\.0/ }).waitFor();
    await page.locator(".curves .u-over").hover();
    await page.locator(".tip", { hasText: /^s\d+-r\d+ \(lr = .*, seed \d+\): [\d.]+ at step \d+/ }).waitFor();
    await look_everywhere("charts");
    // With every setting changed, which the address keeps.
    await page.getByLabel("Smoothing").selectOption("0.8");
    await page.getByLabel("log y").check();
    await page.getByLabel("log x").check();
    await page.getByLabel("Along").selectOption("time");
    await page.getByRole("img", { name: /^loss by time in s/ }).waitFor();
    await page.getByLabel("Show lr = 1", { exact: true }).uncheck();
    if (!/smooth=0.8/.test(page.url()) || !/hide=/.test(page.url())) found.push(`the address does not keep the chart: ${page.url()}`);
    await page.getByLabel("Colours").selectOption("dark");
    await page.setViewportSize({ width: 390, height: 844 });
    await look("charts-narrow-dark");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByLabel("Colours").selectOption("light");
  });
  await ask("Are 400 curves quick?", async () => {
    const few = await page.evaluate((id) => fetch(`/api/v1/studies/${id}/curves?limit=1`).then((r) => r.json()), tuned);
    const runs = 400, steps = 1000;
    const of = (value) => Array.from({ length: runs }, (_, i) => value(i));
    const x = Array.from({ length: steps }, (_, i) => i);
    const many = {
      ...few, axis: "step", x, y: of((i) => x.map((s) => 1 / (1 + s * (1 + (i % 5))) + Math.sin(i * 97 + s * 13) / 50)), cursor: null,
      runs: { id: of((i) => `s9-r${i + 1}`), experiment: of(() => null), purpose: of(() => "search"), state: of(() => "succeeded"), evidence: of(() => false), seed: of((i) => i), factors: { lr: of((i) => i % 5) }, points: of(() => steps) },
    };
    await page.route("**/curves?*", (route) => route.fulfill({ json: many }));
    const timed = await script_timer(cdp);
    const draws = [];
    for (let i = 0; i < 3; ++i) {
      await go(`studies/${tuned}/overview`);
      await panel("Answer").waitFor();
      draws.push(await timed(async () => {
        await go(`studies/${tuned}/charts?show=runs`);
        await page.locator('.curves[data-drawn="400"]').waitFor();
      }));
    }
    const times = { draw: Math.min(...draws) };
    const box = await page.locator(".curves .u-over").boundingBox();
    const rounds = 20;
    await page.locator(".curves").press("+");
    await page.mouse.move(box.x + 20, box.y + 100);
    times.hover = await timed(async () => { for (let i = 0; i < rounds; ++i) await page.mouse.move(box.x + 30 + 10 * i, box.y + 150); }) / rounds;
    times.pan = await best_of(timed, rounds, (i) => page.mouse.wheel(i % 2 ? 20 : -15, 0));
    writeFileSync(`${folder}/curve_times.json`, JSON.stringify(times));
    // To draw may take more than twice what it does on an ordinary machine.
    for (const [what, most] of [["draw", 300], ["hover", 8], ["pan", 8]]) if (!(times[what] < most)) found.push(`400 curves: ${what} takes ${times[what]} ms of processor time`);
    if (!(times.hover > 0 && times.pan > 0)) found.push(`400 curves: no time was measured: ${JSON.stringify(times)}`);
    await page.unroute("**/curves?*");
  });

  await ask("Are odd curves drawn?", async () => {
    const like = await page.evaluate((id) => fetch(`/api/v1/studies/${id}/curves?limit=1`).then((r) => r.json()), tuned);
    let sent;
    await page.route("**/curves?*", (route) => route.fulfill({ json: sent }));
    for (const { name, drawn, answer } of odd_answers(like)) for (const axes of ["", "logx=1&logy=1", "logx=1&x=time", "logy=1&smooth=0.9"]) {
      sent = answer;
      await go(`studies/${tuned}/overview`);
      await panel("Answer").waitFor();
      await go(`studies/${tuned}/charts?show=runs&${axes}`);
      const chart = page.locator(".curves[data-drawn]");
      await chart.or(page.getByText(/^No (value can be drawn on these axes|run reported)/)).first().waitFor();
      if (axes) continue; // That nothing is thrown and that it ends is enough.
      // Lines have a colour, and the axes have none.
      const coloured = await page.evaluate(() => {
        const canvas = document.querySelector(".curves canvas");
        if (!canvas) return 0;
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) ++count;
        return count;
      });
      if (answer.x.length > 1 && drawn !== coloured > 50) found.push(`odd curves, ${name}: ${coloured} points of the picture are lines`);
    }
    await page.unroute("**/curves?*");
  });

  await ask("Which runs, and how do they vary?", async () => {
    await go(`studies/${tuned}/runs`);
    const table = page.getByRole("region", { name: "Runs", exact: true });
    await table.locator("td a").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("to the field for words of the view").waitFor();
    await look("keys");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Find a term").fill("dead end");
    await dialog.getByText("1 term", { exact: true }).waitFor();
    await dialog.getByText(/^a refuted hypothesis, one without a relevant effect/).waitFor();
    await dialog.getByLabel("Find a term").fill("zyzzyva");
    await dialog.getByText("No term matches.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("zyzzyva");
    await page.getByText("No run matches.").waitFor();
    await page.getByRole("button", { name: "Clear the conditions" }).click();
    await table.locator("td a").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("lr=0.01 loss<1.5");
    await page.waitForFunction(() => [...document.querySelectorAll(".runs tbody tr")].length > 3 && [...document.querySelectorAll(".runs tbody tr")].every((row) => row.cells[3].textContent === "0.01"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    if ((await page.evaluate(() => document.activeElement?.closest("tr")?.rowIndex)) !== 2) found.push("j does not go to the second row");
    await page.getByLabel("Group by").selectOption("cell");
    await table.getByRole("row", { name: /^lr = 0\.01 \d+ \d+ 1\.0\d* ± 0\.00\d+ / }).waitFor();
    await look_everywhere("runs-grouped");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
    const csv = readFileSync(await download.path(), "utf8").split("\r\n");
    if (csv[0] !== "cell,runs,succeeded,mean loss,sd loss,n loss,mean wall,sd wall,n wall" || !/^lr = 0\.01,\d+,\d+,1\.0/.test(csv[1])) found.push(`CSV: ${csv.slice(0, 2)}`);
    // The address brings the same view back.
    const address = page.url();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.locator("tr.study").first().waitFor();
    await page.goto(address);
    await table.getByRole("row", { name: /^lr = 0\.01 / }).waitFor();
    if ((await page.getByLabel("Find").inputValue()) !== "lr=0.01 loss<1.5") found.push("the address does not keep the search");
  });
  await ask("What does a run consist of?", async () => {
    await page.getByLabel("Group by").selectOption("");
    await page.getByRole("region", { name: "Runs", exact: true }).locator("td a").first().click();
    await panel("Command, code and environment").getByText(/^python3 -S job\.py 0\.01 \d+$/).waitFor();
    await panel("Other runs of this cell").getByRole("row").nth(2).waitFor();
    await panel("Output files").getByRole("button", { name: "Preview" }).click();
    await page.getByRole("region", { name: "note.txt" }).getByText("lr is 0.01").waitFor();
    await page.getByRole("button", { name: "both" }).click();
    await look_everywhere("run-whole");
  });

  await ask("What will it cost until done?", async () => {
    await go(`studies/${running}`);
    await panel("Now").getByText(/[Aa]bout .+ left \(.+ to .+\)/).waitFor();
    await page.locator(".budget", { hasText: "runs" }).getByText(/of 100\b/).waitFor();
    await page.getByRole("list", { name: "Running runs" }).getByText(/^s\d+-r\d+ arm = (slow|fast), since /).first().waitFor();
    if (await page.getByLabel("Message to the agents").count()) found.push("a study without agents has a field for messages to them");
    // Values of registered runs are withheld.
    await panel("Answer").getByText("Values of registered runs are shown once their experiment is analysed.").waitFor();
    for (const name of ["Effects", /by cell$/]) if (await panel(name).count()) found.push(`values are shown before the analysis: ${name}`);
    await look_everywhere("overview-running");
  });
  await ask("How soon is it seen?", async () => {
    // The page's clock stands still, so that other processes do not count: it shows an event with the answer to what it asks
    // at most 200 ms of its time later.
    await page.clock.install();
    await page.addInitScript(() => {
      const Own = window.EventSource;
      window.heard = window.opened = 0;
      window.EventSource = class extends Own {
        constructor(address) {
          super(address);
          if (!address.includes("/studies/")) return;
          this.addEventListener("open", () => ++window.opened);
          this.addEventListener("StudySteered", () => ++window.heard);
        }
      };
    });
    await page.reload();
    await panel("Now").getByText(/[Aa]bout .+ left/).waitFor();
    while (!(await page.evaluate(() => window.opened))) await new Promise((later) => setTimeout(later, 20));
    await page.clock.pauseAt(new Date(Date.now() + 3600_000));
    try {
      // What was asked for before is answered, and the page rests no longer.
      for (let i = 0; i < 2; ++i) {
        await page.clock.runFor(5000);
        await new Promise((later) => setTimeout(later, 300));
      }
      await page.clock.runFor(5000);
      await page.evaluate((id) => fetch(`/api/v1/studies/${id}/steer`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text: "seen at once" }) }), running);
      while (!(await page.evaluate(() => window.heard))) await new Promise((later) => setTimeout(later, 20));
      // In steps: an answer that was on its way comes between them, and the request after it waits for the clock.
      for (let i = 0; i < 8; ++i) {
        await page.clock.runFor(25);
        await new Promise((later) => setTimeout(later, 100));
      }
      await panel("Steering").getByText("seen at once").waitFor();
    } finally {
      await page.clock.resume();
    }
  });

  await ask("What has been tried before?", async () => {
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByLabel("Words").fill("learning rate");
    await page.locator(".found").first().waitFor();
    await go("memory?q=cheapest");
    await page.waitForFunction(() => document.querySelector("main input[type=search]")?.value === "cheapest");
  });
  await ask("Where am I?", async () => {
    await go("nosuch");
    await page.getByRole("heading", { name: "No such view" }).waitFor();
    await page.getByText("#/nosuch", { exact: true }).waitFor();
  });

  await ask("What was changed by the agent?", async () => {
    const text = "An agent changed 3 lines of job.py; the comparison with the original found no difference; no person has read the change.";
    await page.route(`**/api/v1/studies/${arms}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), agents_code: { text, read_by_person: false, diff: "sha256:abc" } } });
    });
    const diff = "--- a/job.py\n+++ b/job.py\n@@ -3 +3 @@\n-value = <b>10</b>\n+value = 4\n unchanged";
    await page.route(`**/api/v1/studies/${arms}/agents-code`, (route) => route.fulfill({ json: { by: "engineer", model: "mock-1", mends: ["it ignored its seed"], diff } }));
    await go(`studies/${arms}`);
    const note = page.getByRole("note").getByText(text);
    await note.waitFor();
    const top = async (place) => (await place.boundingBox()).y;
    if ((await top(note)) > (await top(panel("Answer")))) found.push("the agent's change comes after the answer");
    await page.getByText("Show the change").click();
    const changed = page.getByRole("region", { name: "What was changed" });
    await changed.locator(".removed", { hasText: "-value = <b>10</b>" }).waitFor();
    await changed.locator(".added", { hasText: "+value = 4" }).waitFor();
    await page.getByText("By engineer, model mock-1, to mend: it ignored its seed").waitFor();
    if ((await changed.locator(".added, .removed").count()) !== 2) found.push("names of files count as changed lines");
    await look_everywhere("agents-change");
  });
} catch (error) {
  found.push(`stopped: ${error.message}`);
  await page.screenshot({ path: `${folder}/stopped.png`, fullPage: true });
}
await page.unrouteAll({ behavior: "ignoreErrors" }); // An answer may be on its way.
await browser.close();
console.log(command);
for (const one of found) console.log(one);
