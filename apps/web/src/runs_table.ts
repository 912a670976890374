// The table of runs without its look: columns, conditions, groups and CSV.

import type { Run, Study } from "./shapes";
import { duration, in_order, number, run_for } from "./words";

export type Value = string | number;

export interface Column {
  /// As in conditions and in the address.
  name: string;
  title: string;
  of: (run: Run) => Value;
  show: (run: Run) => string;
  /// A measured quantity, of which groups have a mean.
  measured?: boolean;
}

const none = Number.POSITIVE_INFINITY;

/// Without a value, as runs whose value is withheld, an item stands last in either direction.
export function sorted_by<T>(items: T[], of: (item: T) => Value, down: boolean): T[] {
  const lacks = (value: Value): number => Number(value === none || value === "");
  return [...items].sort((a, b) => {
    const [x, y] = [of(a), of(b)];
    return lacks(x) - lacks(y) || (lacks(x) ? 0 : in_order(x, y) * (down ? -1 : 1));
  });
}

/// The factors of all runs, the metrics of the study, and what every run has.
export function columns_of(study: Study, runs: Run[]): Column[] {
  const factors = [...new Set(runs.flatMap((r) => Object.keys(r.factors)))];
  const plain = (name: string, of: (run: Run) => Value): Column => ({ name, title: name, of, show: (r) => String(of(r)) });
  const wall = (r: Run): number | null => (r.ended && r.usage ? r.usage.wall_s : null);
  return [
    { name: "run", title: "run", of: (r) => r.number, show: (r) => r.id },
    plain("state", (r) => r.state),
    ...factors.map((f) => plain(f, (r) => r.factors[f] ?? "")),
    plain("seed", (r) => r.seed),
    ...study.metrics.map((m): Column => ({
      name: m.name,
      title: m.unit && m.unit !== m.name ? `${m.name} (${m.unit})` : m.name,
      of: (r) => (typeof r.metrics[m.name] === "number" ? (r.metrics[m.name] as number) : none),
      show: (r) => (r.withheld ? "withheld" : number(r.metrics[m.name])),
      measured: true,
    })),
    { name: "wall", title: "wall", of: (r) => wall(r) ?? none, show: (r) => duration(wall(r)), measured: true },
    plain("for", run_for),
  ];
}

const condition_word = /^([^<>=!]+)(<=|>=|!=|=|<|>)(.+)$/;

export interface ServerOrder {
  /// How the server sorts the runs, and which of them it leaves out.
  query: { sort?: string; order?: string; measured?: string[] };
  /// True if the page orders, filters or groups in a way that the server does not, so that it needs all runs for it.
  everything: boolean;
}

/// What the server is asked for if it has more runs than the page loads at once.
export function server_order(study: Study, by: string, down: boolean, words: string, grouped: boolean): ServerOrder {
  const query: ServerOrder["query"] = {};
  let everything = grouped;
  if (!grouped && (by !== "run" || down)) {
    const measured = study.metrics.some((m) => m.name === by);
    const factor = !measured && !["run", "for", "state", "seed", "wall"].includes(by);
    const sort = measured ? `metric:${by}` : factor ? `factor:${by}` : by === "run" ? "number" : by === "for" ? "" : by;
    // The server orders the texts of a factor by their bytes, the page as its language does.
    everything ||= sort === "" || factor;
    if (sort !== "") {
      query.sort = sort;
      query.order = down ? "newest" : "oldest";
    }
  }
  const metrics = new Map(study.metrics.map((m) => [m.name.toLowerCase(), m.name]));
  for (const word of words.trim().split(/\s+/).filter(Boolean)) {
    const [, name, sign, wanted] = word.match(condition_word) ?? [];
    const metric = name && metrics.get(name.toLowerCase());
    if (metric && Number.isFinite(Number(wanted))) (query.measured ??= []).push(`${metric}${sign}${Number(wanted)}`);
    else everything = true;
  }
  return { query, everything };
}

/// Conditions on measured columns with something else than a number, which no run meets.
export function without_number(words: string, columns: Column[]): string[] {
  return words.trim().split(/\s+/).filter((word) => {
    const [, name, , wanted] = word.match(condition_word) ?? [];
    return name && columns.some((c) => c.measured && c.name.toLowerCase() === name.toLowerCase()) && Number.isNaN(Number(wanted));
  });
}

/// Whether a run meets every word: a condition on a column as "loss<0.5" or "arm=fast", else a part of the run's text.
export function condition(words: string, columns: Column[]): (run: Run) => boolean {
  const by_name = new Map(columns.map((c) => [c.name.toLowerCase(), c]));
  const tests = words.trim().split(/\s+/).filter(Boolean).map((word): ((run: Run) => boolean) => {
    const [, name, sign, wanted] = word.match(condition_word) ?? [];
    const column = name && by_name.get(name.toLowerCase());
    if (!column || !sign || wanted === undefined) {
      const text = word.toLowerCase();
      return (r) => `${r.id} ${run_for(r)} ${Object.entries(r.factors).map(([k, v]) => `${k}=${v}`).join(" ")}`.toLowerCase().includes(text);
    }
    const as_number = Number(wanted);
    if (column.measured && Number.isNaN(as_number)) return () => false;
    return (r) => {
      const value = column.of(r);
      if (value === none) return false;
      const order = typeof value === "number" && !Number.isNaN(as_number) ? value - as_number : in_order(String(value).toLowerCase(), wanted.toLowerCase());
      // A factor's level is found while its name is typed.
      const begins = sign === "=" && typeof value === "string" && value.toLowerCase().startsWith(wanted.toLowerCase());
      return sign === "=" ? order === 0 || begins : sign === "!=" ? order !== 0 : sign === "<" ? order < 0 : sign === "<=" ? order <= 0 : sign === ">" ? order > 0 : order >= 0;
    };
  });
  return (run) => tests.every((test) => test(run));
}

export interface Group {
  name: string;
  runs: Run[];
  succeeded: number;
}

/// `by`: a factor, or "cell" for all of them.
export function groups_of(runs: Run[], by: string): Group[] {
  const found = new Map<string, Group>();
  for (const run of runs) {
    const name = by === "cell" ? Object.entries(run.factors).map(([f, v]) => `${f} = ${v}`).join(", ") : String(run.factors[by] ?? "–");
    const group = found.get(name) ?? { name, runs: [], succeeded: 0 };
    group.runs.push(run);
    if (run.state === "succeeded") ++group.succeeded;
    found.set(name, group);
  }
  return [...found.values()];
}

export interface Moments {
  n: number;
  mean: number;
  sd: number | null;
}

/// Of the runs of a group that have a value.
export function moments(group: Group, column: Column): Moments | null {
  const values = group.runs.map(column.of).filter((v): v is number => typeof v === "number" && Number.isFinite(v));
  if (values.length === 0) return null;
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const sd = values.length > 1 ? Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1)) : null;
  return { n: values.length, mean, sd };
}

/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
function field(value: Value | null): string {
  if (value === null || value === none) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv_of(head: string[], rows: (Value | null)[][]): string {
  return [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

/// As the table shows them; whole numbers instead of rounded ones.
export function runs_csv(runs: Run[], columns: Column[]): string {
  return csv_of(columns.map((c) => c.title), runs.map((run) => columns.map((c) => (c.name === "run" ? run.id : c.measured && run.withheld && c.name !== "wall" ? "withheld" : c.of(run)))));
}

export function groups_csv(groups: Group[], columns: Column[], by: string): string {
  const measured = columns.filter((c) => c.measured);
  return csv_of(
    [by, "runs", "succeeded", ...measured.flatMap((c) => [`mean ${c.title}`, `sd ${c.title}`, `n ${c.title}`])],
    groups.map((group) => [group.name, group.runs.length, group.succeeded, ...measured.flatMap((c) => {
      const of = moments(group, c);
      return [of?.mean ?? null, of?.sd ?? null, of?.n ?? 0];
    })]),
  );
}
