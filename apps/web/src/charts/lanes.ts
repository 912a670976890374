// The runs of a timeline in lanes: one for each device, and as many slots as ran at once; and what all runs together used at
// each moment. Times are seconds after the study was opened.

import type { TimelineAnswer } from "../shapes";
import { in_order, levels } from "../words";

export interface Slice {
  at: number; // Its row in the columns of the answer.
  from: number;
  to: number;
  /// It has not ended: `to` is the end of the picture.
  open: boolean;
}

/// Slices in the order of their begin, which do not overlap.
export interface Lane {
  name: string;
  slices: Slice[];
}

export interface Timeline {
  lanes: Lane[];
  from: number;
  to: number;
}

/// The first lane that is free at that time, or a new one.
function place(lanes: Lane[], slice: Slice, name: (number: number) => string): void {
  const free = lanes.find((lane) => lane.slices.at(-1)!.to <= slice.from);
  if (free) free.slices.push(slice);
  else lanes.push({ name: name(lanes.length + 1), slices: [slice] });
}

/// `now`: where runs that have not ended end in the picture.
export function timeline_of(answer: TimelineAnswer, now: number): Timeline {
  const opened = Date.parse(answer.opened);
  const { started, ended, node, gpus } = answer.runs;
  const after = (time: string): number => (Date.parse(time) - opened) / 1000;
  const slices = started.map((time, at): Slice => {
    const end = ended[at];
    return { at, from: after(time), to: end ? after(end) : Math.max(after(time), (now - opened) / 1000), open: !end };
  });
  slices.sort((a, b) => a.from - b.from || a.at - b.at);
  const slots = new Map<string, Lane[]>();
  const devices = new Map<string, Lane[]>();
  const of = (all: Map<string, Lane[]>, name: string): Lane[] => {
    const known = all.get(name) ?? [];
    all.set(name, known);
    return known;
  };
  for (const slice of slices) {
    const machine = node[slice.at];
    const where = machine ? `${machine} · ` : "";
    place(of(slots, where), slice, (number) => `${where}slot ${number}`);
    for (const device of gpus[slice.at] ?? []) place(of(devices, `${where}GPU ${device}`), slice, (number) => `${where}GPU ${device}${number > 1 ? ` (${number})` : ""}`);
  }
  const sorted = (all: Map<string, Lane[]>): Lane[] => [...all].sort(([a], [b]) => in_order(a, b)).flatMap(([, lanes]) => lanes);
  const from = slices[0]?.from ?? 0;
  return { lanes: [...sorted(slots), ...sorted(devices)], from, to: slices.reduce((last, one) => Math.max(last, one.to), from) };
}

/// The share of the time between the first begin and the last end in which something ran.
export function busy_share(lane: Lane, { from, to }: Timeline): number {
  return to > from ? lane.slices.reduce((sum, one) => sum + one.to - one.from, 0) / (to - from) : 0;
}

/// The slice at that time; without one, none.
export function slice_at(lane: Lane, time: number, reach = 0): Slice | undefined {
  let [low, high] = [0, lane.slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.slices[middle]!.from <= time) low = middle + 1;
    else high = middle;
  }
  const before = lane.slices[low - 1];
  if (before && time <= before.to) return before;
  const distance = (one: Slice | undefined): number => (one ? Math.max(one.from - time, time - one.to) : Number.POSITIVE_INFINITY);
  const nearest = distance(before) < distance(lane.slices[low]) ? before : lane.slices[low];
  return nearest && distance(nearest) <= reach ? nearest : undefined;
}

/// What all runs together held or used, as a function of time with steps.
export interface Use {
  name: string;
  /// From each time on.
  times: number[];
  values: number[];
  high: number;
  /// Over the time in which anything ran.
  mean: number;
  /// Runs of which it is not known.
  unknown: number;
}

/// A run uses the same amount all the time, since only its total or its peak is recorded; `of`: null where that is not known.
export function use_of(name: string, timeline: Timeline, of: (at: number) => number | null): Use | null {
  const seen = new Set<number>();
  const changes: [number, number][] = [];
  let unknown = 0;
  for (const lane of timeline.lanes) for (const slice of lane.slices) {
    if (seen.has(slice.at)) continue;
    seen.add(slice.at);
    const value = of(slice.at);
    if (value === null) ++unknown;
    else changes.push([slice.from, value], [slice.to, -value]);
  }
  if (changes.length === 0) return null;
  changes.sort((a, b) => a[0] - b[0]);
  const use: Use = { name, times: [], values: [], high: 0, mean: 0, unknown };
  let [held, total] = [0, 0];
  changes.forEach(([time, change], i) => {
    held += change;
    const next = changes[i + 1]?.[0] ?? time;
    if (next === time && i < changes.length - 1) return;
    const value = Math.abs(held) < 1e-9 ? 0 : held;
    use.times.push(time);
    use.values.push(value);
    use.high = Math.max(use.high, value);
    total += value * (next - time);
  });
  use.mean = timeline.to > timeline.from ? total / (timeline.to - timeline.from) : use.high;
  return use;
}

/// "s1-r7 · lr = 0.1, seed 3"
export function title_of(answer: TimelineAnswer, study: string, at: number): string {
  const set = Object.fromEntries(Object.entries(answer.runs.factors).flatMap(([factor, column]) => (column[at] === null || column[at] === undefined ? [] : [[factor, String(column[at])]])));
  return [`${study}-r${answer.runs.number[at]}`, levels(set), `seed ${answer.runs.seed[at]}`].filter(Boolean).join(" · ");
}
