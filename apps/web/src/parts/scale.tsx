// A horizontal axis that the rows of a table share.

import { linear_ticks, log_ticks } from "../charts/ticks";
import { number } from "../words";

export interface Scale {
  low: number;
  high: number;
  width: number;
  /// The values are shares, which are shown in percent.
  relative?: boolean;
  /// The ends are powers of ten.
  log?: boolean;
}

/// Beyond it, differences of values overflow.
const largest = 1e300;

/// From the least to the greatest value, with some room at the ends. `log`: all values are positive.
export function scale_of(values: number[], width: number, log = false): Scale {
  let [low, high] = [largest, -largest];
  for (const value of values) {
    low = Math.min(low, Math.max(value, -largest));
    high = Math.max(high, Math.min(value, largest));
  }
  if (log) [low, high] = [Math.log10(low), Math.log10(high)];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return { low: low - room, high: high + room, width, log };
}

export function x_of({ low, high, width, log }: Scale): (value: number) => number {
  return (value) => (((log ? Math.log10(value) : value) - low) / (high - low)) * width;
}

/// Round values, about six of them.
export function ticks({ low, high, log }: Scale): number[] {
  return log ? log_ticks(10 ** low, 10 ** high, 6) : linear_ticks(low, high, 6);
}

const letter = 5.8; // About the width of a digit, of 10 px.
const between = 4;

interface Label {
  tick: number;
  text: string;
  anchor: "start" | "middle" | "end";
  from: number;
  to: number;
}

/// A label stands at its tick; at the edges it begins or ends there. Those that would overlap another are left out, 0 the last.
function labels(scale: Scale): Label[] {
  const x = x_of(scale);
  const all = ticks(scale).map((tick): Label => {
    const text = `${number(scale.relative ? tick * 100 : tick, 3)}${scale.relative ? " %" : ""}`;
    const length = text.length * letter;
    const at = x(tick);
    const anchor = at < length / 2 ? "start" : at > scale.width - length / 2 ? "end" : "middle";
    const from = anchor === "start" ? at : anchor === "end" ? at - length : at - length / 2;
    return { tick, text, anchor, from, to: from + length };
  });
  const kept: Label[] = [];
  for (const one of [...all.filter(({ tick }) => tick === 0), ...all.filter(({ tick }) => tick !== 0)])
    if (kept.every((other) => one.to + between <= other.from || one.from >= other.to + between)) kept.push(one);
  return kept;
}

export function Axis({ scale }: { scale: Scale }) {
  const x = x_of(scale);
  return (
    <svg class="axis" width={scale.width} height={18} viewBox={`0 0 ${scale.width} 18`} aria-hidden="true">
      {ticks(scale).map((tick) => <line key={tick} x1={x(tick)} x2={x(tick)} y1={0} y2={4} />)}
      {labels(scale).map(({ tick, text, anchor }) => <text key={tick} x={x(tick)} y={16} style={{ textAnchor: anchor }}>{text}</text>)}
    </svg>
  );
}
