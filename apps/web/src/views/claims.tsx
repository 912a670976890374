import { Panel, Pill } from "../parts/bits";
import type { Claim, Experiment, Hypothesis, Levels, Run, Study } from "../shapes";
import { levels, number } from "../words";

function agrees(run: Run, wanted: Levels): boolean {
  return Object.entries(wanted).every(([factor, level]) => String(run.factors[factor]) === String(level));
}

/// A hypothesis's evidence: the runs of its experiment that match its treatment or control, and its `where`.
export function evidence_of(h: Hypothesis, runs: Run[]): { treatment: Run[]; control: Run[] } {
  const own = runs.filter((r) => r.experiment === h.experiment && r.evidence && agrees(r, h.where));
  const arm = (of: Levels): Run[] => (Object.keys(of).length > 0 ? own.filter((r) => agrees(r, of)) : []);
  if (h.kind === "slope") return { treatment: own, control: [] };
  return { treatment: arm(h.treatment), control: arm(h.control) };
}

function Arm({ name, runs, metric }: { name: string; runs: Run[]; metric: string }) {
  if (runs.length === 0) return null;
  return (
    <details>
      <summary>{name}: {runs.length} runs</summary>
      <ul class="evidence">
        {runs.map((run) => <li key={run.id}><a href={`#/runs/${run.id}`}>{run.id}</a> <span class="number">{number(run.metrics[metric])}</span></li>)}
      </ul>
    </details>
  );
}

function Chain({ claim, study, experiments, runs }: { claim: Claim; study: Study; experiments: Experiment[]; runs: Run[] }) {
  const h = study.hypotheses?.find((one) => one.id === claim.hypothesis);
  const experiment = experiments.find((e) => e.id === claim.experiment);
  if (!h) return null;
  const { treatment, control } = evidence_of(h, runs);
  return (
    <ol class="chain">
      <li><span class="label">hypothesis</span> <a href={`#/studies/${study.id}/hypotheses`}>{h.id}</a> {h.statement} {h.reason}</li>
      {experiment && <li><span class="label">registered</span> {experiment.id}, {experiment.registered}, <code>{experiment.hash.slice(0, 16)}…</code></li>}
      <li><span class="label">evidence</span>
        <Arm name={levels(h.treatment) || levels(h.where)} runs={treatment} metric={h.metric} />
        <Arm name={levels(h.control)} runs={control} metric={h.metric} />
      </li>
    </ol>
  );
}

export function Claims({ study, claims, experiments, runs }: { study: Study; claims: Claim[]; experiments: Experiment[]; runs: Run[] }) {
  return (
    <Panel title="Claims">
      {claims.length === 0 && <p class="empty">None yet: claims are made when the study concludes.</p>}
      <ul class="bare">
        {claims.map((claim) => (
          <li class="claim" key={claim.id}>
            <details>
              <summary><strong>{claim.id}</strong> <Pill word={claim.status} /> {claim.title}</summary>
              <p>{claim.statement}</p>
              <p><span class="label">holds</span> {claim.conditions}</p>
              <p><span class="label">would be refuted by</span> {claim.falsification}</p>
              <Chain claim={claim} study={study} experiments={experiments} runs={runs} />
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
