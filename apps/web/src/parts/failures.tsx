import { useEffect, useState } from "preact/hooks";

import { page, tail } from "../api";
import { useAsked } from "../hooks";
import type { Run, Study } from "../shapes";
import { failed_runs } from "../standing";
import { counted, levels, number, plain, when } from "../words";
import { Panel, Refused } from "./bits";
import { PrintedText } from "./log";

const at_most = 1000;
const last_bytes = 2000;
const last_lines = 12;

interface Cause {
  key: string;
  runs: Run[];
}

/// Failed runs by their fingerprint, the most frequent cause first; without one, by their state and reason.
export function causes_of(runs: Run[]): Cause[] {
  const found = new Map<string, Cause>();
  for (const run of runs) {
    const key = run.fingerprint ?? `${run.state} ${run.reason ?? ""}`;
    const cause = found.get(key) ?? { key, runs: [] };
    cause.runs.push(run);
    found.set(key, cause);
  }
  return [...found.values()].sort((a, b) => b.runs.length - a.runs.length);
}

/// The arms that the runs belong to, with their numbers.
function arms_of(runs: Run[]): [string, number][] {
  const arms = new Map<string, number>();
  for (const run of runs) arms.set(levels(run.factors), (arms.get(levels(run.factors)) ?? 0) + 1);
  return [...arms].sort(([, a], [, b]) => b - a);
}

/// The command that runs it once more by hand.
export function by_hand(run: Run): string {
  return `etude try --run ${run.id}`;
}

/// How a run ended; the last lines of its output say the rest.
function ending(run: Run): string {
  if (run.state === "failed" && run.exit) return `exit status ${run.exit}`;
  return run.reason ?? plain(run.state);
}

/// The last lines that the run wrote to stderr.
function LastLines({ run }: { run: Run }) {
  const [said, set_said] = useState<string | null>(null);
  useEffect(() => {
    let over = false;
    tail(`/runs/${run.id}/log?stream=stderr`, last_bytes).then(
      (text) => over || set_said(text.trimEnd().split("\n").slice(-last_lines).join("\n")),
      () => over || set_said(""),
    );
    return () => { over = true; };
  }, [run.id]);
  if (said === null) return null;
  if (said === "") return <p class="muted">It wrote nothing to stderr.</p>;
  return <pre class="log" tabIndex={0} role="region" aria-label={`Last lines of ${run.id}`}><PrintedText text={said} /></pre>;
}

export function Command({ text }: { text: string }) {
  const [copied, set_copied] = useState(false);
  const copy = (): void => void navigator.clipboard?.writeText(text).then(() => set_copied(true), () => {});
  return <p class="command"><code>{text}</code> {"clipboard" in navigator && <button onClick={copy}>{copied ? "Copied" : "Copy"}</button>}</p>;
}

function Group({ cause }: { cause: Cause }) {
  const first = cause.runs[0]!;
  const arms = arms_of(cause.runs);
  const shown = arms.slice(0, 4);
  return (
    <section class="cause">
      <h3><span class="pill bad"><span aria-hidden="true">✗</span> {counted(cause.runs.length, "run")}</span> {ending(first)}</h3>
      <LastLines run={first} />
      <dl class="facts">
        <dt>Arms</dt><dd>{shown.map(([arm, n]) => `${arm || "the only one"} (${number(n)})`).join("; ")}{arms.length > shown.length && `; and ${counted(arms.length - shown.length, "other arm")}`}</dd>
        <dt>First</dt><dd><a href={`#/runs/${first.id}/stderr`}>{first.id}, its log</a>, {when(first.ended)}, seed {first.seed}</dd>
        <dt>Run it again</dt><dd><Command text={by_hand(first)} /><span class="muted">with the same code, setting and seed</span></dd>
      </dl>
    </section>
  );
}

/// Why runs failed, grouped by cause. Read again after the number of failed runs has changed.
export function Failures({ study, most = Infinity }: { study: Study; most?: number }) {
  const count = failed_runs(study);
  const asked = useAsked(`failures ${study.id} ${count}`, async () =>
    count === 0 ? [] : (await page<Run>(`/studies/${study.id}/runs`, { limit: at_most, state: "failed,timed_out,invalid,lost" })).items);
  if (count === 0) return <Panel title="Failures"><p class="empty">No run has failed.</p></Panel>;
  const causes = causes_of(asked.value ?? []);
  return (
    <Panel title={`${counted(count, "run")} failed${asked.value ? ` for ${causes.length === 1 ? "one reason" : `${causes.length} reasons`}` : ""}`}>
      <Refused refusal={asked.refusal} />
      {asked.value === null && !asked.refusal && <p class="muted loading">…</p>}
      {causes.slice(0, most).map((cause) => <Group key={cause.key} cause={cause} />)}
      {causes.length > most && <p><a href={`#/studies/${study.id}/failures`}>All {causes.length} reasons</a></p>}
      {count > at_most && <p class="muted">The first {number(at_most)} failed runs.</p>}
    </Panel>
  );
}
