// What page.mjs and page_answers.mjs check of every view.

/// A function that takes a screenshot of the view into `folder`, and adds to `found` each serious or critical violation of
/// accessibility and a view that is wider than the window. axe runs as if the developer had typed it, which no policy of the
/// page forbids.
export const looking = ({ page, cdp, folder, axe, found }) => async (name) => {
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const { result } = await cdp.send("Runtime.evaluate", {
    expression: `${axe}; axe.run(document, { iframes: false }).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? "")).slice(0, 3).join("; ")))`,
    awaitPromise: true, returnByValue: true,
  });
  if (!Array.isArray(result.value)) found.push(`${name}: axe did not run: ${result.description}`);
  for (const violation of result.value ?? []) found.push(`${name}: ${violation}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) found.push(`${name}: ${wide} px wider than the window`);
};
