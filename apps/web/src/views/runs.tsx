import { useMemo, useState } from "preact/hooks";

import { Panel, Pill, Refused } from "../parts/bits";
import { run_states } from "../generated";
import { Curves, most_curves } from "../parts/curves";
import type { LiveRuns } from "../runs_live";
import type { Run, Study } from "../shapes";
import { duration, number, run_for } from "../words";

const at_once = 100;

type Value = string | number;
interface Column {
  name: string;
  of: (run: Run) => Value;
  show?: (run: Run) => string;
}

function columns_of(study: Study, runs: Run[]): Column[] {
  const factors = [...new Set(runs.flatMap((r) => Object.keys(r.factors)))];
  const measured = (run: Run, name: string): Value => {
    const value = run.metrics[name];
    return typeof value === "number" ? value : Number.POSITIVE_INFINITY;
  };
  return [
    { name: "run", of: (r) => r.number, show: (r) => r.id },
    { name: "state", of: (r) => r.state },
    ...factors.map((f) => ({ name: f, of: (r: Run) => r.factors[f] ?? "" })),
    { name: "seed", of: (r) => r.seed, show: (r) => String(r.seed) },
    ...study.metrics.map((m) => ({
      name: m.unit ? `${m.name} (${m.unit})` : m.name,
      of: (r: Run) => measured(r, m.name),
      show: (r: Run) => (r.withheld ? "withheld" : number(r.metrics[m.name])),
    })),
    { name: "wall", of: (r) => (r.ended && r.usage ? r.usage.wall_s : Number.POSITIVE_INFINITY), show: (r) => duration(r.ended && r.usage ? r.usage.wall_s : null) },
    { name: "for", of: run_for },
  ];
}

function compare(a: Value, b: Value): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function Compared({ runs, columns }: { runs: Run[]; columns: Column[] }) {
  return (
    <Panel title={`${runs.length} runs beside each other`}>
      <div class="scroll" role="region" aria-label="Compared runs" tabIndex={0}>
        <table>
          <tbody>
            {columns.map((column) => {
              const shown = runs.map((r) => (column.show ? column.show(r) : String(column.of(r))));
              return (
                <tr key={column.name} class={new Set(shown).size > 1 ? "differs" : ""}>
                  <th scope="row">{column.name}</th>
                  {shown.map((value, i) => <td key={i}>{value}</td>)}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Curves runs={runs} />
      {runs.filter((r) => r.points > 1).length > most_curves && <p class="muted">Curves of the first {most_curves} of them.</p>}
    </Panel>
  );
}

/// The number of rows that are shown, and the number of all rows.
function Count({ found, live, study, state }: { found: number; live: LiveRuns; study: Study; state: string }) {
  const total = state ? (study.runs[state] ?? 0) : study.runs.total;
  const loaded = live.runs.length < (total ?? 0) ? `${number(live.runs.length)} loaded of ${number(total)}` : number(live.runs.length);
  return <span class="muted" role="status">{number(found)} of {loaded}</span>;
}

/// `set_state`: null for the runs of an earlier state of the study.
export function Runs({ study, live, state, set_state }: { study: Study; live: LiveRuns; state: string; set_state: ((state: string) => void) | null }) {
  const runs = live.runs;
  const [sorted, set_sorted] = useState<{ name: string; down: boolean }>({ name: "run", down: false });
  const [wanted, set_wanted] = useState("");
  const [shown, set_shown] = useState(at_once);
  const [marked, set_marked] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => columns_of(study, runs), [study.id, study.metrics.length, runs]);
  const found = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const column = columns.find((c) => c.name === sorted.name) ?? columns[0]!;
    return runs
      .filter((r) => words.every((w) => `${r.id} ${run_for(r)} ${Object.entries(r.factors).map(([k, v]) => `${k}=${v}`).join(" ")}`.toLowerCase().includes(w)))
      .sort((a, b) => compare(column.of(a), column.of(b)) * (sorted.down ? -1 : 1));
  }, [runs, columns, sorted, wanted]);
  const mark = (id: string): void => {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    set_marked(next);
  };
  return (
    <Panel title="Runs">
      <div class="tools">
        <label>Find <input type="search" placeholder="algorithm=quick" value={wanted} onInput={(e) => set_wanted(e.currentTarget.value)} /></label>
        {set_state && <label>State <select value={state} onChange={(e) => set_state(e.currentTarget.value)}>
          <option value="">all</option>
          {run_states.filter((s) => s === state || study.runs[s]).map((s) => <option key={s}>{s}</option>)}
        </select></label>}
        <Count found={found.length} live={live} study={study} state={state} />
      </div>
      <Refused refusal={live.refusal} />
      {!set_state && runs.length < (study.runs.total ?? 0) && <p class="muted">The last runs at that time.</p>}
      {marked.size > 1 && <Compared runs={runs.filter((r) => marked.has(r.id))} columns={columns} />}
      <div class="scroll" role="region" aria-label="Runs" tabIndex={0}>
        <table class="runs">
          <thead>
            <tr>
              <th scope="col"><span class="hidden">Compare</span></th>
              {columns.map((c) => (
                <th key={c.name} scope="col" aria-sort={sorted.name === c.name ? (sorted.down ? "descending" : "ascending") : "none"}>
                  <button class="sort" onClick={() => set_sorted({ name: c.name, down: sorted.name === c.name && !sorted.down })}>
                    {c.name}<span aria-hidden="true">{sorted.name === c.name ? (sorted.down ? " ↓" : " ↑") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, shown).map((run) => (
              <tr key={run.id}>
                <td><input type="checkbox" checked={marked.has(run.id)} onChange={() => mark(run.id)} aria-label={`Compare ${run.id}`} /></td>
                {columns.map((c) => (
                  <td key={c.name} class={typeof c.of(run) === "number" ? "number" : ""}>
                    {c.name === "run" ? <a href={`#/runs/${run.id}`}>{run.id}</a> : c.name === "state" ? <Pill word={run.state} /> : c.show ? c.show(run) : String(c.of(run))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown && <button onClick={() => set_shown(shown + at_once)}>Show {Math.min(at_once, found.length - shown)} more</button>}
      {found.length <= shown && live.more && <button onClick={live.load_more}>Load more</button>}
    </Panel>
  );
}
