// Numbers, times and purposes of runs as text for people.

import type { Left, Levels, Number_, Run } from "./shapes";

// A format is made once: making it takes longer than using it.
const whole = new Intl.NumberFormat("en");
const by_digits = new Map<number, Intl.NumberFormat>();
const by_letters = new Intl.Collator("en", { numeric: true });
const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const least_written_out = 1e-4;
const most_written_out = 1e15;

function of_digits(digits: number): Intl.NumberFormat {
  const known = by_digits.get(digits) ?? new Intl.NumberFormat("en", { maximumSignificantDigits: digits });
  by_digits.set(digits, known);
  return known;
}

export function number(value: Number_ | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return whole.format(value);
  const size = Math.abs(value);
  if (size < least_written_out || size >= most_written_out) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  return of_digits(digits).format(Number(value.toPrecision(digits)));
}

/// The text that the command line prints.
export function probability(p: number | null): string {
  if (p === null) return "–";
  if (p < 0.0001) return "< 0.0001";
  if (p > 0.9999) return "> 0.9999";
  return p.toFixed(p < 0.001 ? 5 : p < 0.1 ? 4 : 3);
}

/// "about 12 s (10 s to 15 s) left": what a study's runs still take.
export function left_words(left: Left | undefined): string {
  if (!left?.wall_s) return "";
  const { expected, low, high } = left.wall_s;
  const hours = left.gpu_hours ? `, ${number(left.gpu_hours, 3)} GPU hours` : "";
  return `about ${roughly(expected)} left (${roughly(low)} to ${roughly(high)}${hours})${left.open ? ", and runs whose number is not known yet" : ""}`;
}

export function duration(seconds: number | null): string {
  if (seconds === null) return "–";
  if (seconds < 60) return `${number(seconds, 3)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

/// A duration that is only estimated.
export function roughly(seconds: number): string {
  return seconds < 60 ? `${number(seconds, 2)} s` : duration(seconds);
}

/// "H1", "H1 and H2", "H1, H2 and H3".
export function listed(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/// A unit as it stands behind a number; "0.66 fraction" says no more than 0.66.
export function unit_words(unit: string | null | undefined): string {
  return !unit || ["1", "fraction", "proportion", "ratio", "share"].includes(unit) ? "" : ` ${unit}`;
}

export function counted(count: number, what: string): string {
  return `${number(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function bytes(count: number): string {
  const unit = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  for (; count >= 1000 && at < unit.length - 1; ++at) count /= 1000;
  return `${number(count, 3)} ${unit[at]}`;
}

export function when(time: string | null): string {
  return time ? moment.format(new Date(time)) : "–";
}

export function levels(of: Levels): string {
  return Object.entries(of)
    .map(([factor, level]) => `${factor} = ${level}`)
    .join(", ");
}

/// Numbers by size, also those that are written as text; other texts by their letters.
export function in_order(a: string | number, b: string | number): number {
  const [x, y] = [Number(a), Number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y) && a !== "" && b !== "") return x === y ? 0 : x - y;
  return by_letters.compare(String(a), String(b));
}

export function plain(word: string): string {
  return word.replaceAll("_", " ");
}

export function cores(count: number): string {
  return count === 1 ? "1 core" : `${count} cores`;
}

/** The experiment of a run, with the purpose of those that are no evidence for it; else its purpose. */
export function run_for(run: Pick<Run, "experiment" | "purpose">): string {
  if (run.experiment === null) return run.purpose;
  return run.purpose === "aa" || run.purpose === "repeat" ? `${run.experiment}, ${run.purpose}` : run.experiment;
}

/// A reason without the stderr that it quotes, which the hypotheses view shows; a bracket that is open there is closed.
export function without_stderr(reason: string): string {
  const at = reason.indexOf("; the end of its stderr");
  if (at < 0) return reason;
  const kept = reason.slice(0, at);
  return kept.lastIndexOf("(") > kept.lastIndexOf(")") ? `${kept})` : kept;
}
