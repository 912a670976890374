// Parallel coordinates: an axis for each factor and one for the metric, and a line for each setting.

import { useState } from "preact/hooks";

import { value_of } from "../answers";
import type { Candidate, Search } from "../shapes";
import { counted, levels, number } from "../words";

const width = 720;
const height = 260;
const top = 40;
const bottom = height - 26;
const side = 60;
const bound_height = 7;
const beyond_bound = bound_height + 3; // The values at the ends stand clear of the bounds.
const most_lines = 500;
const letter = 6.5; // About the width of a letter of a title.

interface Axis {
  name: string;
  /// Share of the height from the bottom, 0 to 1; null: no value.
  at: (c: Candidate) => number | null;
  /// The values of the settings, from the bottom to the top.
  steps: { at: number; text: string }[];
}

function numeric_axis(name: string, values: number[], of: (c: Candidate) => number | null): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const log = least > 0 && most / least > 20;
  const scale = (v: number): number => (log ? Math.log(v) : v);
  const length = scale(most) - scale(least) || 1;
  const share = (v: number): number => (scale(v) - scale(least)) / length;
  const steps = [...new Set(values)].sort((a, b) => a - b).map((v) => ({ at: share(v), text: number(v, 3) }));
  return { name, steps, at: (c) => { const v = of(c); return v === null ? null : share(v); } };
}

function axis_of(factor: string, candidates: Candidate[]): Axis {
  const level = (c: Candidate): string | number | undefined => c.cell[factor];
  const found = [...new Set(candidates.map(level))];
  const numbers = found.map(Number);
  if (numbers.every((v) => Number.isFinite(v))) return numeric_axis(factor, numbers, (c) => Number(level(c)));
  const words = found.map(String).sort();
  const share = (word: string): number => words.indexOf(word) / (words.length - 1 || 1);
  return { name: factor, steps: words.map((text) => ({ at: share(text), text })), at: (c) => share(String(level(c))) };
}

/// The factors in which settings with a value differ.
export function varied(candidates: Candidate[]): string[] {
  const shown = candidates.filter((c) => value_of(c) !== null);
  return Object.keys(shown[0]?.cell ?? {}).filter((f) => new Set(shown.map((c) => String(c.cell[f]))).size > 1);
}

type Range = [number, number];
type Brushes = Record<string, Range>;

const whole: Range = [0, 1];

/// The step of the axis that is nearest to a share of its height.
function nearest(axis: Axis, share: number): number {
  return axis.steps.reduce((best, step, i) => (Math.abs(step.at - share) < Math.abs(axis.steps[best]!.at - share) ? i : best), 0);
}

/// The range after a key was pressed on its lower (0) or upper (1) end; null if the key moves nothing.
function moved(axis: Axis, range: Range, end: 0 | 1, key: string): Range | null {
  const last = axis.steps.length - 1;
  const at = nearest(axis, range[end]);
  const wanted = ({ ArrowUp: at + 1, ArrowRight: at + 1, ArrowDown: at - 1, ArrowLeft: at - 1, PageUp: at + 5, PageDown: at - 5, Home: 0, End: last } as Record<string, number>)[key];
  if (wanted === undefined) return null;
  const other = nearest(axis, range[1 - end]!);
  const step = axis.steps[end === 0 ? Math.min(Math.max(wanted, 0), other) : Math.max(Math.min(wanted, last), other)]!;
  return end === 0 ? [step.at, range[1]] : [range[0], step.at];
}

/// A title stands over the middle of its axis, and no further from it than the picture's edge needs.
function title_x(at: number, name: string): number {
  const half = (name.length * letter) / 2;
  return Math.max(Math.min(at, width - 2 - half), Math.min(half + 2, width / 2));
}

/// One end of the range that is selected on an axis.
function Bound({ axis, end, range, x, y, change }: { axis: Axis; end: 0 | 1; range: Range; x: number; y: number; change: (range: Range) => void }) {
  const at = nearest(axis, range[end]);
  const tip = end === 0 ? bound_height : -bound_height;
  return (
    <path class="bound" d={`M${x},${y}l-5,${tip}h10z`} tabindex={0} role="slider" aria-orientation="vertical"
      aria-label={`${axis.name}, ${end === 0 ? "lower" : "upper"} bound`} aria-valuemin={0} aria-valuemax={axis.steps.length - 1}
      aria-valuenow={at} aria-valuetext={axis.steps[at]!.text}
      onKeyDown={(e) => {
        const next = e.key === "Escape" ? whole : moved(axis, range, end, e.key);
        if (!next) return;
        e.preventDefault();
        e.stopPropagation();
        change(next);
      }} />
  );
}

/// Dragging along an axis, or moving its bounds by keys, selects the settings that pass there; the ranking below has the
/// same settings as a table.
export function Parallel({ search, candidates, unit }: { search: Search; candidates: Candidate[]; unit: string }) {
  const [brushes, set_brushes] = useState<Brushes>({});
  const [from, set_from] = useState<{ name: string; at: number } | null>(null);
  const shown = candidates.filter((c) => value_of(c) !== null).slice(0, most_lines);
  const axes = [...varied(shown).map((f) => axis_of(f, shown)), numeric_axis(`${search.metric}${unit && ` (${unit})`}`, shown.map((c) => value_of(c)!), value_of)];
  const x = (i: number): number => side + (i * (width - 2 * side)) / (axes.length - 1);
  const y = (share: number): number => bottom - share * (bottom - top);
  const inside = (c: Candidate): boolean => axes.every((axis) => {
    const brush = brushes[axis.name];
    const at = axis.at(c);
    return !brush || (at !== null && at >= brush[0] - 0.01 && at <= brush[1] + 0.01);
  });
  const selected = shown.filter(inside);
  const share = (e: PointerEvent): number => {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    return Math.min(1, Math.max(0, 1 - (e.clientY - box.top) / box.height));
  };
  const brush = (name: string, a: number, b: number): void => {
    const { [name]: _, ...others } = brushes;
    const all = Math.min(a, b) <= 0 && Math.max(a, b) >= 1;
    set_brushes(all ? others : { ...others, [name]: [Math.min(a, b), Math.max(a, b)] });
  };
  const words = `${counted(shown.length, "setting")} over ${axes.map((axis) => axis.name).join(", ")}`;
  return (
    <figure>
      <figcaption>A line for each setting; the best one is thick. Drag along an axis to select, or move its ends with the arrow keys; Escape selects all of it.</figcaption>
      <div class="scroll" role="region" aria-label="Parallel coordinates" tabIndex={0}>
        <svg class="parallel" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={words}>
          {[...shown].reverse().map((c) => (
            <path key={levels(c.cell)} class={inside(c) ? (c === shown[0] ? "best" : "in") : "out"}
              d={axes.map((axis, i) => { const at = axis.at(c); return at === null ? "" : `${i === 0 ? "M" : "L"}${x(i)},${y(at)}`; }).join("")} />
          ))}
          {axes.map((axis, i) => (
            <g key={axis.name}>
              <line class="rule" x1={x(i)} x2={x(i)} y1={top} y2={bottom} />
              {brushes[axis.name] && <rect class="brush" x={x(i) - 6} width={12} y={y(brushes[axis.name]![1])} height={Math.max(3, y(brushes[axis.name]![0]) - y(brushes[axis.name]![1]))} />}
              <text x={title_x(x(i), axis.name)} y={12} class="name">{axis.name}</text>
              <text x={x(i)} y={top - beyond_bound}>{axis.steps.at(-1)?.text}</text>
              <text x={x(i)} y={bottom + beyond_bound + 8}>{axis.steps[0]?.text}</text>
              <rect class="grip" x={x(i) - 14} width={28} y={top} height={bottom - top}
                onPointerDown={(e) => { (e.currentTarget as Element).setPointerCapture(e.pointerId); set_from({ name: axis.name, at: share(e) }); }}
                onPointerMove={(e) => from?.name === axis.name && brush(axis.name, from.at, share(e))}
                onPointerUp={() => set_from(null)} />
              {([0, 1] as const).map((end) => {
                const range = brushes[axis.name] ?? whole;
                return <Bound key={end} axis={axis} end={end} range={range} x={x(i)} y={y(range[end])} change={([a, b]) => brush(axis.name, a, b)} />;
              })}
            </g>
          ))}
        </svg>
      </div>
      {Object.keys(brushes).length > 0 && (
        <p role="status">{counted(selected.length, "setting")} selected{selected[0] && `; the best: ${levels(selected[0].cell)}, ${search.metric} ${number(value_of(selected[0]))}`}. <button onClick={() => set_brushes({})}>Select all</button></p>
      )}
    </figure>
  );
}
