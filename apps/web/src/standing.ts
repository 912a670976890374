// Where a study stands, in words for people: the same word, mark and colour in the list, the head and the overview.

import type { AnyStudy, Hypothesis } from "./shapes";
import { counted, plain } from "./words";

export type Tone = "good" | "bad" | "warn" | "live" | "quiet";

export interface Standing {
  words: string;
  tone: Tone;
  mark: string;
  /// What a person has to do before the study goes on; null: nothing.
  todo: string | null;
}

export const verdicts = ["supported", "refuted", "no_relevant_effect", "inconclusive"] as const;
const failing = ["failed", "timed_out", "invalid", "lost"];

/// Of each verdict, and of "withdrawn", "exploratory" and "open", the number of hypotheses. Lists of studies have the counts only.
export function verdict_counts(study: AnyStudy): Record<string, number> {
  if (!("hypotheses" in study)) return study.verdicts;
  const counts: Record<string, number> = {};
  for (const h of study.hypotheses) counts[verdict_of(h)] = (counts[verdict_of(h)] ?? 0) + 1;
  return counts;
}

export function verdict_of(h: Hypothesis): string {
  return h.withdrawn ? "withdrawn" : h.status === "exploratory" ? "exploratory" : (h.verdict ?? "open");
}

/// The warnings of its verdict; none if it rests on no run, because they are about its evidence.
export function cautions_of(h: Hypothesis): string[] {
  return h.n?.every((units) => units === 0) ? [] : (h.warnings ?? []);
}

/// The number of its runs in a state.
export function runs_in(study: AnyStudy, state: string): number {
  return (study.runs as Record<string, number>)[state] ?? 0;
}

export function failed_runs(study: AnyStudy): number {
  return failing.reduce((sum, state) => sum + runs_in(study, state), 0);
}

/// What a paused study needs before it goes on.
function pause_todo(study: AnyStudy): string {
  const resume = `etude resume ${study.id}`;
  if (study.reason === "budget") return `Raise the limit: ${resume} --budget ${!study.limit ? "KEY=VALUE" : study.limit === "wall" ? "wall=T" : `${study.limit}=N`}.`;
  if (study.reason === "disk") return "Make room on the disk; then the study continues by itself.";
  if (study.reason === "seed") return `Let the code use its seed, then: etude amend ${study.id} --why "…".`;
  if (study.reason === "looks") return `No further look at the test data is left. End it: etude cancel ${study.id}.`;
  return `Resume it here, or with: ${resume}.`;
}

function concluded(study: AnyStudy): Standing {
  const counts = verdict_counts(study);
  const open = (counts.inconclusive ?? 0) + (counts.open ?? 0);
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0) - (counts.withdrawn ?? 0) - (counts.exploratory ?? 0);
  const failed = failed_runs(study);
  if (failed > 0 && !study.runs.succeeded) return { words: "failed: no run succeeded", tone: "bad", mark: "✗", todo: null };
  if (open > 0) return { words: `concluded, ${open} of ${total} inconclusive`, tone: "warn", mark: "~", todo: null };
  if (failed > 0) return { words: `concluded, ${counted(failed, "run")} failed`, tone: "warn", mark: "!", todo: null };
  if (total === 0) return { words: "concluded without a verdict", tone: "quiet", mark: "–", todo: null };
  return { words: "concluded", tone: "good", mark: "✓", todo: null };
}

/// `at_work`: the studies that the kernel works on; null: not known.
export function standing(study: AnyStudy, at_work: readonly string[] | null = null): Standing {
  const gates = study.gates.filter((gate) => gate.decision === null).length;
  if (study.state === "ended") {
    if (study.outcome === "failed") return { words: "failed", tone: "bad", mark: "✗", todo: null };
    if (study.outcome === "cancelled") return { words: "cancelled", tone: "quiet", mark: "–", todo: null };
    return concluded(study);
  }
  if (gates > 0) return { words: "waiting for approval", tone: "warn", mark: "!", todo: `${counted(gates, "approval")} ${gates === 1 ? "waits" : "wait"} for you.` };
  if (study.state === "paused") return { words: `paused${study.reason ? ` (${plain(study.reason)})` : ""}`, tone: "warn", mark: "‖", todo: pause_todo(study) };
  if (study.waiting?.some((one) => one.on === "provider")) return { words: "paused for a provider", tone: "warn", mark: "‖", todo: null };
  if (study.waiting?.some((one) => one.on === "batch")) return { words: "waiting for a batch", tone: "live", mark: "▸", todo: null };
  if (study.stage === "capturing") return { words: "open", tone: "live", mark: "·", todo: null };
  if (at_work && !at_work.includes(study.id)) return { words: "stopped", tone: "warn", mark: "■", todo: `No process works on it. Continue it: etude resume ${study.id}.` };
  return { words: study.state, tone: "live", mark: "▸", todo: null };
}
