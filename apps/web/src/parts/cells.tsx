import { useState } from "preact/hooks";

import { page } from "../api";
import { useAsked } from "../hooks";
import type { Run, Study } from "../shapes";
import { levels, number } from "../words";
import { Panel } from "./bits";
import { Axis, type Scale, scale_of, x_of } from "./scale";

/// Of studies with more runs they are not loaded.
const at_most = 1000;
const height = 24;

interface CellValues {
  name: string;
  values: number[];
  mean: number;
  sd: number | null;
}

/// The values of the registered runs by cell, the best cell first, without those that are withheld.
function cells_of(runs: Run[], metric: string, goal: string): CellValues[] {
  const found = new Map<string, number[]>();
  for (const run of runs) {
    const value = run.metrics[metric];
    if (!run.evidence || run.withheld || typeof value !== "number") continue;
    const name = levels(run.factors);
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return [...found].map(([name, values]) => {
    const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
    const sd = values.length > 1 ? Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1)) : null;
    return { name, values, mean, sd };
  }).sort((a, b) => (goal === "maximize" ? b.mean - a.mean : a.mean - b.mean));
}

function Points({ cell, scale }: { cell: CellValues; scale: Scale }) {
  const x = x_of(scale);
  return (
    <svg class="points" width={scale.width} height={height} viewBox={`0 0 ${scale.width} ${height}`} aria-hidden="true">
      {cell.values.map((value, i) => <circle key={i} cx={x(value)} cy={height / 2} r={3} />)}
      <line x1={x(cell.mean)} x2={x(cell.mean)} y1={2} y2={height - 2} />
    </svg>
  );
}

function TooMany({ study }: { study: Study }) {
  return <p>Means by cell stand here for at most {number(at_most)} runs, and the study has {number(study.runs.total)}. <a href={`#/studies/${study.id}/runs?group=cell`}>See its runs grouped by cell</a>.</p>;
}

/// Mean, standard deviation and single runs of a metric, the primary one if none is named, by cell. Nothing before the first
/// verdict.
const most_cells = 12;
const spread_of_log = 100; // From this ratio of the greatest to the smallest value on, a linear axis shows one end only.

export function Cells({ study, metric: named }: { study: Study; metric?: string }) {
  const [all, set_all] = useState(false);
  const metric = named ? study.metrics.find((m) => m.name === named) : (study.metrics.find((m) => m.primary) ?? study.metrics[0]);
  const judged = (study.hypotheses ?? []).filter((h) => h.verdict).length;
  const wanted = metric !== undefined && judged > 0 && (study.runs.total ?? 0) <= at_most;
  const asked = useAsked(`cells ${study.id} ${judged}`, async () =>
    wanted ? (await page<Run>(`/studies/${study.id}/runs`, { limit: at_most, state: "succeeded" })).items : []);
  const cells = metric ? cells_of(asked.value ?? [], metric.name, metric.goal) : [];
  if (wanted && asked.value === null && !asked.refusal) return <Panel title={`${metric.name} by cell`}><p class="muted loading">…</p></Panel>;
  if (metric && judged > 0 && !wanted) return <Panel title={`${metric.name} by cell`}><TooMany study={study} /></Panel>;
  if (!metric || cells.length === 0) return null;
  const values = cells.flatMap((cell) => cell.values);
  const log = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= spread_of_log;
  const scale = scale_of(values, 240, log);
  return (
    <Panel title={`${metric.name} by cell`}>
      <div class="scroll" role="region" aria-label="Means by cell" tabIndex={0}>
        <table class="ranking cells">
          <caption>{metric.name}{metric.unit && ` in ${metric.unit}`}, {metric.goal === "maximize" ? "greater" : "smaller"} is better: every registered run is a point, and their mean a line{log && "; the axis is logarithmic"}</caption>
          <thead><tr><th scope="col">Cell</th><th scope="col">Runs<Axis scale={scale} /></th><th scope="col">Mean ± sd</th><th scope="col">n</th></tr></thead>
          <tbody>
            {cells.slice(0, all || cells.length <= most_cells + 2 ? cells.length : most_cells).map((cell) => (
              <tr key={cell.name}>
                <th scope="row">{cell.name}</th>
                <td><Points cell={cell} scale={scale} /></td>
                <td class="number">{number(cell.mean)}{cell.sd !== null && ` ± ${number(cell.sd, 2)}`}</td>
                <td class="number" data-name="n">{cell.values.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!all && cells.length > most_cells + 2 && <button onClick={() => set_all(true)}>Show all {cells.length} cells</button>}
    </Panel>
  );
}
