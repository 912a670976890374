import { get } from "../client";
import { useAsked, useLive } from "../hooks";
import { Connection, Panel, Pill, Refused } from "../parts/bits";
import type { Health, Run } from "../shapes";
import { bytes, cores, levels, when } from "../words";

const live = new Set(["starting", "running"]);
const most_waiting = 50;

interface Seen {
  health: Health;
  leased: Run[];
  queued: Run[];
  waiting: number;
}

async function look(): Promise<Seen> {
  const health = await get("/health");
  // Live runs are few. Of the waiting runs the first are shown; the study has their number.
  const of = async (state: string, limit: number): Promise<Run[]> =>
    (await Promise.all(health.studies.map(async (id) => (await get("/studies/{id}/runs", { id, state, limit })).items))).flat();
  const [leased, queued, studies] = await Promise.all([
    of("starting,running", 1000), of("queued", most_waiting), Promise.all(health.studies.map((id) => get("/studies/{id}", { id }))),
  ]);
  return { health, leased, queued, waiting: studies.reduce((sum, study) => sum + (study.runs.queued ?? 0), 0) };
}

function Share({ name, used, of, show }: { name: string; used: number; of: number; show: (value: number) => string }) {
  if (of <= 0) return null;
  const text = `${show(used)} of ${show(of)}`;
  return (
    <div class="budget">
      <span class="label">{name}</span>
      <meter min={0} max={of} value={used} aria-label={`${name}: ${text}`} />
      <span class="amount">{text}</span>
    </div>
  );
}

function Table({ name, runs }: { name: string; runs: Run[] }) {
  return (
    <div class="scroll" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Run</th><th scope="col">State</th><th scope="col">Leased</th><th scope="col">What</th><th scope="col">Since</th></tr></thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td><a href={`#/runs/${run.id}`}>{run.id}</a></td>
              <td><Pill word={run.state} /></td>
              <td>{live.has(run.state) ? <>{cores(run.lease.cpus)}{run.lease.memory_bytes > 0 && `, ${bytes(run.lease.memory_bytes)}`}{run.lease.gpus.length > 0 && `, GPU ${run.lease.gpus.join(", ")}`}</> : "–"}</td>
              <td>{levels(run.factors)}</td>
              <td>{when(run.started)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/// The resources of this machine, the runs that hold them, and the waiting runs.
export function MachineView() {
  const asked = useAsked("machine", look);
  const connected = useLive(null, asked.again);
  const seen = asked.value;
  if (!seen) return asked.refusal ? <Refused refusal={asked.refusal} /> : <p class="muted" role="status">…</p>;
  const { machine } = seen.health;
  const sum = (of: (run: Run) => number): number => seen.leased.reduce((total, run) => total + of(run), 0);
  const held = new Set(seen.leased.flatMap((run) => run.lease.gpus));
  return (
    <>
      <div class="head"><h1>Machine</h1><Connection live={connected} /></div>
      <Panel title="Leased">
        <div class="budgets">
          <Share name="cores" used={sum((r) => r.lease.cpus)} of={machine.cpus} show={String} />
          <Share name="memory" used={sum((r) => r.lease.memory_bytes)} of={machine.memory_bytes} show={bytes} />
          <Share name="GPUs" used={held.size} of={machine.gpus.length} show={String} />
        </div>
        {seen.leased.length > 0 ? <Table name="Runs with a lease" runs={seen.leased} /> : <p class="empty">Nothing runs.</p>}
      </Panel>
      <Panel title="Queue">
        {seen.queued.length === 0 ? <p class="empty">No run waits.</p> : <Table name="Runs that wait" runs={seen.queued.slice(0, most_waiting)} />}
        {seen.waiting > most_waiting && <p class="muted">and {seen.waiting - most_waiting} more</p>}
      </Panel>
    </>
  );
}
