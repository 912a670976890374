// A horizontal axis that the rows of a table share.

import { number } from "../words";

export interface Scale {
  low: number;
  high: number;
  width: number;
  /// The values are shares, which are shown in percent.
  relative?: boolean;
}

/// From the least to the greatest value, with some room at the ends.
export function scale_of(values: number[], width: number): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return { low: low - room, high: high + room, width };
}

export function x_of({ low, high, width }: Scale): (value: number) => number {
  return (value) => ((value - low) / (high - low)) * width;
}

/// Round values, at most six of them.
export function ticks({ low, high }: Scale): number[] {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; ++at) found.push(at === 0 ? 0 : at * step);
  return found;
}

export function Axis({ scale }: { scale: Scale }) {
  const x = x_of(scale);
  return (
    <svg class="axis" width={scale.width} height={18} viewBox={`0 0 ${scale.width} 18`} aria-hidden="true">
      {ticks(scale).map((tick) => (
        <>
          <line x1={x(tick)} x2={x(tick)} y1={0} y2={4} />
          <text x={Math.min(scale.width - 14, Math.max(14, x(tick)))} y={16}>{number(scale.relative ? tick * 100 : tick, 3)}{scale.relative ? " %" : ""}</text>
        </>
      ))}
    </svg>
  );
}
