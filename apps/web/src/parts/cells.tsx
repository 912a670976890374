import { useState } from "preact/hooks";

import { get } from "../client";
import { useAsked } from "../hooks";
import type { CellList, Run, Study } from "../shapes";
import { levels, number } from "../words";
import { Panel } from "./bits";
import { Axis, type Scale, scale_of, x_of } from "./scale";
import { Term } from "./term";

/// Of studies with more runs the kernel summarises each cell.
const at_most = 1000;
const height = 24;

interface CellValues {
  name: string;
  /// What is drawn: each value, or the least value, the quartiles and the greatest.
  values: number[];
  summarised: boolean;
  n: number;
  mean: number;
  sd: number | null;
}

/// The values of the registered runs by cell, without those that are withheld.
function cells_of(runs: Run[], metric: string): CellValues[] {
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
    return { name, values, summarised: false, n: values.length, mean, sd };
  });
}

const summaries_of = (list: CellList): CellValues[] =>
  list.items.map(({ factors, n, mean, sd, quartiles }) => ({ name: levels(factors), values: quartiles, summarised: true, n, mean, sd }));

/// The middle half as a box, and a line from the least to the greatest value.
function Box({ x: [least, low, , high, greatest] }: { x: number[] }) {
  return (
    <>
      <path d={`M${least} ${height / 2}H${greatest}`} />
      <rect x={low} y={height / 4} width={Math.max(1, high! - low!)} height={height / 2} />
    </>
  );
}

function Points({ cell, scale }: { cell: CellValues; scale: Scale }) {
  const x = x_of(scale);
  return (
    <svg class="points" width={scale.width} height={height} viewBox={`0 0 ${scale.width} ${height}`} aria-hidden="true">
      {cell.summarised ? <Box x={cell.values.map(x)} /> : cell.values.map((value, i) => <circle key={i} cx={x(value)} cy={height / 2} r={3} />)}
      <line x1={x(cell.mean)} x2={x(cell.mean)} y1={2} y2={height - 2} />
    </svg>
  );
}

/// Mean, standard deviation and single runs of a metric, the primary one if none is named, by cell. Nothing before the first
/// verdict.
const most_cells = 12;
const spread_of_log = 100; // From this ratio of the greatest to the smallest value on, a linear axis shows one end only.

export function Cells({ study, metric: named }: { study: Study; metric?: string }) {
  const [all, set_all] = useState(false);
  const metric = named ? study.metrics.find((m) => m.name === named) : (study.metrics.find((m) => m.primary) ?? study.metrics[0]);
  const judged = (study.hypotheses ?? []).filter((h) => h.verdict).length;
  const wanted = metric !== undefined && judged > 0;
  const summarised = (study.runs.total ?? 0) > at_most;
  const asked = useAsked(`cells ${study.id} ${judged} ${metric?.name} ${summarised}`, async () => {
    if (!wanted) return [];
    if (summarised) return summaries_of(await get("/studies/{id}/cells", { id: study.id, metric: metric.name }));
    return cells_of((await get("/studies/{id}/runs", { id: study.id, limit: at_most, state: "succeeded" })).items, metric.name);
  });
  const sign = metric?.goal === "maximize" ? -1 : 1;
  const cells = [...(asked.value ?? [])].sort((a, b) => sign * (a.mean - b.mean));
  if (wanted && asked.value === null && !asked.refusal) return <Panel title={`${metric.name} by cell`}><p class="muted loading">…</p></Panel>;
  if (!metric || cells.length === 0) return null;
  const values = cells.flatMap((cell) => cell.values);
  const log = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= spread_of_log;
  const scale = scale_of(values, 240, log);
  return (
    <Panel title={`${metric.name} by cell`}>
      <div class="scroll" role="region" aria-label="Means by cell" tabIndex={0}>
        <table class="ranking cells">
          <caption>{metric.name}{metric.unit && ` in ${metric.unit}`}, {metric.goal === "maximize" ? "greater" : "smaller"} is better: {summarised ? "a box has the middle half of a cell's registered runs, and the thin line all of them; their mean is the upright line" : "every registered run is a point, and their mean a line"}{log && "; the axis is logarithmic"}</caption>
          <thead><tr><th scope="col">Cell</th><th scope="col">Runs<Axis scale={scale} /></th><th scope="col">Mean ± sd</th><th scope="col"><Term of="n">n</Term></th></tr></thead>
          <tbody>
            {cells.slice(0, all || cells.length <= most_cells + 2 ? cells.length : most_cells).map((cell) => (
              <tr key={cell.name}>
                <th scope="row">{cell.name}</th>
                <td><Points cell={cell} scale={scale} /></td>
                <td class="number">{number(cell.mean)}{cell.sd !== null && ` ± ${number(cell.sd, 2)}`}</td>
                <td class="number" data-name="n">{number(cell.n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!all && cells.length > most_cells + 2 && <button onClick={() => set_all(true)}>Show all {cells.length} cells</button>}
    </Panel>
  );
}
