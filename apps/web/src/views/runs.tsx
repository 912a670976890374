import { useMemo, useState } from "preact/hooks";

import { all } from "../client";
import { runs_in } from "../standing";
import { run_states } from "../generated";
import { useSettings } from "../hooks";
import { Panel, Pill, Refused } from "../parts/bits";
import { Curves, most_curves } from "../parts/curves";
import { type Column, columns_of, condition, type Group, groups_csv, groups_of, moments, runs_csv, sorted_by, without_number } from "../runs_table";
import type { LiveRuns } from "../runs_live";
import type { Run, Study } from "../shapes";
import { duration, number } from "../words";

const at_once = 100;

function Compared({ runs, columns }: { runs: Run[]; columns: Column[] }) {
  return (
    <Panel title={`${runs.length} runs compared`}>
      <div class="scroll" role="region" aria-label="Compared runs" tabIndex={0}>
        <table>
          <tbody>
            {columns.map((column) => {
              const shown = runs.map(column.show);
              return (
                <tr key={column.name} class={new Set(shown).size > 1 ? "differs" : ""}>
                  <th scope="row">{column.title}</th>
                  {shown.map((value, i) => <td key={i}>{value}</td>)}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Curves runs={runs} metrics={columns.map((column) => column.name)} />
      {runs.filter((r) => r.points > 1).length > most_curves && <p class="muted">Curves of the first {most_curves} of them.</p>}
    </Panel>
  );
}

/// The number of rows that are shown, and the number of all rows.
function Count({ found, live, study, state }: { found: number; live: LiveRuns; study: Study; state: string }) {
  const total = state ? runs_in(study, state) : study.runs.total;
  const loaded = live.more || (live.runs.length < (total ?? 0) && !live.filtered) ? `${number(live.runs.length)} loaded of ${number(total)}` : number(live.filtered ? total : live.runs.length);
  return <span class="muted" role="status">{number(found)} of {loaded}</span>;
}

interface Sorting {
  by: string;
  down: boolean;
  sort: (name: string) => void;
}

function Heads({ columns, sorting }: { columns: { name: string; title: string }[]; sorting: Sorting }) {
  return (
    <>
      {columns.map((c) => (
        <th key={c.name} scope="col" aria-sort={sorting.by === c.name ? (sorting.down ? "descending" : "ascending") : "none"}>
          <button class="sort" onClick={() => sorting.sort(c.name)}>
            {c.title}<span aria-hidden="true">{sorting.by === c.name ? (sorting.down ? " ↓" : " ↑") : ""}</span>
          </button>
        </th>
      ))}
    </>
  );
}

/// Means and standard deviations of the runs with one setting.
function Grouped({ groups, by, columns, sorting, narrow }: { groups: Group[]; by: string; columns: Column[]; sorting: Sorting; narrow: ((group: Group) => void) | null }) {
  const measured = columns.filter((c) => c.measured);
  const value = (group: Group): string | number => {
    if (sorting.by === "runs") return group.runs.length;
    if (sorting.by === "succeeded") return group.succeeded;
    const column = measured.find((c) => c.name === sorting.by);
    return column ? (moments(group, column)?.mean ?? Number.POSITIVE_INFINITY) : group.name;
  };
  const sorted = sorted_by(groups, value, sorting.down);
  return (
    <table class="runs">
      <caption>Mean ± standard deviation of the runs that have a value</caption>
      <thead><tr><Heads columns={[{ name: by, title: by }, { name: "runs", title: "runs" }, { name: "succeeded", title: "succeeded" }, ...measured]} sorting={sorting} /></tr></thead>
      <tbody>
        {sorted.map((group) => (
          <tr key={group.name}>
            <th scope="row">{narrow ? <button class="sort" data-row onClick={() => narrow(group)}>{group.name}</button> : group.name}</th>
            <td class="number">{group.runs.length}</td>
            <td class="number">{group.succeeded}</td>
            {measured.map((c) => {
              const of = moments(group, c);
              const show = (v: number): string => (c.name === "wall" ? duration(v) : number(v));
              return <td key={c.name} class="number">{of ? `${show(of.mean)}${of.sd === null ? "" : ` ± ${c.name === "wall" ? duration(of.sd) : number(of.sd, 2)}`}` : group.runs.every((r) => r.withheld) ? "withheld" : "–"}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/// Sorting, conditions, groups and columns stand in the address. `set_state`: null for the runs of an earlier state of the study.
export function Runs({ study, live, state, set_state }: { study: Study; live: LiveRuns; state: string; set_state: ((state: string) => void) | null }) {
  const runs = live.runs;
  const [settings, change] = useSettings();
  const [shown, set_shown] = useState(at_once);
  const [choosing, set_choosing] = useState(false);
  const wanted = settings.get("find") ?? "";
  const by = settings.get("group") ?? "";
  const marked = new Set((settings.get("mark") ?? "").split(",").filter(Boolean));
  const hidden = new Set((settings.get("without") ?? "").split("|").filter(Boolean));
  const sorting: Sorting = {
    by: (settings.get("sort") ?? (by || "run")).replace(/^-/, ""),
    down: settings.get("sort")?.startsWith("-") ?? false,
    sort: (name) => change({ sort: sorting.by === name && !sorting.down ? `-${name}` : name }),
  };
  const columns = useMemo(() => columns_of(study, runs), [study.id, study.metrics.length, runs]);
  const visible = columns.filter((c) => c.name === "run" || !hidden.has(c.name));
  const select = (from: Run[]): Run[] => {
    const column = columns.find((c) => c.name === sorting.by) ?? columns[0]!;
    return sorted_by(from.filter(condition(wanted, columns)), column.of, sorting.down);
  };
  const found = useMemo(() => select(runs), [runs, columns, sorting.by, sorting.down, wanted]);
  const odd = without_number(wanted, columns);
  const groups = useMemo(() => (by ? groups_of(found, by) : []), [found, by]);
  const factors = [...new Set(runs.flatMap((r) => Object.keys(r.factors)))];
  const mark = (number: string): void => {
    const next = new Set(marked);
    if (!next.delete(number)) next.add(number);
    change({ mark: [...next].join(",") });
  };
  const hide = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    change({ without: [...next].join("|") });
  };
  /// Of all runs, also those that were not loaded.
  const csv = async (): Promise<void> => {
    const everything = live.more ? (await all("/studies/{id}/runs", { id: study.id })).filter((r) => !state || r.state === state) : runs;
    const rows = select(everything);
    save(`${study.id}-${by ? `runs-by-${by}` : "runs"}.csv`, by ? groups_csv(groups_of(rows, by), visible, by) : runs_csv(rows, visible));
  };
  const compared = runs.filter((r) => marked.has(String(r.number)));
  return (
    <Panel title="Runs">
      <div class="tools">
        <label>Find <input type="search" placeholder="arm=fast wall<2" title="Words, or conditions on a column: = != < <= > >=" value={wanted} onInput={(e) => change({ find: e.currentTarget.value })} /></label>
        {set_state && <label>State <select value={state} onChange={(e) => set_state(e.currentTarget.value)}>
          <option value="">all</option>
          {run_states.filter((s) => s === state || runs_in(study, s) > 0).map((s) => <option key={s}>{s}</option>)}
        </select></label>}
        <label>Group by <select value={by} onChange={(e) => change({ group: e.currentTarget.value, sort: "" })}>
          <option value="">nothing</option><option value="cell">cell</option>
          {factors.length > 1 && factors.map((f) => <option key={f} value={f}>{f}</option>)}
        </select></label>
        <details class="choice" onToggle={(e) => set_choosing(e.currentTarget.open)}>
          <summary>Columns</summary>
          {choosing && <div>{columns.filter((c) => c.name !== "run").map((c) => <label key={c.name}><input type="checkbox" checked={!hidden.has(c.name)} onChange={() => hide(c.name)} /> {c.title}</label>)}</div>}
        </details>
        <button onClick={() => void csv()}>CSV</button>
        <Count found={found.length} live={live} study={study} state={state} />
      </div>
      <Refused refusal={live.refusal} />
      {odd.length > 0 && <p class="muted" role="status">{odd.join(", ")}: give a number behind the sign.</p>}
      {!set_state && runs.length < (study.runs.total ?? 0) && <p class="muted">The last runs at that time.</p>}
      {compared.length > 1 && <Compared runs={compared} columns={columns} />}
      <div class="scroll" role="region" aria-label="Runs" tabIndex={0}>
        {by ? <Grouped groups={groups} by={by} columns={visible} sorting={sorting} narrow={by === "cell" ? null : (group) => change({ group: "", sort: "", find: `${wanted} ${by}=${group.name}`.trim() })} /> : (
          <table class="runs">
            <thead><tr><th scope="col"><span class="hidden">Compare</span></th><Heads columns={visible} sorting={sorting} /></tr></thead>
            <tbody>
              {found.slice(0, shown).map((run) => (
                <tr key={run.id}>
                  <td><input type="checkbox" checked={marked.has(String(run.number))} onChange={() => mark(String(run.number))} aria-label={`Compare ${run.id}`} /></td>
                  {visible.map((c) => (
                    <td key={c.name} class={typeof c.of(run) === "number" ? "number" : ""}>
                      {c.name === "run" ? <a data-row href={`#/runs/${run.id}`}>{run.id}</a> : c.name === "state" ? <Pill word={run.state} /> : c.show(run)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {found.length === 0 && (wanted !== "" || (state !== "" && set_state !== null)) && (
        <p class="empty" role="status">No run matches. <button onClick={() => change({ find: "", state: "" })}>Clear the conditions</button></p>
      )}
      {!by && found.length > shown && <button onClick={() => set_shown(shown + at_once)}>Show {Math.min(at_once, found.length - shown)} more</button>}
      {(by !== "" || found.length <= shown) && live.more && <button onClick={live.load_more}>Load more</button>}
    </Panel>
  );
}
