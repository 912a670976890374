import { useMemo } from "preact/hooks";

import { get } from "../client";
import { colour_of, CurveChart } from "../charts/curve_chart";
import { counted_runs, curves_of, factors_of, type Group, groups_of } from "../charts/curve_data";
import { useAgain, useAsked, useSettings } from "../hooks";
import { Panel, Refused } from "../parts/bits";
import { Cells } from "../parts/cells";
import type { CurveAnswer, Study } from "../shapes";
import { counted, number } from "../words";

const most_runs = 1000;
const points = 400;
const most_hues = 12;
const smoothings = [0, 0.5, 0.8, 0.9, 0.97];

function moments(values: number[]): { mean: number; sd: number | null } | null {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return null;
  const mean = known.reduce((sum, v) => sum + v, 0) / known.length;
  return { mean, sd: known.length > 1 ? Math.sqrt(known.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (known.length - 1)) : null };
}

/// The factor that the first hypothesis is about.
function compared(study: Study): string | undefined {
  const first = (study.hypotheses ?? [])[0];
  return first && Object.keys(first.treatment).find((factor) => first.control[factor] !== undefined && first.control[factor] !== first.treatment[factor]);
}

function Swatch({ at, of }: { at: number; of: number }) {
  return <svg class="swatch" width={20} height={10} aria-hidden="true"><line x1={0} x2={20} y1={5} y2={5} stroke-width={4} style={`stroke: ${colour_of(at, of)}`} /></svg>;
}

/// The legend, which also hides groups, with what the curves come to.
function Groups({ groups, hidden, hide, metric, by }: { groups: Group[]; hidden: ReadonlySet<string>; hide: (name: string) => void; metric: string; by: string }) {
  return (
    <div class="scroll" role="region" aria-label="Curves by group" tabIndex={0}>
      <table class="ranking">
        <caption>The last value of each curve, as mean ± standard deviation of the runs</caption>
        <thead><tr><th scope="col">Shown</th><th scope="col">{by === "cell" ? "Cell" : by || "Group"}</th><th scope="col">Last {metric}</th><th scope="col">Runs</th></tr></thead>
        <tbody>
          {groups.map((group, i) => {
            const last = moments(group.runs.map((run) => run.last));
            return (
              <tr key={group.name}>
                <td><input type="checkbox" checked={!hidden.has(group.name)} onChange={() => hide(group.name)} aria-label={`Show ${group.name}`} /></td>
                <th scope="row"><Swatch at={i} of={groups.length} /> {group.name}</th>
                <td class="number">{last ? `${number(last.mean)}${last.sd === null ? "" : ` ± ${number(last.sd, 2)}`}` : "no finite value"}</td>
                <td class="number">{group.runs.length}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Learning({ answer, study, settings, change }: { answer: CurveAnswer; study: Study; settings: URLSearchParams; change: (changes: Record<string, string>) => void }) {
  const factors = useMemo(() => factors_of(answer), [answer]);
  const by = settings.get("by") ?? compared(study) ?? factors.find(([, count]) => count <= most_hues)?.[0] ?? "none";
  const wanted = Number(settings.get("smooth") ?? 0);
  const weight = smoothings.includes(wanted) ? wanted : 0;
  const every = settings.get("of") === "all";
  const all = useMemo(() => curves_of(answer, weight), [answer, weight]);
  const curves = useMemo(() => (every ? all : counted_runs(all)), [all, every]);
  const left_out = all.runs.length - curves.runs.length;
  const groups = useMemo(() => groups_of(curves, by === "none" ? "" : by), [curves, by]);
  const hidden = useMemo(() => new Set(settings.getAll("hide").flatMap((names) => names.split("|"))), [settings.get("hide")]);
  const hide = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    change({ hide: [...next].join("|") });
  };
  const logs = { x: settings.get("logx") === "1", y: settings.get("logy") === "1" };
  const show = settings.get("show") ?? "both";
  const shown = useMemo(() => ({ hidden, each_run: show !== "means", means: show !== "runs" }), [hidden, show]);
  const unit = study.metrics.find((m) => m.name === answer.metric)?.unit;
  const broken = useMemo(() => curves.runs.filter((run) => run.y.some(Number.isNaN)).length, [curves]);
  const x_title = answer.axis === "time" ? "time in s" : "step";
  const flag = (name: string, text: string) => (
    <label><input type="checkbox" checked={settings.get(name) === "1"} onChange={(e) => change({ [name]: e.currentTarget.checked ? "1" : "" })} /> {text}</label>
  );
  return (
    <>
      <div class="tools">
        <label>Colour by <select value={by} onChange={(e) => change({ by: e.currentTarget.value, hide: "" })}>
          {factors.map(([factor]) => <option key={factor} value={factor}>{factor}</option>)}
          <option value="cell">cell</option>
          <option value="use">experiment or purpose</option>
          <option value="none">nothing</option>
        </select></label>
        {(left_out > 0 || every) && <label>Of <select value={every ? "all" : ""} onChange={(e) => change({ of: e.currentTarget.value })}>
          <option value="">{study.kind === "test" ? "registered runs" : "registered and search runs"}</option><option value="all">all runs</option>
        </select></label>}
        <label>Show <select value={show} onChange={(e) => change({ show: e.currentTarget.value === "both" ? "" : e.currentTarget.value })}>
          <option value="both">runs and means</option><option value="means">means</option><option value="runs">runs</option>
        </select></label>
        <label>Smoothing <select value={String(weight)} onChange={(e) => change({ smooth: e.currentTarget.value === "0" ? "" : e.currentTarget.value })}>
          {smoothings.map((one) => <option key={one} value={String(one)}>{one === 0 ? "none" : one}</option>)}
        </select></label>
        {flag("logx", "log x")}{flag("logy", "log y")}
      </div>
      {groups.length <= most_hues && (
        <ul class="legend" aria-hidden="true">
          {groups.map((group, i) => <li key={group.name}><Swatch at={i} of={groups.length} /> {group.name}</li>)}
        </ul>
      )}
      <CurveChart curves={curves} groups={groups} logs={logs} shown={shown} x_title={x_title} y_title={unit ? `${answer.metric} in ${unit}` : answer.metric}
        words={`${answer.metric} by ${x_title}: ${counted(curves.runs.length, "run")} in ${counted(groups.length, "group")}. Arrow keys move, plus and minus zoom, Home shows all.`} />
      <p class="muted">
        {left_out > 0 && `Without ${counted(left_out, "run")} that ${left_out === 1 ? "is" : "are"} no evidence, such as checks, pilots and repeats. `}
        {show !== "runs" && "Thick lines are means of the runs, and bands are one standard deviation to each side. "}
        {answer.reduced && "There are more points than the chart has room for: at each place, the smallest and the greatest value are drawn. "}
        {broken > 0 && `${counted(broken, "run")} reported values that are not finite: nothing is drawn there, and means are of the other runs. `}
        {weight > 0 && `Smoothed by an exponential moving average (${weight}). `}
        {answer.axis === "time" && "Steps have no recorded time, so the wall time of each run is divided evenly among its steps. "}
        Drag to zoom, drag with Shift to move, double-click for all.
      </p>
      <Groups groups={groups} hidden={hidden} hide={hide} metric={answer.metric} by={by} />
    </>
  );
}

/// Learning curves of all runs, and the values of the runs by cell. The settings stand in the address.
export function Charts({ study }: { study: Study }) {
  const [settings, change] = useSettings();
  const metric = settings.get("metric") ?? "";
  const axis = settings.get("x") ?? "";
  const spacing = settings.get("logx") === "1" ? "log" : "";
  const answer = useAsked(`curves ${study.id} ${metric} ${axis} ${spacing}`, () => get("/studies/{id}/curves", { id: study.id, metric, x: axis, spacing, points, limit: most_runs }));
  // Asked again some seconds after runs have ended or were uncovered.
  const stage = `${study.runs.succeeded} ${study.runs.failed} ${(study.hypotheses ?? []).filter((h) => h.verdict).length} ${study.state}`;
  useAgain(stage, answer.again);
  const found = answer.value;
  const named = [...new Set([...study.metrics.map((m) => m.name), ...(found?.metrics ?? [])])];
  const current = metric || found?.metric || "";
  return (
    <>
      <Panel title="Learning curves">
        <div class="tools">
          <label>Metric <select value={current} onChange={(e) => change({ metric: e.currentTarget.value })}>
            {named.map((name) => <option key={name} value={name}>{name}{found && !found.metrics.includes(name) ? " (no curve)" : ""}</option>)}
          </select></label>
          <label>Along <select value={axis || "step"} onChange={(e) => change({ x: e.currentTarget.value === "step" ? "" : e.currentTarget.value })}>
            <option value="step">step</option><option value="time">time</option>
          </select></label>
        </div>
        <Refused refusal={answer.refusal} />
        {!found ? !answer.refusal && <p class="muted loading chart">…</p> : found.runs.id.length > 0 ? <Learning answer={found} study={study} settings={settings} change={change} /> : (
          <p class="empty">{found.metrics.length > 0 ? `No run reported ${found.metric} more than once; these metrics have curves: ${found.metrics.join(", ")}.` : found.withheld > 0 ? "No curve can be shown yet." : "No run reported a metric more than once."}</p>
        )}
        {found && found.withheld > 0 && <p class="muted">Curves of {counted(found.withheld, "registered run")} are withheld until their experiment is analysed.</p>}
        {found?.cursor && <p class="muted">The first {counted(found.runs.id.length, "run")} with a curve; there are more.</p>}
      </Panel>
      {(found || answer.refusal) && <Cells study={study} metric={current} />}
    </>
  );
}
