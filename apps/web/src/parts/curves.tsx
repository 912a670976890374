import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { text } from "../api";
import type { Run } from "../shapes";

interface Curve {
  name: string;
  steps: number[];
  values: (number | null)[];
}

/// Lines of {"name","value","step"}; a line that is none is left out, as the kernel does.
function curves_in(lines: string): Curve[] {
  const found = new Map<string, Curve>();
  for (const line of lines.split("\n")) {
    let one: { name?: unknown; value?: unknown; step?: unknown };
    try {
      one = JSON.parse(line) as typeof one;
    } catch {
      continue;
    }
    if (typeof one.name !== "string") continue;
    const curve = found.get(one.name) ?? { name: one.name, steps: [], values: [] };
    curve.steps.push(typeof one.step === "number" ? one.step : curve.steps.length);
    curve.values.push(typeof one.value === "number" ? one.value : null);
    found.set(one.name, curve);
  }
  return [...found.values()].filter((c) => c.values.length > 1);
}

function Plot({ curve }: { curve: Curve }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const holder = place.current;
    if (!holder) return;
    const colour = (name: string): string => getComputedStyle(holder).getPropertyValue(name);
    const axis = { stroke: () => colour("color"), grid: { stroke: () => colour("border-top-color"), width: 1 } };
    const plot = new uPlot(
      {
        width: Math.max(240, holder.clientWidth), height: 180, legend: { show: false }, cursor: { drag: { x: true } },
        scales: { x: { time: false } }, axes: [axis, { ...axis, size: 60 }],
        series: [{}, { stroke: () => colour("outline-color"), width: 2, points: { show: curve.values.length < 60 } }],
      },
      [curve.steps, curve.values],
      holder,
    );
    const fit = new ResizeObserver(() => plot.setSize({ width: Math.max(240, holder.clientWidth), height: 180 }));
    fit.observe(holder);
    return () => {
      fit.disconnect();
      plot.destroy();
    };
  }, [curve]);
  const known = curve.values.filter((v): v is number => v !== null);
  return (
    <figure>
      <figcaption>{curve.name} by step</figcaption>
      <div class="curve" ref={place} role="img" aria-label={`${curve.name}: ${known.length} values from ${Math.min(...known)} to ${Math.max(...known)}`} />
    </figure>
  );
}

export function Curves({ run }: { run: Run }) {
  const [curves, set_curves] = useState<Curve[]>([]);
  useEffect(() => {
    text(`/runs/${run.id}/metrics`).then((got) => set_curves(curves_in(got)), () => set_curves([]));
  }, [run.id, run.points]);
  return <>{curves.map((curve) => <Plot key={curve.name} curve={curve} />)}</>;
}
