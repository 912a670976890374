// What the tests of the page share: a browser, and what is checked of every view.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));

/// What looks as if it could be clicked, and cannot be reached by keyboard.
const out_of_reach = `[...document.querySelectorAll("body *")].filter((one) => getComputedStyle(one).cursor === "pointer"
  && !one.closest("a[href], button, input, select, textarea, summary, label, [tabindex]")).map((one) => one.outerHTML.slice(0, 80))`;

/// A function that takes a screenshot of the view into `folder`, if ETUDE_SCREENSHOTS is set, and adds to `found` each violation
/// of accessibility, each element that only a mouse reaches, and a view that is wider than the window. axe runs as if the
/// developer had typed it, which no policy of the page forbids.
export const looking = ({ page, cdp, folder, axe, found }) => async (name) => {
  if (process.env.ETUDE_SCREENSHOTS) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const evaluated = async (expression) => (await cdp.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result;
  if ((await evaluated("typeof axe")).value === "undefined") await evaluated(`${axe}; 0`);
  const result = await evaluated(`axe.run(document, { iframes: false, resultTypes: ["violations"] }).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? "")).slice(0, 3).join("; ")))`);
  if (!Array.isArray(result.value)) found.push(`${name}: axe did not run: ${result.description}`);
  for (const violation of result.value ?? []) found.push(`${name}: ${violation}`);
  for (const one of (await evaluated(out_of_reach)).value ?? []) found.push(`${name}: no key reaches ${one}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) found.push(`${name}: ${wide} px wider than the window`);
};

/// The same of the view as it is, in dark, on a phone and in dark on a phone. Afterwards the window is as before, and light.
export const looking_everywhere = (page, look) => async (name) => {
  const before = page.viewportSize();
  await look(name);
  for (const [how, width, theme] of [["dark", before.width, "dark"], ["narrow", 390, "light"], ["narrow-dark", 390, "dark"]]) {
    await page.setViewportSize({ width, height: before.height });
    await page.getByLabel("Colours").selectOption(theme);
    await look(`${name}-${how}`);
  }
  await page.setViewportSize(before);
  await page.getByLabel("Colours").selectOption("light");
};

/// A browser with one page of 1280 × 900. `found` gets what the page complains of. `wait`: the longest time that an element is
/// waited for, in ms.
export async function opened(folder, wait = 240000) {
  const { chromium } = own("playwright-core");
  const axe = readFileSync(own.resolve("axe-core/axe.min.js"), "utf8");
  const found = [];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"], timeout: 240000 });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(wait);
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && found.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => found.push(`page error: ${e.message}`));
  const cdp = await context.newCDPSession(page);
  const look = looking({ page, cdp, folder, axe, found });
  return {
    browser, page, cdp, found, look,
    look_everywhere: looking_everywhere(page, look),
    go: (place) => page.evaluate((hash) => (location.hash = hash), `#/${place}`),
    panel: (name) => page.locator("section.panel").filter({ has: page.getByRole("heading", { name, level: 2 }) }),
  };
}

/// A function that gives the processor time in ms of the page's scripts while `work` runs. Other processes do not count.
export async function script_timer(cdp) {
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const script_ms = async () => 1000 * (await cdp.send("Performance.getMetrics")).metrics.find((one) => one.name === "ScriptDuration").value;
  return async (work) => {
    const before = await script_ms();
    await work();
    return (await script_ms()) - before;
  };
}

/// The best of five means of `rounds` events: now and then the browser collects garbage, or the machine slows its processors.
export async function best_of(timed, rounds, event) {
  const means = [];
  for (let i = 0; i < 5; ++i) means.push((await timed(async () => { for (let j = 0; j < rounds; ++j) await event(j); })) / rounds);
  return Math.min(...means);
}

/// What tests share that replace answers of the server: what it answers at a path, two values that must be equal, a replaced
/// answer, and a check, whose failure is named.
export function mocked({ page, found, folder, go }) {
  const get = (path) => page.evaluate((address) => fetch(address).then((r) => r.json()), `/api/v1${path}`);
  const equal = (what, is, wanted) => {
    if (JSON.stringify(is) !== JSON.stringify(wanted)) found.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
  };
  /// Answers of the server at `path`, below /api/v1, as `change` makes them, until the check has ended.
  const mock = (path, change) => page.route(`**/api/v1${path}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json(), new URL(route.request().url())) });
  });
  const check = async (what, checks) => {
    try {
      await checks();
    } catch (error) {
      found.push(`${what}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
      await page.screenshot({ path: `${folder}/mocked-stopped.png`, fullPage: true });
    }
    // Nothing of this check is asked for when the next one begins.
    await go("memory");
    await page.getByRole("heading", { name: "Memory", level: 1 }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  };
  return { get, equal, mock, check };
}
