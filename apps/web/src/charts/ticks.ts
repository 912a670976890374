// Marks of an axis. They are counted before they are made: adding a step to a place again and again never ends where the step
// is smaller than the distance between two numbers there.

import { number } from "../words";

/// About `most` round values between two ends, at most one more; none if the ends are no numbers or in no order.
export function linear_ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  if (!(count > 0) || count > 2 * most + 1) return [];
  const places = Array.from({ length: count }, (_, i) => rounded((first + i) * step, step));
  return places.every((place, i) => i === 0 || place > places[i - 1]!) ? places : [];
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const round_times = [2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day];

/// The same of times in seconds, at whole minutes, hours or days.
export function time_ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  if (!(rough > 1)) return linear_ticks(low, high, most);
  const step = round_times.find((one) => one >= rough);
  if (!step) return linear_ticks(low / day, high / day, most).map((one) => one * day);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/// Without the error of the multiplication: 0.30000000000000004 is 0.3 in steps of 0.1.
function rounded(value: number, step: number): number {
  const digits = Math.ceil(-Math.log10(step)) + 1;
  return (digits > 0 && digits < 100 ? Number(value.toFixed(digits)) : value) + 0; // Not -0.
}

/// Powers of ten between two positive ends, with 2 and 5 times them where there is room; within one decade, linear marks.
export function log_ticks(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low) || !Number.isFinite(high)) return [];
  const first = Math.floor(Math.log10(low));
  const decades = Math.floor(Math.log10(high)) - first + 1;
  const within = (value: number): boolean => value >= low * (1 - 1e-12) && value <= high * (1 + 1e-12);
  const powers = (step: number, of: number[]): number[] =>
    Array.from({ length: Math.ceil(decades / step) }, (_, i) => of.map((one) => Number(`${one}e${first + i * step}`))).flat().filter(within);
  const fine = powers(1, [1, 2, 5]);
  if (fine.length < 3) return linear_ticks(low, high, most);
  if (fine.length <= most) return fine;
  return powers(Math.max(1, Math.ceil((decades - 1) / most)), [1]);
}

/// The marks as text, with as many digits as tell them apart.
export function tick_labels(ticks: number[]): string[] {
  for (let digits = 3; digits < 15; ++digits) {
    const words = ticks.map((tick) => number(tick, digits));
    if (new Set(words).size === ticks.length) return words;
  }
  return ticks.map(String);
}

const space = 50; // Pixels from one mark to the next, about.

/// The marks of an axis of uPlot, which would add steps without end on some log axes, and writes small values as 0.
export function axis_marks(log: boolean, length: () => number): { splits: (u: unknown, axis: number, low: number, high: number) => number[]; values: (u: unknown, splits: number[]) => string[]; filter: (u: unknown, splits: number[]) => number[] } {
  const most = (): number => Math.max(2, Math.floor(length() / space));
  return {
    splits: (_u, _axis, low, high) => (log ? log_ticks(low, high, most()) : linear_ticks(low, high, most())),
    values: (_u, splits) => tick_labels(splits),
    filter: (_u, splits) => splits,
  };
}
