import { useEffect, useRef, useState } from "preact/hooks";

import { tail } from "../api";
import { address, get } from "../client";
import { useAsked } from "../hooks";
import { inks_of } from "../log_text";
import type { Run, Study } from "../shapes";
import { failed_runs } from "../standing";
import { capital, counted, levels, number, plain, when } from "../words";
import { Panel, Refused } from "./bits";
import { PrintedText } from "./log";

const at_most = 1000;
const firsts_at_most = 100;
const last_bytes = 2000;
const last_lines = 12;

/// Runs that failed for one reason.
interface Cause {
  key: string;
  count: number;
  /// Null if it was not loaded.
  first: Run | null;
  first_id: string;
  reason: string | null;
  /// Arms, with the numbers of their runs among those that were loaded.
  arms: [string, number][];
}

interface Grouped {
  causes: Cause[];
  /// Failed runs that are in no group: they have no recorded cause and were not loaded.
  others: number;
  /// Whether arms are counted of all failed runs.
  all_loaded: boolean;
}

function arms_of(runs: Run[]): [string, number][] {
  const arms = new Map<string, number>();
  for (const run of runs) arms.set(levels(run.factors), (arms.get(levels(run.factors)) ?? 0) + 1);
  return [...arms].sort(([, a], [, b]) => b - a);
}

/// Runs without a recorded cause (they were lost, or ran again), by their state and reason.
function without_cause(runs: Run[]): Cause[] {
  const found = new Map<string, Run[]>();
  for (const run of runs) {
    const key = `${run.state} ${run.reason ?? ""}`;
    found.set(key, [...(found.get(key) ?? []), run]);
  }
  return [...found].map(([key, [first, ...more]]) => ({
    key, count: 1 + more.length, first: first!, first_id: first!.id, reason: first!.reason, arms: arms_of([first!, ...more]),
  }));
}

/// The server groups all failed runs by their causes; the first runs say the rest.
async function grouped(study: Study, total: number): Promise<Grouped> {
  if (total === 0) return { causes: [], others: 0, all_loaded: true };
  const { id } = study;
  const [{ items }, loaded] = await Promise.all([
    get("/studies/{id}/failures", { id }), get("/studies/{id}/runs", { id, limit: at_most, state: "failed,timed_out,invalid,lost" }),
  ]);
  const runs = loaded.items;
  const by_cause = new Map<string, Run[]>();
  for (const run of runs) if (run.fingerprint) by_cause.set(run.fingerprint, [...(by_cause.get(run.fingerprint) ?? []), run]);
  const by_id = new Map(runs.map((run) => [run.id, run]));
  const missing = items.slice(0, firsts_at_most).map(({ first }) => first).filter((id) => !by_id.has(id));
  if (missing.length > 0) {
    const numbers = missing.map((id) => id.slice(id.lastIndexOf("-r") + 2)).join(",");
    for (const run of (await get("/studies/{id}/runs", { id, limit: at_most, numbers })).items) by_id.set(run.id, run);
  }
  const causes = items.map(({ fingerprint, runs: count, first, reason }): Cause => ({
    key: fingerprint, count, first: by_id.get(first) ?? null, first_id: first, reason, arms: arms_of(by_cause.get(fingerprint) ?? []),
  }));
  causes.push(...without_cause(runs.filter((run) => !run.fingerprint)));
  causes.sort((a, b) => b.count - a.count);
  return { causes, others: Math.max(0, total - causes.reduce((sum, { count }) => sum + count, 0)), all_loaded: loaded.cursor === null };
}

/// The command that runs it once more by hand.
export function by_hand(run: string): string {
  return `etude try --run ${run}`;
}

/// How a run ended; the last lines of its output say the rest.
function ending({ first, reason }: Cause): string {
  if (first?.state === "failed" && first.exit) return `exit status ${first.exit}`;
  return reason ?? (first ? plain(first.state) : "no reason is recorded");
}

/// Why most of its failed runs failed: the last line that the first of them wrote to stderr, else the recorded reason. Without
/// such runs, why the study ended.
export function FirstCause({ study }: { study: Study }) {
  const said = useAsked(`cause ${study.id}`, async () => {
    const first = (await get("/studies/{id}/failures", { id: study.id })).items[0];
    if (!first) return { run: null, line: plain(study.detail ?? study.reason ?? "") };
    const lines = await tail(address("/runs/{id}/log", { id: first.first, stream: "stderr" }), last_bytes).catch(() => "");
    return { run: first.first, line: inks_of(lines).text.trimEnd().split("\n").at(-1)?.trim() || (first.reason ?? "no reason is recorded") };
  });
  if (!said.value?.line) return null;
  const { run, line } = said.value;
  return run ? <><a href={`#/runs/${run}/stderr`}>{run}</a>: <code>{line}</code></> : <>{capital(line)}</>;
}

/// The last lines that the run wrote to stderr.
function LastLines({ run }: { run: string }) {
  const [said, set_said] = useState<string | null>(null);
  useEffect(() => {
    let over = false;
    tail(address("/runs/{id}/log", { id: run, stream: "stderr" }), last_bytes).then(
      (text) => over || set_said(text.trimEnd().split("\n").slice(-last_lines).join("\n")),
      () => over || set_said(""),
    );
    return () => { over = true; };
  }, [run]);
  if (said === null) return null;
  if (said === "") return <p class="muted">It wrote nothing to stderr.</p>;
  return <pre class="log" tabIndex={0} role="region" aria-label={`Last lines of ${run}`}><PrintedText text={said} /></pre>;
}

export function Command({ text }: { text: string }) {
  const [copied, set_copied] = useState(false);
  const copy = (): void => void navigator.clipboard?.writeText(text).then(() => set_copied(true), () => {});
  return <p class="command"><code>{text}</code> {"clipboard" in navigator && <button onClick={copy}>{copied ? "Copied" : "Copy"}</button>}</p>;
}

function Group({ cause, all_loaded }: { cause: Cause; all_loaded: boolean }) {
  const { first, first_id, arms } = cause;
  const shown = arms.slice(0, 4);
  const named = shown.map(([arm, n]) => `${arm || "the only one"} (${number(n)})`).join("; ") || (first && levels(first.factors)) || "the only one";
  return (
    <section class="cause">
      <h3><span class="pill bad"><span aria-hidden="true">✗</span> {counted(cause.count, "run")}</span> {ending(cause)}</h3>
      <LastLines run={first_id} />
      <dl class="facts">
        <dt>Arms</dt><dd>{named}{arms.length > shown.length && `; and ${counted(arms.length - shown.length, "other arm")}`}{!all_loaded && <span class="muted"> of the first {number(at_most)} failed runs</span>}</dd>
        <dt>First</dt><dd><a href={`#/runs/${first_id}/stderr`}>{first_id}, its log</a>{first && `, ${when(first.ended)}, seed ${first.seed}`}</dd>
        <dt>Run it again</dt><dd><Command text={by_hand(first_id)} /><span class="muted">with the same code, setting and seed</span></dd>
      </dl>
    </section>
  );
}

/// Why runs failed, grouped by cause. Asked for again after the number of failed runs has changed.
export function Failures({ study, most = Infinity }: { study: Study; most?: number }) {
  const count = failed_runs(study);
  const asked = useAsked(`failures ${study.id}`, () => grouped(study, count));
  const known = useRef(count);
  useEffect(() => {
    if (known.current !== count) asked.again();
    known.current = count;
  }, [count]);
  if (count === 0) return <Panel title="Failures"><p class="empty">No run has failed.</p></Panel>;
  const { causes, others, all_loaded } = asked.value ?? { causes: [], others: 0, all_loaded: true };
  return (
    <Panel title={`${counted(count, "run")} failed${causes.length > 0 && others === 0 ? ` for ${causes.length === 1 ? "one reason" : `${number(causes.length)} reasons`}` : ""}`}>
      <Refused refusal={asked.refusal} />
      {asked.value === null && !asked.refusal && <p class="muted loading">…</p>}
      {causes.slice(0, most).map((cause) => <Group key={cause.key} cause={cause} all_loaded={all_loaded} />)}
      {causes.length > most && <p><a href={`#/studies/${study.id}/failures`}>All {number(causes.length)} reasons</a></p>}
      {others > 0 && <p class="muted">{others === 1 ? "Another run failed" : `${number(others)} other runs failed`} without a recorded cause: <a href={`#/studies/${study.id}/runs`}>see the runs</a>.</p>}
    </Panel>
  );
}
