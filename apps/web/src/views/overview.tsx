import { leading, selected, sized } from "../answers";
import { Budgets, Panel, Pill, VerdictCounts } from "../parts/bits";
import { Cells } from "../parts/cells";
import { Failures } from "../parts/failures";
import { Forest } from "../parts/forest";
import type { Study } from "../shapes";
import { failed_runs, standing, verdict_counts, verdict_of } from "../standing";
import { counted, left_words, number, plain } from "../words";

const most_answers = 3;
const most_warnings = 4;

/// What is wrong with the evidence, the gravest first.
export function warnings_of(study: Study): string[] {
  const of_hypotheses = new Map<string, string[]>();
  for (const h of study.hypotheses ?? []) for (const words of h.warnings ?? []) of_hypotheses.set(words, [...(of_hypotheses.get(words) ?? []), h.id]);
  return [
    ...(study.integrity ?? []).map((found) => `Integrity: ${found.message}`),
    ...(study.aa ?? []).filter((aa) => aa.differs).map((aa) => aa.text),
    ...(study.planted ?? []).filter((one) => !one.found).map((one) => one.text),
    ...(study.ledger.other_models ?? []),
    ...(study.ledger.understated ?? []),
    ...[...of_hypotheses].map(([words, ids]) => `${ids.join(", ")}: ${words}`),
  ];
}

function Warnings({ study }: { study: Study }) {
  const found = [...new Set(warnings_of(study))];
  if (found.length === 0) return null;
  return (
    <section class="panel warnings" aria-label="Warnings">
      <h2>{counted(found.length, "warning")}</h2>
      <ul>{found.slice(0, most_warnings).map((words) => <li key={words}>{words}</li>)}</ul>
      {found.length > most_warnings && <details><summary>{found.length - most_warnings} more</summary><ul>{found.slice(most_warnings).map((words) => <li key={words}>{words}</li>)}</ul></details>}
    </section>
  );
}

function Answer({ study }: { study: Study }) {
  const answers = leading(study);
  const search = selected(study);
  const undecided = answers.filter((h) => verdict_of(h) === "inconclusive");
  const ended = study.state === "ended";
  return (
    <Panel title="Answer">
      {search.map((words, i) => <p key={words} class={i === 0 ? "answer" : ""}>{words}</p>)}
      {answers.slice(0, most_answers).map((h, i) => (
        <p key={h.id} class={i === 0 && search.length === 0 ? "answer" : ""}><Pill word={verdict_of(h)} /> <a href={`#/studies/${study.id}/hypotheses/${h.id}`}>{h.id}</a> {sized(h, study)}</p>
      ))}
      {answers.length > most_answers && <p><a href={`#/studies/${study.id}/hypotheses`}>{counted(answers.length - most_answers, "other verdict")}</a></p>}
      {undecided.slice(0, most_answers).map((h) => h.reason && h.effect !== null && <p key={h.id} class="muted">Why {h.id} is inconclusive: {h.reason}</p>)}
      {answers.length === 0 && search.length === 0 && (
        ended ? <p class="answer">{study.outcome === "failed" ? "The study failed, so the question is not answered." : study.outcome === "cancelled" ? "The study was cancelled before a verdict." : "No hypothesis was judged, so the question is not answered."}</p>
          : <p class="answer">No verdict yet. {(study.hypotheses ?? []).length > 0 ? "Values of registered runs are shown once their experiment is analysed." : "There is no hypothesis yet."}</p>
      )}
      <VerdictCounts counts={verdict_counts(study)} />
    </Panel>
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
      <p><strong>{words}</strong>{study.state === "running" && `: ${plain(study.stage)}`}. {number(ended)} of {counted(total, "run")} so far have ended{live > 0 && `, ${number(live)} running`}{failed_runs(study) > 0 && `, ${number(failed_runs(study))} failed`}. {left && `${left.charAt(0).toUpperCase()}${left.slice(1)}.`}</p>
      {total > 0 && <progress max={total} value={ended} aria-label="Runs that have ended" />}
      {todo && <p class="needs">What to do: {todo}</p>}
      {!limits && <p class="muted">No limit is set in the budget.</p>}
    </Panel>
  );
}

/// Where a study opens: the answer, what is wrong with it, what happens and what it cost.
export function Overview({ study }: { study: Study }) {
  const units = new Map(study.metrics.map((m) => [m.name, m.unit]));
  const measured = (study.hypotheses ?? []).filter((h) => h.effect !== null);
  const ended = study.state === "ended";
  return (
    <>
      <Warnings study={study} />
      {!ended && <Now study={study} />}
      <Answer study={study} />
      {failed_runs(study) > 0 && <Failures study={study} most={2} />}
      {measured.length > 0 && <Panel title="Effects"><Forest hypotheses={measured} units={units} picked={null} /></Panel>}
      <Cells study={study} />
      {ended && <Panel title="Cost"><Budgets ledger={study.ledger} /></Panel>}
    </>
  );
}

/// The overview of an earlier state, without what only the present runs tell.
export function OverviewThen({ study }: { study: Study }) {
  return <>{study.state !== "ended" && <Now study={study} />}<Answer study={study} /></>;
}
