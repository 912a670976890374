// What page.mjs and page_answers.mjs check of every view.

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
