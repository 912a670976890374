import { useEffect, useState } from "preact/hooks";

import { Refusal } from "../api";
import { get } from "../client";
import { Panel, Pill, Refused } from "../parts/bits";
import { in_words, is_relative } from "../parts/forest";
import { Term } from "../parts/term";
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

const at_once = 100;

/// The runs of one arm, loaded when they are opened.
function Evidence({ h, arm }: { h: Hypothesis; arm: Levels }) {
  const [runs, set_runs] = useState<Run[] | null>(null);
  const [cursor, set_cursor] = useState<string | null>("");
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const study = location.hash.split("/")[2]!;
  const more = (): void => {
    const levels_ = { ...h.where, ...arm };
    const where = Object.entries(levels_).map(([factor, level]) => `${factor}=${level}`);
    get("/studies/{id}/runs", { id: study, limit: at_once, experiment: h.experiment, where, cursor }).then(
      (next) => {
        set_runs([...(runs ?? []), ...next.items.filter((run) => run.evidence)]);
        set_cursor(next.cursor);
      },
      (error: unknown) => { if (error instanceof Refusal) set_refusal(error); },
    );
  };
  useEffect(more, []);
  return (
    <>
      <Refused refusal={refusal} />
      <ul class="evidence">
        {runs?.map((run) => <li key={run.id}><a href={`#/runs/${run.id}`}>{run.id}</a> <span class="number">{number(run.metrics[h.metric])}</span></li>)}
      </ul>
      {runs && cursor !== null && <button onClick={more}>Show more</button>}
    </>
  );
}

function Arm({ h, arm, count }: { h: Hypothesis; arm: Levels; count: number | undefined }) {
  const [open, set_open] = useState(false);
  const name = levels({ ...arm }) || levels(h.where) || "all its runs";
  return (
    <details onToggle={(e) => set_open(e.currentTarget.open)}>
      <summary>{name}{count !== undefined && `: ${count} runs`}</summary>
      {open && <Evidence h={h} arm={arm} />}
    </details>
  );
}

function Chain({ claim, study, experiments }: { claim: Claim; study: Study; experiments: Experiment[] }) {
  const h = study.hypotheses?.find((one) => one.id === claim.hypothesis);
  const experiment = experiments.find((e) => e.id === claim.experiment);
  if (!h) return null;
  const arms = Object.keys(h.control).length > 0;
  return (
    <ol class="chain">
      <li><span class="label">hypothesis</span> <a href={`#/studies/${study.id}/hypotheses/${h.id}`}>{h.id}</a> {h.statement} {h.reason}
        {h.reading && <ul class="muted">{h.reading.text.map((sentence) => <li key={sentence}>{sentence}</li>)}</ul>}</li>
      {h.effect !== null && <li><span class="label">measured</span> <span class="number">{in_words(h, is_relative(h), study.metrics.find((m) => m.name === h.metric)?.unit ?? null)}</span></li>}
      {experiment && <li><span class="label"><Term of="registration">registered</Term></span> {experiment.id}, {experiment.registered}, <code>{experiment.hash.slice(0, 16)}…</code></li>}
      <li><span class="label"><Term of="evidence">evidence</Term></span>
        <Arm h={h} arm={h.kind === "slope" ? {} : h.treatment} count={(h.reading?.runs ?? h.n)?.[0]} />
        {h.kind !== "slope" && arms && <Arm h={h} arm={h.control} count={(h.reading?.runs ?? h.n)?.[1]} />}
      </li>
    </ol>
  );
}

/// The verdict of its hypothesis; an artifact says "hypothesis" of a claim that is not decided.
function pill_of(claim: Claim, study: Study): string {
  return study.hypotheses?.find((one) => one.id === claim.hypothesis)?.verdict ?? claim.status;
}

/// `first`: the claim that is open at first.
export function Claims({ study, claims, experiments, first }: { study: Study; claims: Claim[]; experiments: Experiment[]; first: string | null }) {
  return (
    <Panel title="Claims">
      {claims.length === 0 && <p class="empty">None yet: claims are made when the study concludes.</p>}
      <ul class="bare">
        {claims.map((claim) => (
          <li class="claim" key={claim.id}>
            <details open={claim.id === first}>
              <summary><strong>{claim.id}</strong> <Pill word={pill_of(claim, study)} /> {claim.title}</summary>
              <p>{claim.statement}</p>
              <p><span class="label">holds under</span> {claim.conditions}</p>
              <p><span class="label">would be refuted by</span> {claim.falsification}</p>
              <Chain claim={claim} study={study} experiments={experiments} />
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
