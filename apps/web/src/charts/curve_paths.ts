// The lines of a chart as paths in the unit square of its data. A pan or zoom then only moves and scales them, which costs
// the same for 400 runs as for one.

import type { Curves, Group, RunCurve } from "./curve_data";

export interface Logs {
  x: boolean;
  y: boolean;
}

export const place = (value: number, log: boolean): number => (log ? (value > 0 ? Math.log10(value) : NaN) : value);

/// Ends of the data, on a log axis in powers of ten.
export interface Box {
  left: number;
  right: number;
  low: number;
  high: number;
}

function ends(values: Iterable<number>): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

function* placed(lines: { values: Float64Array }[], log: boolean): Generator<number> {
  for (const { values } of lines) for (const value of values) yield place(value, log);
}

export function box_of({ runs }: Curves, logs: Logs): Box | null {
  const x = ends(placed(runs.map((run) => ({ values: run.x })), logs.x));
  const y = ends(placed(runs.map((run) => ({ values: run.y })), logs.y));
  return x && y ? { left: x[0], right: x[1], low: y[0], high: y[1] } : null;
}

const block = 32;

interface Extremes {
  low: Float64Array;
  high: Float64Array;
}

const known_extremes = new WeakMap<RunCurve, Extremes>();

/// The smallest and the greatest value of each 32 points, so that a pan does not read all of them.
function extremes_of(run: RunCurve): Extremes {
  const known = known_extremes.get(run);
  if (known) return known;
  const count = Math.ceil(run.y.length / block);
  const found = { low: new Float64Array(count).fill(Infinity), high: new Float64Array(count).fill(-Infinity) };
  run.y.forEach((y, i) => {
    const at = Math.floor(i / block);
    if (y < found.low[at]!) found.low[at] = y;
    if (y > found.high[at]!) found.high[at] = y;
  });
  known_extremes.set(run, found);
  return found;
}

/// The first position whose x is at least (or above) the value.
function position(x: Float64Array, value: number, above: boolean): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < value || (above && x[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The least and greatest place of the values between two values of x.
export function heights(groups: Group[], logs: Logs, from: number, to: number): [number, number] | null {
  const floor = logs.y ? 0 : -Infinity;
  let low = Infinity;
  let high = -Infinity;
  const take = (y: number): void => {
    if (!(y > floor && y < Infinity)) return; // A block without a value has no extremes.
    if (y < low) low = y;
    if (y > high) high = y;
  };
  for (const group of groups)
    for (const run of group.runs) {
      const end = position(run.x, to, true);
      const { low: lows, high: highs } = extremes_of(run);
      for (let i = position(run.x, from, false); i < end; ) {
        const at = i / block;
        if (Number.isInteger(at) && i + block <= end && (lows[at]! > floor || highs[at]! <= floor)) {
          take(lows[at]!);
          take(highs[at]!);
          i += block;
        } else take(run.y[i++]!);
      }
    }
  return low <= high ? [place(low, logs.y), place(high, logs.y)] : null;
}

class Pen {
  readonly path = new Path2D();
  #down = false;
  constructor(readonly box: Box, readonly logs: Logs) {}
  /// A value that cannot be drawn ends the line.
  to(x: number, y: number): void {
    const across = (place(x, this.logs.x) - this.box.left) / (this.box.right - this.box.left || 1);
    const up = (place(y, this.logs.y) - this.box.low) / (this.box.high - this.box.low || 1);
    if (!Number.isFinite(across) || !Number.isFinite(up)) {
      this.#down = false;
      return;
    }
    if (this.#down) this.path.lineTo(across, up);
    else this.path.moveTo(across, up);
    this.#down = true;
  }
  lift(): void {
    this.#down = false;
  }
}

export interface Lines {
  runs: Path2D;
  mean: Path2D;
  band: Path2D;
}

export function path_of(run: RunCurve, box: Box, logs: Logs): Path2D {
  const pen = new Pen(box, logs);
  run.x.forEach((x, i) => pen.to(x, run.y[i]!));
  return pen.path;
}

/// One standard deviation to each side of the mean, where there are two runs; on a log axis it ends at the lowest value.
function band_of(group: Group, grid: Float64Array, box: Box, logs: Logs): Path2D {
  const pen = new Pen(box, logs);
  const floor = logs.y ? 10 ** box.low : -Infinity;
  const known = [...grid.keys()].filter((i) => Number.isFinite(group.sd[i]!));
  for (const i of known) pen.to(grid[i]!, group.mean[i]! + group.sd[i]!);
  for (const i of known.reverse()) pen.to(grid[i]!, Math.max(floor, group.mean[i]! - group.sd[i]!));
  pen.path.closePath();
  return pen.path;
}

export function lines_of(group: Group, grid: Float64Array, box: Box, logs: Logs): Lines {
  const pen = new Pen(box, logs);
  for (const run of group.runs) {
    for (let i = 0; i < run.x.length; ++i) pen.to(run.x[i]!, run.y[i]!);
    pen.lift();
  }
  const mean = new Pen(box, logs);
  grid.forEach((x, i) => mean.to(x, group.mean[i]!));
  return { runs: pen.path, mean: mean.path, band: group.runs.length > 1 ? band_of(group, grid, box, logs) : new Path2D() };
}

/// The path where the chart shows it.
export function moved(path: Path2D, matrix: DOMMatrix): Path2D {
  const there = new Path2D();
  there.addPath(path, matrix);
  return there;
}
