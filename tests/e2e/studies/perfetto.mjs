// Opens SITE/trace.json in Perfetto's viewer, which SITE serves, and prints what its trace processor says of it, as JSON:
// perfetto.mjs SITE.
import { createRequire } from "node:module";

const own = createRequire(new URL("../../peers/package.json", import.meta.url));
const { chromium } = own("playwright-core");

const site = process.argv[2];
const questions = {
  faults: "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
  slices: "select count(*) from slice",
  misplaced: `select count(*) from slice c join slice p on p.id = c.parent_id
              where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur`,
  counters: "select count(*) from counter",
  flows: "select count(*) from flow",
  paths: `select a.name, b.category, c.category from flow f join flow g on g.slice_out = f.slice_in and g.trace_id = f.trace_id
          join slice a on a.id = f.slice_out join slice b on b.id = f.slice_in join slice c on c.id = g.slice_in`,
};
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(240000);
  await page.route((url) => url.origin !== site, (route) => route.abort());
  await page.goto(`${site}/#!/?url=${site}/trace.json`);
  await page.waitForFunction(() => self.app?.trace?.engine && !self.app.isLoadingTrace);
  const answers = await page.evaluate(async (asked) => {
    const found = {};
    for (const [name, sql] of Object.entries(asked)) {
      const result = await self.app.trace.engine.query(sql);
      found[name] = [];
      for (const row = result.iter({}); row.valid(); row.next())
        found[name].push(result.columns().map((column) => (typeof row.get(column) === "bigint" ? Number(row.get(column)) : row.get(column))));
    }
    return found;
  }, questions);
  console.log(JSON.stringify(answers));
} finally {
  await browser.close();
}
