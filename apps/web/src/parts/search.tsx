import { useMemo } from "preact/hooks";

import { changed, last_ranking, selected, tested, value_of } from "../answers";
import { get } from "../client";
import { useAsked } from "../hooks";
import type { Candidate, FactorEffect, Gain, Idea, Number_, Run, Search, Study } from "../shapes";
import { verdict_of } from "../standing";
import { counted, levels, number, plain } from "../words";
import { Panel } from "./bits";
import { type Curve, type Figure, most_curves, Plot } from "./curves";
import { Parallel, varied } from "./parallel";
import { Axis, type Scale, scale_of, x_of } from "./scale";
import { Term } from "./term";

const most_shown = 30;
const width = 240;
const height = 24;

interface Estimate {
  at: number;
  low: number;
  high: number;
}

const known = (value: Number_ | undefined): value is number => typeof value === "number";

/// The value and two standard errors to each side.
function estimate_of(c: Candidate, log: boolean): Estimate | null {
  const at = value_of(c);
  if (at === null) return null;
  if (known(c.estimate)) {
    if (!known(c.estimate_sd)) return { at, low: at, high: at };
    const by = 2 * c.estimate_sd;
    return log ? { at, low: at * Math.exp(-by), high: at * Math.exp(by) } : { at, low: at - by, high: at + by };
  }
  const by = known(c.sd) && c.n > 1 ? (2 * c.sd) / Math.sqrt(c.n) : 0;
  return { at, low: at - by, high: at + by };
}

function Bar({ scale, of, reference, kept }: { scale: Scale; of: Estimate; reference: number | null; kept: boolean }) {
  const x = x_of(scale);
  return (
    <svg class={`forest ${kept ? "kept" : ""}`} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {reference !== null && <line class="null" x1={x(reference)} x2={x(reference)} y1={0} y2={height} />}
      <line class="interval" x1={x(of.low)} x2={x(of.high)} y1={height / 2} y2={height / 2} />
      <rect class="point" x={x(of.at) - 4} y={height / 2 - 4} width={8} height={8} />
    </svg>
  );
}

const interval = (e: Estimate): string => (e.low === e.high ? number(e.at) : `${number(e.at)} [${number(e.low, 3)}, ${number(e.high, 3)}]`);

/// What became of a setting that went into the confirmation.
function confirmation(study: Study, c: Candidate): string {
  const verdicts = [...new Set(tested(study, c.cell).map(verdict_of))];
  if (verdicts.length === 0) return "to be tested on fresh seeds";
  return verdicts.length === 1 && verdicts[0] === "supported" ? "confirmed on fresh seeds" : `tested on fresh seeds: ${verdicts.map(plain).join(", ")}`;
}

function Ranking({ search, study, unit, log }: { search: Search; study: Study; unit: string; log: boolean }) {
  const { candidates, baseline } = last_ranking(search);
  if (candidates.length === 0) return null;
  const shown = candidates.filter((c, i) => i < most_shown || c.baseline);
  const estimates = shown.map((c) => estimate_of(c, log));
  const scale = scale_of(estimates.flatMap((e) => (e ? [e.low, e.high] : [])), width);
  const reference = baseline ? value_of(baseline) : null;
  const factors = Object.keys(candidates[0]!.cell);
  const modelled = candidates.some((c) => known(c.estimate));
  return (
    <div class="scroll" role="region" aria-label="Ranking" tabIndex={0}>
      <table class="ranking">
        <caption>{search.metric}{unit && ` in ${unit}`}, {search.objectives ? "the chosen settings first" : `${search.goal === "maximize" ? "greatest" : "smallest"} first`}: {modelled ? "what the model of the search expects" : "the mean of the runs"}, with two standard errors to each side{reference !== null && "; the dashed line is the baseline"}. A selection, not a verdict.</caption>
        <thead>
          <tr><th scope="col">Rank</th>{factors.map((f) => <th key={f} scope="col">{f}</th>)}<th scope="col">{search.metric}<Axis scale={scale} /></th><th scope="col">In numbers</th>{modelled && <th scope="col">Measured mean</th>}<th scope="col">Runs</th><th scope="col">Failed</th><th scope="col">Remark</th></tr>
        </thead>
        <tbody>
          {shown.map((c, i) => (
            <tr key={i} class={c.baseline ? "picked" : ""}>
              <th scope="row">{candidates.indexOf(c) + 1}</th>
              {factors.map((f) => <td key={f}>{typeof c.cell[f] === "number" ? number(c.cell[f]) : c.cell[f]}</td>)}
              <td>{estimates[i] ? <Bar scale={scale} of={estimates[i]!} reference={reference} kept={c.kept} /> : <span class="muted">no value</span>}</td>
              <td class="number">{estimates[i] ? interval(estimates[i]!) : "–"}</td>
              {modelled && <td class="number">{known(c.mean) ? number(c.mean) : "–"}</td>}
              <td class="number">{c.n}</td>
              <td class="number">{c.failed || "–"}</td>
              <td>{[c.baseline && "baseline", c.kept && (search.ranked.at(-1)!.last ? confirmation(study, c) : "goes on to the next round"), c.refined && "joined in this round"].filter(Boolean).join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < candidates.length && <p class="muted">{shown.length} of {candidates.length} settings.</p>}
    </div>
  );
}

function Effects({ search, unit }: { search: Search; unit: string }) {
  const effects = (search.ranked.at(-1)?.effects ?? []).filter((e) => known(e.effect)).slice(0, most_shown);
  if (effects.length === 0) return null;
  const estimates = effects.map((e) => ({
    at: e.effect as number,
    low: known(e.interval_low) ? e.interval_low : (e.effect as number),
    high: known(e.interval_high) ? e.interval_high : (e.effect as number),
  }));
  const scale = scale_of([0, ...estimates.flatMap((e) => [e.low, e.high])], width);
  const name = (e: FactorEffect): string => (e.factors.length > 1 ? e.factors.join(" × ") : `${e.factors[0]}, ${e.low} to ${e.high}`);
  return (
    <div class="scroll" role="region" aria-label="Effects of factors" tabIndex={0}>
      <table class="ranking">
        <caption>Effect of each factor on {search.metric}{unit && ` in ${unit}`} and interval; the dashed line is no effect. A selection, not a verdict.</caption>
        <thead><tr><th scope="col">Factor</th><th scope="col">Effect<Axis scale={scale} /></th><th scope="col">In numbers</th><th scope="col">Remark</th></tr></thead>
        <tbody>
          {effects.map((e, i) => (
            <tr key={name(e)}>
              <th scope="row">{name(e)}</th>
              <td><Bar scale={scale} of={estimates[i]!} reference={0} kept={e.kept} /></td>
              <td class="number">{interval(estimates[i]!)}</td>
              <td>{e.kept ? "tested on fresh seeds" : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const gained = (gain: Gain | null): string => (gain === null ? "–" : gain.gain === null ? "no value" : `${number(gain.gain, 3)} (floor ${number(gain.floor, 3)})`);

/// What became of each version that was kept or discarded. Lines and memory decide nothing.
function Ideas({ ideas, noise }: { ideas: Idea[]; noise: { runs: number; sd: number } | null }) {
  return (
    <div class="scroll" role="region" aria-label="Versions" tabIndex={0}>
      <table class="ranking">
        <caption>Gain of each version over its base, and the gain that noise alone could give, which it had to exceed{noise && ` (from ${counted(noise.runs, "run")} of the original code, standard deviation ${number(noise.sd, 3)})`}. A selection, not a verdict.</caption>
        <thead><tr><th scope="col">Version</th><th scope="col">Base</th><th scope="col">One run</th><th scope="col">Repeated</th><th scope="col">Became</th><th scope="col">Lines changed</th><th scope="col">Peak memory (MB)</th></tr></thead>
        <tbody>
          {ideas.map((idea) => (
            <tr key={idea.version} class={idea.kept ? "picked" : ""}>
              <th scope="row">{idea.version}</th>
              <td>{idea.base ?? "–"}</td>
              <td class="number">{gained(idea.first)}</td>
              <td class="number">{gained(idea.retest)}</td>
              <td>{idea.kept ? "the base" : idea.first ? "discarded" : ""}</td>
              <td class="number">{number(idea.lines)}</td>
              <td class="number">{idea.memory_bytes === null ? "–" : number(idea.memory_bytes / 1e6, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/// Every run of the search with its value, and the best value up to each; a run without a value is a gap. With a
/// fidelity, only the runs with most of it can be compared.
function best_so_far(search: Search, runs: Run[]): Figure | null {
  const fidelity = search.fidelity;
  const full = fidelity ? String(search.rungs.at(-1)?.fidelity ?? "") : "";
  const all = runs.filter((run) => run.purpose === "search" && (!fidelity || String(run.factors[fidelity]) === full));
  const own = all.filter((run) => !run.withheld && known(run.metrics[search.metric]));
  if (own.length < 2) return null;
  const place = new Map(all.map((run, i) => [run, i + 1]));
  const steps = own.map((run) => place.get(run)!);
  const values = own.map((run) => run.metrics[search.metric] as number);
  let best = values[0]!;
  const bests = values.map((value) => (best = search.goal === "maximize" ? Math.max(best, value) : Math.min(best, value)));
  return {
    name: `${search.metric}${fidelity ? ` with ${fidelity} = ${full}` : ""}`,
    along: "run of the search",
    of: [{ run: "best so far", curve: { name: "best so far", steps, values: bests } }, { run: "each run", curve: { name: "each run", steps, values, dots: true } }],
  };
}

/// Every setting by its mean in both metrics, and the front: those that no other beats in both.
function trade_off(search: Search): Figure | null {
  const [first, second] = search.objectives ?? [];
  if (!first || !second) return null;
  const latest = new Map<string, Candidate>();
  for (const rung of search.ranked) for (const c of rung.candidates) latest.set(JSON.stringify(c.cell), c);
  const settings = [...latest.values()].filter((c) => known(c.mean) && known(c.second_mean));
  if (settings.length < 2) return null;
  const points = (of: Candidate[], name: string, dots: boolean, solid = false): { run: string; curve: Curve } => ({
    run: name,
    curve: { name, dots, solid, steps: of.map((c) => c.mean as number), values: of.map((c) => c.second_mean as number) },
  });
  const turn = (goal: string): number => (goal === "maximize" ? -1 : 1);
  const front: Candidate[] = [];
  const from_best = [...settings].sort((a, b) => turn(first.goal) * ((a.mean as number) - (b.mean as number)));
  for (const c of from_best)
    if (front.length === 0 || turn(second.goal) * ((c.second_mean as number) - (front.at(-1)!.second_mean as number)) < 0) front.push(c);
  return {
    name: second.metric,
    along: first.metric,
    of: [
      points(front, "the front", false),
      points(settings.filter((c) => !c.kept && !c.baseline), "settings", true),
      points(settings.filter((c) => c.kept), "tested on fresh seeds", true, true),
      points(settings.filter((c) => c.baseline), "baseline", true, true),
    ].filter((one) => one.curve.steps.length > 0),
  };
}

/// The value of each setting over one factor, and the mean at each level. Only numeric factors with at least three levels.
function responses(search: Search, unit: string): Figure[] {
  const candidates = last_ranking(search).candidates.filter((c) => value_of(c) !== null);
  return Object.keys(candidates[0]?.cell ?? {}).flatMap((factor): Figure[] => {
    const steps = candidates.map((c) => Number(c.cell[factor]));
    const at = [...new Set(steps)].sort((a, b) => a - b);
    if (at.length < 3 || steps.some((step) => !Number.isFinite(step))) return [];
    const values = candidates.map((c) => value_of(c)!);
    const means = at.map((level) => {
      const here = values.filter((_, i) => steps[i] === level);
      return here.reduce((sum, v) => sum + v, 0) / here.length;
    });
    return [{
      name: `${search.metric}${unit && ` in ${unit}`}`, along: factor, log: at[0]! > 0 && at.at(-1)! / at[0]! > 20, straight: true,
      of: [{ run: "mean at the level", curve: { name: "mean", steps: at, values: means } }, ...layers(steps, values)],
    }];
  });
}

/// A plot has one value for each x: several settings at one level become several layers of points.
function layers(steps: number[], values: number[]): Figure["of"] {
  const rest = new Map<number, number[]>();
  steps.forEach((step, i) => rest.set(step, [...(rest.get(step) ?? []), values[i]!]));
  const deepest = Math.max(...[...rest.values()].map((here) => here.length));
  if (deepest > most_curves - 1) return [];
  return Array.from({ length: deepest }, (_, layer) => {
    const found = [...rest].filter(([, here]) => here.length > layer);
    return { run: "each setting", ...(layer > 0 ? { unnamed: true } : {}), curve: { name: "each setting", dots: true, steps: found.map(([step]) => step), values: found.map(([, here]) => here[layer]!) } };
  });
}

/// `runs`: those that are loaded; null while none are.
export function SearchView({ study, runs, more }: { study: Study; runs: Run[] | null; more: boolean }) {
  const search = study.search!;
  const opening = useAsked(`opening ${study.id}`, () => get("/studies/{id}/opening", { id: study.id }));
  const figure = useMemo(() => best_so_far(search, runs ?? []), [runs]);
  const both = useMemo(() => trade_off(search), [search]);
  const metrics = (opening.value?.spec as { metrics?: { name?: string; scale?: string }[] } | undefined)?.metrics;
  const log = Array.isArray(metrics) && metrics.find((m) => m.name === search.metric)?.scale === "log";
  const unit = study.metrics.find((m) => m.name === search.metric)?.unit ?? "";
  const { best, baseline, candidates } = last_ranking(search);
  const curves = useMemo(() => responses(search, unit), [search, unit]);
  const many = varied(candidates).length > 1;
  const words = selected(study);
  const ideas = search.code?.ideas;
  return (
    <>
      <Panel title="What the search selected">
        {words.length > 0 ? words.map((one, i) => <p key={one} class={i === 0 ? "answer" : ""}>{one}</p>) : <p class="empty">Nothing is ranked yet. {counted(study.runs.search ?? 0, "run")} of the search so far.</p>}
        {best && !ideas && (
          <dl class="facts">
            <dt>{search.objectives ? "First of the chosen settings" : tested(study, best.cell).some((h) => verdict_of(h) === "supported") ? "Best setting" : "Best candidate, not confirmed"}</dt><dd>{levels(best.cell)}</dd>
            {baseline && <><dt>Differs from the baseline in</dt><dd>{levels(changed(best.cell, baseline.cell)) || "nothing"}</dd></>}
            <dt>Selected by</dt><dd>{search.rule}</dd>
            <dt>Tested by</dt><dd>{(study.hypotheses ?? []).length > 0 ? study.hypotheses!.map((h) => <a key={h.id} class="back" href={`#/studies/${study.id}/hypotheses/${h.id}`}>{h.id}</a>) : "nothing yet"}</dd>
          </dl>
        )}
      </Panel>
      {both && <Panel title="Both metrics"><p class="muted">The line joins the settings of the <Term of="front">front</Term>.</p><Plot figure={both} /></Panel>}
      <Panel title="Best so far">
        {figure ? <Plot figure={figure} /> : <p class="empty">{runs ? "Fewer than two runs can be compared yet." : "…"}</p>}
        {more && <p class="muted">Of the first {number(runs?.length ?? 0)} runs of the study.</p>}
      </Panel>
      {ideas && ideas.length > 0 && <Panel title="Kept or discarded"><Ideas ideas={ideas} noise={search.code?.noise ?? null} /></Panel>}
      {(curves.length > 0 || many) && <Panel title="Response">{curves.map((one) => <Plot key={one.along} figure={one} />)}{many && <Parallel search={search} candidates={candidates} unit={unit} />}</Panel>}
      {!ideas && search.ranked.length > 0 && <Panel title={search.rungs.length > 1 ? `Ranking of round ${search.ranked.length} of ${search.rungs.length}` : "Ranking"}><Effects search={search} unit={unit} /><Ranking search={search} study={study} unit={unit} log={log} /></Panel>}
    </>
  );
}
