// Learning curves of many runs: groups of them, means with deviations, smoothing, and the curve that is nearest to a point.

import type { CurveAnswer, Levels, Number_ } from "../shapes";
import { in_order, levels, run_for } from "../words";

export interface RunCurve {
  id: string;
  seed: number;
  factors: Levels;
  /// Experiment or purpose, as in the table of runs.
  use: string;
  /// A registered run or one of a search; not a check, a pilot or a repeat.
  counts: boolean;
  x: Float64Array;
  /// NaN: a value that was not finite.
  y: Float64Array;
  /// Its last finite value, without smoothing.
  last: number;
  /// One value for each x of the answer's grid, interpolated within the run; NaN elsewhere.
  on_grid: Float64Array;
}

export interface Curves {
  metric: string;
  grid: Float64Array;
  runs: RunCurve[];
}

export interface Group {
  name: string;
  runs: RunCurve[];
  /// Over the grid; NaN where no run has a value.
  mean: Float64Array;
  sd: Float64Array;
}

/// Beyond it, differences of values overflow.
const largest = 1e300;
const finite = (value: Number_): number => (typeof value === "number" && Math.abs(value) <= largest ? value : NaN); // A JSON number is never infinite.

/// The points that are there.
function points_of(x: number[], y: Number_[]): [Float64Array, Float64Array] {
  let count = 0;
  for (const value of y) if (value !== null) ++count;
  const xs = new Float64Array(count);
  const ys = new Float64Array(count);
  let at = 0;
  y.forEach((value, i) => {
    if (value === null) return;
    xs[at] = x[i]!;
    ys[at++] = finite(value);
  });
  return [xs, ys];
}

/// Values between two points of a run lie on the line between them.
function interpolated(grid: Float64Array, x: Float64Array, y: Float64Array): Float64Array {
  const out = new Float64Array(grid.length).fill(NaN);
  let after = 0;
  for (let i = 0; i < grid.length; ++i) {
    const at = grid[i]!;
    while (after < x.length && x[after]! < at) ++after;
    if (after === x.length) break;
    if (x[after] === at) out[i] = y[after]!;
    else if (after > 0) out[i] = y[after - 1]! + ((y[after]! - y[after - 1]!) * (at - x[after - 1]!)) / (x[after]! - x[after - 1]!);
  }
  return out;
}

function last_of(y: Float64Array): number {
  for (let i = y.length - 1; i >= 0; --i) if (Number.isFinite(y[i]!)) return y[i]!;
  return NaN;
}

/// Exponential moving average; the first values are not drawn towards zero.
export function smoothed(values: Float64Array, weight: number): Float64Array {
  if (weight === 0) return values;
  const out = new Float64Array(values.length);
  let sum = 0;
  let total = 0;
  values.forEach((value, i) => {
    if (Number.isNaN(value)) {
      out[i] = NaN;
      return;
    }
    sum = sum * weight + value;
    total = total * weight + 1;
    out[i] = sum / total;
  });
  return out;
}

/// `weight`: of smoothing, from 0 to below 1. Smoothed curves are made of the means around each place, not of the extremes.
export function curves_of(answer: CurveAnswer, weight: number): Curves {
  const reduced = answer.reduced !== null;
  const grid = Float64Array.from(reduced ? answer.mean_x : answer.x);
  const factors = Object.entries(answer.runs.factors);
  const runs = answer.runs.id.map((id, i): RunCurve => {
    const [x, y] = points_of(answer.x, answer.y[i]!);
    const [mean_x, mean] = reduced ? points_of(answer.mean_x, answer.mean[i]!) : [x, y];
    const of: Levels = {};
    for (const [factor, column] of factors) if (column[i] !== null && column[i] !== undefined) of[factor] = column[i] as string | number;
    const soft = smoothed(mean, weight);
    return {
      id, seed: answer.runs.seed[i]!, factors: of, use: run_for({ experiment: answer.runs.experiment[i]!, purpose: answer.runs.purpose[i]! }),
      counts: answer.runs.evidence[i]! || answer.runs.purpose[i] === "search",
      x: weight > 0 ? mean_x : x, y: weight > 0 ? soft : y, last: last_of(y), on_grid: interpolated(grid, mean_x, soft),
    };
  });
  return { metric: answer.metric, grid, runs };
}

/// Without checks, pilots and repeats, unless there is nothing else.
export function counted_runs(curves: Curves): Curves {
  const runs = curves.runs.filter((run) => run.counts);
  return runs.length > 0 ? { ...curves, runs } : curves;
}

/// `by`: a factor, "cell" for all of them, "use" for experiment or purpose, or "" for one group of all runs.
export function name_in(run: RunCurve, by: string): string {
  if (by === "") return "all runs";
  if (by === "use") return run.use;
  if (by === "cell") return levels(run.factors);
  return by in run.factors ? `${by} = ${run.factors[by]}` : `without ${by}`;
}

/// Means and sample standard deviations of the finite values, in the order of the levels or names.
export function groups_of({ grid, runs }: Curves, by: string): Group[] {
  const found = new Map<string, RunCurve[]>();
  for (const run of runs) {
    const name = name_in(run, by);
    const same = found.get(name);
    if (same) same.push(run);
    else found.set(name, [run]);
  }
  const level = (of: RunCurve[]): string | number => of[0]!.factors[by] ?? name_in(of[0]!, by);
  return [...found].sort(([, a], [, b]) => in_order(level(a), level(b))).map(([name, of]) => {
    const mean = new Float64Array(grid.length);
    const sd = new Float64Array(grid.length);
    for (let i = 0; i < grid.length; ++i) {
      let n = 0;
      let sum = 0;
      let squares = 0;
      for (const run of of) {
        const value = run.on_grid[i]!;
        if (!Number.isFinite(value)) continue;
        ++n;
        const before = sum / (n - 1 || 1);
        sum += value;
        squares += n > 1 ? (value - before) * (value - sum / n) : 0;
      }
      mean[i] = n > 0 ? sum / n : NaN;
      sd[i] = n > 1 ? Math.sqrt(squares / (n - 1)) : NaN;
    }
    return { name, runs: of, mean, sd };
  });
}

/// Levels of each factor, most useful for colours first: few levels, but more than one.
export function factors_of(answer: CurveAnswer): [string, number][] {
  return Object.entries(answer.runs.factors)
    .map(([factor, column]): [string, number] => [factor, new Set(column).size])
    .filter(([, count]) => count > 1)
    .sort(([, a], [, b]) => a - b);
}

function index_at(x: Float64Array, at: number): number {
  let low = 0;
  let high = x.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - x[low - 1]! < x[low]! - at ? low - 1 : low;
}

export interface Nearest {
  group: Group;
  run: RunCurve;
  /// Position among the run's points.
  index: number;
}

/// The run whose value near `x` is nearest to `y`; `place` turns a value into a height in pixels.
export function nearest(groups: Group[], x: number, y: number, place: (value: number) => number): Nearest | null {
  let found: Nearest | null = null;
  let least = Infinity;
  for (const group of groups)
    for (const run of group.runs) {
      if (run.x.length === 0 || x < run.x[0]! || x > run.x[run.x.length - 1]!) continue;
      const index = index_at(run.x, x);
      const far = Math.abs(place(run.y[index]!) - y);
      if (far < least) {
        least = far;
        found = { group, run, index };
      }
    }
  return found;
}
