import { useEffect, useRef } from "preact/hooks";

import { leading, selected, sized } from "../answers";
import { get } from "../client";
import { useAsked } from "../hooks";
import { Budgets, Panel, Pill, VerdictCounts } from "../parts/bits";
import { Cells } from "../parts/cells";
import { Failures, FirstCause } from "../parts/failures";
import { Forest } from "../parts/forest";
import { Term } from "../parts/term";
import type { Hypothesis, Study } from "../shapes";
import { cautions_of, failed_runs, standing, verdict_counts, verdict_of } from "../standing";
import { capital, counted, left_words, levels, listed, number, plain, when, without_stderr } from "../words";

const most_answers = 3;
const most_warnings = 4;
const most_of_search = 3; // Sentences.

const check_skipped = "The manipulation check was skipped (design.smoke: false): nothing shows that the parameters act.";

/// What is wrong with the evidence, the gravest first.
export function warnings_of(study: Study): string[] {
  const of_hypotheses = new Map<string, string[]>();
  for (const h of study.hypotheses ?? []) for (const words of cautions_of(h)) of_hypotheses.set(words, [...(of_hypotheses.get(words) ?? []), h.id]);
  for (const { message } of study.integrity ?? []) of_hypotheses.delete(message);
  const checked = (serious: boolean): string[] => (study.manipulation_check ?? []).filter((found) => found.serious === serious).map((found) => `Manipulation check: ${found.message}`);
  return [
    ...(study.integrity ?? []).map((found) => `Integrity: ${found.message}`),
    ...checked(true),
    ...(study.manipulation_check_skipped ? [check_skipped] : []),
    ...(study.aa ?? []).filter((aa) => aa.differs).map((aa) => aa.text),
    ...(study.planted ?? []).filter((one) => !one.found).map((one) => one.text),
    ...(study.ledger.other_models ?? []),
    ...(study.ledger.understated ?? []),
    ...[...of_hypotheses].map(([words, ids]) => `${ids.join(", ")}: ${words}`),
    ...checked(false),
  ].map(capital);
}

const fewest_alike = 3;

/// Warnings that differ in hypotheses and numbers only are one.
function alike(found: string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const words of found) {
    const key = words.replaceAll(/\bH\d+(, )?/g, "").replaceAll(/\([^)]*\)/g, "").replaceAll(/\d[\d.,]*/g, "#");
    groups.set(key, [...(groups.get(key) ?? []), words]);
  }
  return [...groups.values()].flatMap((group) => (group.length < fewest_alike ? group.map((words) => [words]) : [group]));
}

const longest = 200; // Characters of a warning or of a sentence about a hypothesis.

/// A long text is cut at a word; a click shows all of it.
function Short({ words }: { words: string }) {
  if (words.length <= longest) return <>{words}</>;
  return <details class="short"><summary>{words.slice(0, words.lastIndexOf(" ", longest))} …</summary>{words}</details>;
}

function Warning({ group }: { group: string[] }) {
  const [first, ...others] = group;
  if (others.length === 0) return <li><Short words={first!} /></li>;
  return <li><Short words={first!} /> <details><summary>{others.length} more of this kind</summary><ul>{others.map((words) => <li key={words}>{words}</li>)}</ul></details></li>;
}

function Warnings({ study }: { study: Study }) {
  const found = [...new Set(warnings_of(study))];
  if (found.length === 0) return null;
  const groups = alike(found);
  return (
    <section class="panel warnings" aria-label="Warnings">
      <h2>{counted(found.length, "warning")}</h2>
      <ul>{groups.slice(0, most_warnings).map((group) => <Warning key={group[0]} group={group} />)}</ul>
      {groups.length > most_warnings && <details><summary>{groups.length - most_warnings} more</summary><ul>{groups.slice(most_warnings).map((group) => <Warning key={group[0]} group={group} />)}</ul></details>}
    </section>
  );
}

function Answer({ study }: { study: Study }) {
  const answers = leading(study);
  const search = [...new Set(selected(study))];
  /// The first sentence about a search may have the size already.
  const said = (h: Hypothesis): string => {
    const size = without_stderr(sized(h, study));
    return search.some((words) => words.toLowerCase().includes(size.toLowerCase())) ? h.statement : size;
  };
  const reasons = new Map<string, string[]>();
  for (const h of answers.slice(0, most_answers)) if (verdict_of(h) === "inconclusive" && h.reason && h.effect !== null) reasons.set(without_stderr(h.reason), [...(reasons.get(without_stderr(h.reason)) ?? []), h.id]);
  const ended = study.state === "ended";
  const failed = ended && study.outcome === "failed";
  const shown = new Set(answers.slice(0, most_answers).map((h) => h.metric));
  const better = study.metrics.filter((m) => shown.has(m.name)).map((m) => `${m.goal === "maximize" ? "higher" : "lower"} ${m.name} is better`);
  return (
    <Panel title="Answer">
      {study.reproduces && <p class="muted">A reproduction: it runs again the runs of the study whose log ends with {study.reproduces.slice(0, 12)}.</p>}
      {failed && <p class="answer">The study failed, so the question is not answered. <FirstCause study={study} /></p>}
      {search.slice(0, most_of_search).map((words, i) => <p key={words} class={i === 0 && !failed ? "answer" : ""}>{words}</p>)}
      {search.length > most_of_search && <details><summary>More of what the search found</summary>{search.slice(most_of_search).map((words) => <p key={words}>{words}</p>)}</details>}
      {answers.slice(0, most_answers).map((h, i) => (
        <p key={h.id} class={i === 0 && search.length === 0 && !failed ? "answer" : ""}><Pill word={verdict_of(h)} /> <a href={`#/studies/${study.id}/hypotheses/${h.id}`}>{h.id}</a> <Short words={said(h)} /></p>
      ))}
      {answers.length > most_answers && <p><a href={`#/studies/${study.id}/hypotheses`}>{counted(answers.length - most_answers, "other verdict")}</a></p>}
      {better.length > 0 && <p class="muted">{capital(better.join("; "))}.</p>}
      {[...reasons].map(([reason, ids]) => <p key={reason} class="muted">Why {listed(ids)} {ids.length === 1 ? "is" : "are"} inconclusive: {reason}</p>)}
      {answers.length === 0 && search.length === 0 && !failed && (
        ended ? <p class="answer">{study.outcome === "cancelled" ? "The study was cancelled before a verdict." : "No hypothesis was judged, so the question is not answered."}</p>
          : <p class="answer">No verdict yet. {(study.hypotheses ?? []).length > 0 ? <>Values of <Term of="registration">registered</Term> runs are shown once their experiment is analysed.</> : "There is no hypothesis yet."}</p>
      )}
      {(answers.length > most_answers || answers.length === 0) && <VerdictCounts counts={verdict_counts(study)} />}
    </Panel>
  );
}

const most_running = 3;

/// The first running runs, asked for again after the numbers of runs have changed.
function Running({ study }: { study: Study }) {
  const { runs } = study;
  const asked = useAsked(`running ${study.id}`, async () => (await get("/studies/{id}/runs", { id: study.id, state: "running", limit: most_running })).items);
  const stage = [runs.running, runs.starting, runs.succeeded, failed_runs(study)].join();
  const known = useRef(stage);
  useEffect(() => {
    if (known.current !== stage) asked.again();
    known.current = stage;
  }, [stage]);
  const shown = asked.value?.filter((run) => run.state === "running") ?? [];
  if (shown.length === 0) return null;
  return (
    <ul class="plain" aria-label="Running runs">
      {shown.map((run) => <li key={run.id}><a href={`#/runs/${run.id}`}>{run.id}</a> {[levels(run.factors), run.started && `since ${when(run.started)}`].filter(Boolean).join(", ")}</li>)}
      {(runs.running ?? 0) > shown.length && <li><a href={`#/studies/${study.id}/runs?state=running`}>{counted((runs.running ?? 0) - shown.length, "other running run")}</a></li>}
    </ul>
  );
}

/// What happens now, how much is left and what it has cost.
function Now({ study }: { study: Study }) {
  const { words, todo } = standing(study);
  const live = (study.runs.running ?? 0) + (study.runs.starting ?? 0);
  const total = study.runs.total ?? 0;
  const ended = total - live - (study.runs.queued ?? 0);
  const left = left_words(study.left);
  const limits = Object.values(study.ledger).some((entry) => (entry as { limit?: number | null } | null)?.limit != null);
  return (
    <Panel title="Now">
      <p><strong>{capital(words)}</strong>{study.state === "running" && !todo && `: ${plain(study.stage)}`}. {total === 0 ? "No run has started." : <>{number(ended)} of {counted(total, "run")} {total === 1 ? "has" : "have"} ended{live > 0 && `, ${number(live)} running`}{failed_runs(study) > 0 && `, ${number(failed_runs(study))} failed`}.</>} {left && `${capital(left)}.`}{study.detail && ` ${capital(study.detail)}.`}</p>
      {total > 0 && <progress max={total} value={ended} aria-label="Runs that have ended" />}
      {live > 0 && <Running study={study} />}
      {todo && <p class="needs">What to do: {todo}</p>}
      {!limits && <p class="muted">No limit is set in the budget.</p>}
    </Panel>
  );
}

/// Checks that passed.
function Checks({ study }: { study: Study }) {
  const passed = [...(study.aa ?? []).filter((aa) => !aa.differs), ...(study.planted ?? []).filter((one) => one.found)].map((one) => one.text);
  if (passed.length === 0) return null;
  return <Panel title="Checks"><p class="muted">Of the <Term of="A/A comparison">control compared with itself</Term> and of <Term of="planted effect">planted effects</Term>.</p><ul>{passed.map((words) => <li key={words}>{words}</li>)}</ul></Panel>;
}

/// Where a study opens: the answer, what is wrong with it, what happens and what it cost.
export function Overview({ study }: { study: Study }) {
  const measured = (study.hypotheses ?? []).filter((h) => h.effect !== null);
  const ended = study.state === "ended";
  return (
    <>
      <Warnings study={study} />
      {!ended && <Now study={study} />}
      <Answer study={study} />
      {failed_runs(study) > 0 && <Failures study={study} most={2} />}
      {measured.length > 0 && <Panel title="Effects"><Forest hypotheses={measured} metrics={study.metrics} picked={null} /></Panel>}
      <Cells study={study} />
      <Checks study={study} />
      {ended && <Panel title="Cost"><Budgets ledger={study.ledger} /></Panel>}
    </>
  );
}

/// The overview of an earlier state, without what only the present runs tell.
export function OverviewThen({ study }: { study: Study }) {
  return <>{study.state !== "ended" && <Now study={study} />}<Answer study={study} /></>;
}
