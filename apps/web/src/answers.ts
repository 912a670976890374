// What was found, as sentences with sizes. Only verdicts and estimates that the kernel gives are used.

import { in_words, is_relative, level_words } from "./parts/forest";
import type { Candidate, Hypothesis, Levels, Search, Study } from "./shapes";
import { verdict_of } from "./standing";
import { counted, levels, number, unit_words } from "./words";

const percent = (value: number): string => `${number(value * 100, 3)} %`;

function unit_of(study: Study, metric: string): string {
  const unit = study.metrics.find((m) => m.name === metric)?.unit;
  return unit_words(unit);
}

/// "At n = 2000, time_ms is 97.9 % lower with algorithm = quick than with algorithm = bubble [97.7 %, 98.1 %] at 90 %": the
/// measured size, for every verdict.
export function sized(h: Hypothesis, study: Study): string {
  const at = Object.keys(h.where).length > 0 ? `At ${levels(h.where)}, ` : "";
  if (h.effect === null) return h.withdrawn ?? h.reason ?? "Not measured yet.";
  const relative = is_relative(h);
  const size = relative ? h.effect_relative! : h.effect;
  const [low, high] = (relative ? h.interval_relative : h.interval) ?? [null, null];
  const bare = (value: number): string => (relative ? percent(value) : number(value, 3));
  const show = (value: number): string => `${bare(value)}${relative ? "" : unit_of(study, h.metric)}`;
  if (h.kind !== "compare" || Object.keys(h.control).length === 0)
    return `${h.statement.replace(/\.$/, "")}: ${h.kind} ${in_words(h, relative, unit_of(study, h.metric).trim())}${at && `, where ${levels(h.where)}`}.`;
  const arms = [levels(h.treatment), levels(h.control)];
  const decided = low === null && high === null && ["supported", "refuted"].includes(verdict_of(h));
  const one_sided = decided || (low !== null && low > 0) || (high !== null && high < 0);
  const bounds = (a: number | null, b: number | null): string => (a === null && b === null ? "" : ` [${a === null ? "−∞" : bare(a)}, ${b === null ? "∞" : bare(b)}]${level_words(h.level)}`);
  if (size === 0) return `${at}${h.metric} is the same with ${arms[0]} as with ${arms[1]}${bounds(low, high)}.`;
  const less = size < 0;
  const ends: [number | null, number | null] = less ? [high === null ? null : -high, low === null ? null : -low] : [low, high];
  return `${at}${h.metric} is ${show(Math.abs(size))} ${less ? "lower" : "higher"} with ${arms[0]} than with ${arms[1]}${bounds(...ends)}${one_sided || (low === null && high === null) ? "" : "; the interval includes zero"}.`;
}

const order = ["supported", "refuted", "no_relevant_effect", "inconclusive"];

/// The hypotheses that answer the question, the decided ones on the primary metric first.
export function leading(study: Study): Hypothesis[] {
  const primary = new Set(study.metrics.filter((m) => m.primary).map((m) => m.name));
  const rank = (h: Hypothesis): number => order.indexOf(verdict_of(h)) * 2 + (primary.has(h.metric) ? 0 : 1);
  return (study.hypotheses ?? []).filter((h) => order.includes(verdict_of(h))).sort((a, b) => rank(a) - rank(b));
}

export function last_ranking(search: Search): { best: Candidate | null; baseline: Candidate | null; candidates: Candidate[] } {
  const candidates = search.ranked.at(-1)?.candidates ?? [];
  return { candidates, best: candidates.find((c) => !c.baseline) ?? null, baseline: candidates.find((c) => c.baseline) ?? null };
}

/// The factors of the setting that differ from the baseline's.
export function changed(cell: Levels, baseline: Levels | null): Levels {
  return Object.fromEntries(Object.entries(cell).filter(([factor, level]) => !baseline || String(baseline[factor]) !== String(level)));
}

export function value_of(candidate: Candidate): number | null {
  const value = candidate.estimate ?? candidate.mean;
  return typeof value === "number" ? value : null;
}

/// What fresh runs say of a setting that the search selected: its hypotheses with their verdicts.
export function tested(study: Study, cell: Levels): Hypothesis[] {
  const same = (h: Hypothesis): boolean => Object.entries(h.treatment).every(([factor, level]) => String(cell[factor]) === String(level));
  return (study.hypotheses ?? []).filter((h) => Object.keys(h.treatment).length > 0 && same(h));
}

/// "Use cutoff = 8, pivot = ninther instead of the baseline cutoff = 1, pivot = random.", once fresh runs support it.
function advised(study: Study, best: Candidate, baseline: Candidate | null): string[] {
  const found = tested(study, best.cell);
  if (!baseline || !found.some((h) => verdict_of(h) === "supported") || found.some((h) => verdict_of(h) === "refuted")) return [];
  const better = changed(best.cell, baseline.cell);
  if (Object.keys(better).length === 0) return [];
  if (Object.keys(better).join() === "code") return [`Use version ${better.code} of the code: fresh runs support that it is better than the original.`];
  const before = Object.fromEntries(Object.keys(better).map((factor) => [factor, baseline.cell[factor]!]));
  return [`Use ${levels(better)} instead of the baseline ${levels(before)}: fresh runs support it.`];
}

/// The kernel's advice; its first sentence gets the size that fresh runs support.
function with_size(study: Study, advice: string[]): string[] {
  const best = study.search && last_ranking(study.search).best;
  const found = best ? tested(study, best.cell).find((h) => verdict_of(h) === "supported") : undefined;
  const first = advice[0]!;
  if (!found || found.effect === null || !first.startsWith("Use ")) return advice;
  const size = sized(found, study);
  return [`${first.replace(/\.$/, "")}; ${size.replace(/^At /, "at ")}`, ...advice.slice(1)];
}

/// What a search selected: the kernel's advice, else the best setting of the last ranking with its value and the
/// baseline's. A selection is no verdict; the hypotheses that confirm it are.
export function selected(study: Study): string[] {
  const { search } = study;
  if (!search || search.ranked.length === 0) return [];
  if (search.advice && search.advice.length > 0) return with_size(study, search.advice);
  const ideas = search.code?.ideas;
  if (ideas) return [`${number(ideas.filter((idea) => idea.kept).length)} of ${counted(ideas.length, "version")} became the base so far.`];
  const unit = unit_of(study, search.metric);
  const kept = search.ranked.at(-1)!.effects.filter((e) => e.kept);
  if (kept.length > 0)
    return [`These factors change ${search.metric} most: ${kept.map((e) => `${e.factors.join(" × ")} (${number(e.effect, 3)}${unit})`).join(", ")}.`];
  const { best, baseline, candidates } = last_ranking(search);
  if (!best) return [];
  const value = value_of(best);
  const from = baseline ? value_of(baseline) : null;
  const last = search.ranked.at(-1)!.last ? "" : " so far";
  const setting = levels(changed(best.cell, baseline?.cell ?? null)) || "the baseline";
  return [
    ...advised(study, best, baseline),
    `The search ranked ${setting} first${last} of ${counted(candidates.length, "setting")}: mean ${search.metric} ${number(value, 3)}${unit}${from === null ? "" : `, baseline ${number(from, 3)}${unit}`}.`,
  ];
}
