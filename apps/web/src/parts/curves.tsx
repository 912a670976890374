import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { parsed } from "../api";
import { address, text } from "../client";
import { axis_marks } from "../charts/ticks";
import type { Run } from "../shapes";
import { counted, number } from "../words";

export interface Curve {
  name: string;
  /// Draws single points. The lines of such a chart are steps, unless it is `straight`.
  dots?: boolean;
  /// Its points are filled and larger than others.
  solid?: boolean;
  steps: number[];
  values: (number | null)[];
}

/// One metric of one or more runs.
export interface Figure {
  name: string;
  along?: string;
  /// The x axis is logarithmic.
  log?: boolean;
  /// Lines are straight even if the chart has single points.
  straight?: boolean;
  /// `unnamed`: it belongs to the one before, with whose look it is drawn; the legend has that one only.
  of: { run: string; curve: Curve; unnamed?: boolean }[];
}

const height = 200;

/// Lines differ by colour and by dashes.
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];
export const most_curves = 6;

/// Lines of {"name","value","step"}; malformed lines are skipped, as in the kernel.
function curves_in(lines: string): Curve[] {
  const found = new Map<string, Curve>();
  for (const line of lines.split("\n")) {
    let one: { name?: unknown; value?: unknown; step?: unknown };
    try {
      one = parsed<typeof one>(line);
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

/// uPlot needs the points of a series in the order of x, and each x once.
function in_order({ steps, values }: Curve): [number[], (number | null)[]] {
  const at = new Map<number, number | null>();
  steps.forEach((step, i) => at.set(step, values[i]!));
  const sorted = [...at].sort(([a], [b]) => a - b);
  return [sorted.map(([step]) => step), sorted.map(([, value]) => value)];
}

function in_words(figure: Figure): string {
  const known = figure.of.flatMap(({ curve }) => curve.values).filter((v): v is number => v !== null);
  const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
  const named = figure.of.filter(({ unnamed }) => !unnamed);
  const whose = named.length > 1 ? ` of ${named.map(({ run }) => run).join(", ")}` : "";
  return `${figure.name}${whose}: ${known.length} values${known.length > 0 ? ` from ${number(low)} to ${number(high)}` : ""}`;
}

/// The number of a curve's look.
function look_of(figure: Figure, at: number): number {
  return figure.of[at]!.unnamed && at > 0 ? look_of(figure, at - 1) : at;
}

export function Plot({ figure }: { figure: Figure }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const holder = place.current;
    if (!holder) return;
    const colour = (name: string): string => getComputedStyle(holder).getPropertyValue(name);
    // A canvas knows no CSS variables, so their colours are computed here.
    const probe = document.createElement("span");
    holder.append(probe);
    const curve_colour = (i: number): string => {
      probe.style.color = `var(--curve-${i % most_curves})`;
      return getComputedStyle(probe).color;
    };
    const axis = { stroke: () => colour("color"), grid: { stroke: () => colour("border-top-color"), width: 1 } };
    const dotted = figure.of.some(({ curve }) => curve.dots);
    const points = !dotted && figure.of.every(({ curve }) => curve.values.length < 60);
    const plot = new uPlot(
      {
        width: Math.max(240, holder.clientWidth), height, legend: { show: false }, cursor: { drag: { x: true } },
        scales: { x: { time: false, distr: figure.log ? 3 : 1 } },
        axes: [{ ...axis, ...axis_marks(figure.log === true, () => holder.clientWidth / 1.6) }, { ...axis, ...axis_marks(false, () => height), size: 60 }],
        series: [{}, ...figure.of.map(({ curve }, i) => ({
          stroke: () => curve_colour(look_of(figure, i)), width: 2, dash: dashes[i % dashes.length]!, spanGaps: figure.of.length > 1, points: { show: points || curve.dots === true, ...(curve.solid ? { size: 10, fill: curve_colour(look_of(figure, i)) } : {}) },
          ...(curve.dots ? { paths: () => null } : dotted && !figure.straight ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        }))],
      },
      uPlot.join(figure.of.map(({ curve }) => in_order(curve) as uPlot.AlignedData)),
      holder,
    );
    const fit = new ResizeObserver(() => plot.setSize({ width: Math.max(240, holder.clientWidth), height }));
    fit.observe(holder);
    return () => {
      fit.disconnect();
      plot.destroy();
      probe.remove();
    };
  }, [figure]);
  return (
    <figure>
      <figcaption>{figure.name} by {figure.along ?? "step"}</figcaption>
      {figure.of.length > 1 && (
        <ul class="legend">
          {figure.of.map(({ run, curve, unnamed }, i) => unnamed ? null : (
            <li key={run}>
              <svg width={36} height={10} aria-hidden="true" style={`stroke: var(--curve-${i}); fill: none; stroke-width: 2`}>
                {curve.dots ? <circle cx={18} cy={5} r={curve.solid ? 4 : 3} {...(curve.solid ? { fill: `var(--curve-${i})` } : {})} /> : <line x1={0} x2={36} y1={5} y2={5} stroke-dasharray={dashes[i % dashes.length]!.join(" ")} />}
              </svg> {run}
            </li>
          ))}
        </ul>
      )}
      <div class="curve" ref={place} role="img" aria-label={in_words(figure)} />
    </figure>
  );
}

/// The metrics that the runs reported by step: one plot per metric with all runs. Those that the study does not ask for are
/// drawn when they are opened.
export function Curves({ runs, metrics }: { runs: Run[]; metrics: readonly string[] }) {
  const [figures, set_figures] = useState<Figure[] | null>(null);
  const [open, set_open] = useState(false);
  const asked = runs.filter((run) => run.points > 1 && !run.withheld).slice(0, most_curves);
  const key = asked.map((run) => `${run.id} ${run.points}`).join();
  useEffect(() => {
    let over = false;
    const of_run = async (run: Run): Promise<[string, Curve[]]> => [run.id, curves_in(await text(address("/runs/{id}/metrics", { id: run.id })).catch(() => ""))];
    void Promise.all(asked.map(of_run)).then((got) => {
      if (over) return;
      const by_metric = new Map<string, Figure>();
      for (const [run, curves] of got)
        for (const curve of curves) {
          const figure = by_metric.get(curve.name) ?? { name: curve.name, of: [] };
          figure.of.push({ run, curve });
          by_metric.set(curve.name, figure);
        }
      set_figures([...by_metric.values()]);
    });
    return () => { over = true; };
  }, [key]);
  if (figures === null) return asked.length > 0 ? <p class="muted loading">…</p> : null;
  const wanted = figures.filter((figure) => metrics.includes(figure.name));
  const others = figures.filter((figure) => !metrics.includes(figure.name));
  return (
    <>
      {wanted.map((figure) => <Plot key={figure.name} figure={figure} />)}
      {others.length > 0 && (
        <details open={open} onToggle={(e) => set_open(e.currentTarget.open)}>
          <summary>{counted(others.length, "other curve")}: {others.map((figure) => figure.name).join(", ")}</summary>
          {open && others.map((figure) => <Plot key={figure.name} figure={figure} />)}
        </details>
      )}
    </>
  );
}
