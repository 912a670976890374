// The chart of learning curves: uPlot draws the axes, and the lines are paths of our own in a picture, since uPlot would build
// all of them again at each pan.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { levels, number } from "../words";
import { type Curves, type Group, nearest } from "./curve_data";
import { box_of, heights, type Lines, lines_of, type Logs, moved, path_of, place } from "./curve_paths";
import { Picture } from "./picture";
import { axis_marks } from "./ticks";

const height = 380;
const colours = 6;

/// A colour of the page's palette, or of a ramp where there are more groups than colours.
export function colour_of(at: number, count: number): string {
  if (count <= colours) return `var(--curve-${at})`;
  return `color-mix(in oklch, var(--ramp-high) ${Math.round((100 * at) / (count - 1))}%, var(--ramp-low))`;
}

interface Shown {
  hidden: ReadonlySet<string>;
  each_run: boolean;
  means: boolean;
}

interface Chart {
  show: (shown: Shown) => void;
  end: () => void;
}

/// From and to, in places of the axis.
type Ends = [number, number];

function chart_in(holder: HTMLElement, tip: HTMLElement, curves: Curves, groups: Group[], logs: Logs, first: Shown, titles: [string, string], theme: () => void): Chart | null {
  const begun = performance.now();
  const box = box_of(curves, logs);
  tip.hidden = box !== null;
  if (!box) {
    tip.textContent = "No value can be drawn on these axes.";
    return null;
  }
  let shown = first;
  const whole: Ends = box.left < box.right ? [box.left, box.right] : [box.left - 1, box.right + 1];
  let window_: Ends = whole;
  const lines: Lines[] = groups.map((group) => lines_of(group, curves.grid, box, logs));
  const value_at = (at: number, log: boolean): number => (log ? 10 ** at : at);

  const probe = document.createElement("span");
  holder.append(probe);
  const computed = (colour: string): string => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const inks = groups.map((_, i) => computed(colour_of(i, groups.length)));
  const styled = getComputedStyle(holder);
  const axis = { stroke: styled.color, grid: { stroke: styled.borderTopColor, width: 1 }, ticks: { stroke: styled.borderTopColor } };
  probe.remove();

  const visible = (): Group[] => groups.filter((group) => !shown.hidden.has(group.name));
  const y_ends = (): Ends => {
    const [low, high] = heights(visible(), logs, ...(window_.map((at) => value_at(at, logs.x)) as Ends)) ?? [box.low, box.high];
    const room = (high - low || Math.abs(high) * 0.1 || 1) * 0.04;
    return [low - room, high + room];
  };
  const range = (ends: () => Ends, log: boolean) => (): Ends => ends().map((at) => value_at(at, log)) as Ends;

  /// From the unit square of the data to the pixels of the canvas.
  const matrix = (plot: uPlot): DOMMatrix => {
    const { left, top, width, height } = plot.bbox;
    const [x0, x1] = [place(plot.scales.x!.min!, logs.x), place(plot.scales.x!.max!, logs.x)];
    const [y0, y1] = [place(plot.scales.y!.min!, logs.y), place(plot.scales.y!.max!, logs.y)];
    const a = ((box.right - box.left || 1) / (x1 - x0)) * width;
    const d = (-(box.high - box.low || 1) / (y1 - y0)) * height;
    return new DOMMatrix([a, 0, 0, d, left + ((box.left - x0) / (x1 - x0)) * width, top + height - ((box.low - y0) / (y1 - y0)) * height]);
  };
  const paint = (ctx: CanvasRenderingContext2D, at: DOMMatrix): void => {
    ctx.lineJoin = "bevel";
    const each = (paint: (of: Lines, group: Group) => void): void => groups.forEach((group, i) => {
      if (shown.hidden.has(group.name)) return;
      ctx.strokeStyle = ctx.fillStyle = inks[i]!;
      paint(lines[i]!, group);
    });
    if (shown.each_run) each((of, group) => {
      ctx.globalAlpha = !shown.means || group.runs.length === 1 ? 0.8 : Math.max(0.12, 0.5 / Math.sqrt(group.runs.length));
      ctx.lineWidth = devicePixelRatio;
      ctx.stroke(moved(of.runs, at));
    });
    if (shown.means) {
      ctx.globalAlpha = 0.16;
      each((of) => ctx.fill(moved(of.band, at)));
      ctx.globalAlpha = 1;
      ctx.lineWidth = 2.5 * devicePixelRatio;
      each((of) => ctx.stroke(moved(of.mean, at)));
    }
  };
  const picture = new Picture(paint, () => plot.redraw(false));
  const draw = (plot: uPlot): void => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    picture.draw(ctx, bbox, matrix(plot));
    ctx.restore();
  };

  const mark = document.createElement("canvas");
  mark.className = "mark";
  const forget = (plot: uPlot): void => {
    tip.hidden = true;
    mark.getContext("2d")!.clearRect(0, 0, mark.width, mark.height);
    plot.setCursor({ left: -10, top: -10 }, false);
  };
  const hover = (plot: uPlot): void => {
    const { left, top } = plot.cursor;
    if (left === undefined || top === undefined || left < 0) {
      tip.hidden = true;
      mark.getContext("2d")!.clearRect(0, 0, mark.width, mark.height);
      return;
    }
    const found = nearest(visible(), plot.posToVal(left, "x"), top, (value) => plot.valToPos(value, "y"));
    tip.hidden = !found;
    if (!found) return;
    const { group, run, index } = found;
    const grid_at = curves.grid.findIndex((x) => x >= run.x[index]!);
    const mean = group.runs.length > 1 && grid_at >= 0 ? `; ${group.name}: ${number(group.mean[grid_at]!)}${Number.isFinite(group.sd[grid_at]!) ? ` ± ${number(group.sd[grid_at]!, 2)}` : ""}` : "";
    tip.textContent = `${run.id} (${levels(run.factors)}, seed ${run.seed}): ${number(run.y[index]!)} at ${titles[0]} ${number(run.x[index]!)}${mean}`;
    const [width, tall] = [plot.bbox.width, plot.bbox.height];
    if (mark.width !== width || mark.height !== tall) Object.assign(mark, { width, height: tall });
    const ctx = mark.getContext("2d")!;
    const at = matrix(plot);
    at.e -= plot.bbox.left;
    at.f -= plot.bbox.top;
    ctx.clearRect(0, 0, width, tall);
    ctx.strokeStyle = ctx.fillStyle = inks[groups.indexOf(group)]!;
    ctx.lineWidth = 3 * devicePixelRatio;
    ctx.stroke(moved(path_of(run, box, logs), at));
    ctx.beginPath();
    ctx.arc(plot.valToPos(run.x[index]!, "x") * devicePixelRatio, plot.valToPos(run.y[index]!, "y") * devicePixelRatio, 4 * devicePixelRatio, 0, 7);
    ctx.fill();
  };

  const span = (plot: uPlot, ends: Ends): void => {
    window_ = ends;
    plot.setScale("x", { min: value_at(ends[0], logs.x), max: value_at(ends[1], logs.x) });
  };
  const pan = (plot: uPlot, share: number): void => {
    const width = window_[1] - window_[0];
    const by = Math.min(Math.max(share * width, whole[0] - window_[0]), whole[1] - window_[1]);
    span(plot, [window_[0] + by, window_[1] + by]);
  };
  const zoom = (plot: uPlot, factor: number): void => {
    const middle = (window_[0] + window_[1]) / 2;
    const half = Math.max(((window_[1] - window_[0]) / 2) * factor, (whole[1] - whole[0]) / 1e6);
    span(plot, [Math.max(whole[0], middle - half), Math.min(whole[1], middle + half)]);
  };

  const plot = new uPlot(
    {
      width: Math.max(240, holder.clientWidth), height, legend: { show: false },
      cursor: { points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: {
        x: { time: false, distr: logs.x ? 3 : 1, range: range(() => window_, logs.x) },
        y: { distr: logs.y ? 3 : 1, range: range(y_ends, logs.y) },
      },
      axes: [
        { ...axis, label: titles[0], labelSize: 20, ...axis_marks(logs.x, () => holder.clientWidth / 1.6) },
        { ...axis, label: titles[1], labelSize: 20, size: 64, ...axis_marks(logs.y, () => height) },
      ],
      series: [{}, { show: true, paths: () => null, points: { show: false } }],
      hooks: {
        draw: [draw],
        setCursor: [hover],
        setSelect: [(self) => {
          const { left, width } = self.select;
          if (width < 4) return;
          const ends = [self.posToVal(left, "x"), self.posToVal(left + width, "x")].map((x) => place(x, logs.x)) as Ends;
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          span(self, ends);
        }],
      },
    },
    [[value_at(whole[0], logs.x), value_at(whole[1], logs.x)], [value_at(box.low, logs.y), value_at(box.high, logs.y)]],
    holder,
  );
  plot.over.append(mark);

  // Dragging with Shift moves the window; without, uPlot selects what to zoom into.
  let held: number | null = null;
  const listeners = new AbortController();
  const { signal } = listeners;
  plot.root.addEventListener("mousedown", (e) => {
    if (!e.shiftKey) return;
    e.stopPropagation();
    e.preventDefault();
    held = e.clientX;
  }, { signal, capture: true });
  addEventListener("mousemove", (e) => {
    if (held === null) return;
    pan(plot, (held - e.clientX) / plot.over.clientWidth);
    held = e.clientX;
  }, { signal });
  addEventListener("mouseup", () => { held = null; }, { signal });
  plot.over.addEventListener("dblclick", () => span(plot, whole), { signal });
  plot.over.addEventListener("wheel", (e) => {
    const by = e.deltaX || (e.shiftKey ? e.deltaY : 0);
    if (by === 0) return;
    e.preventDefault();
    pan(plot, by / plot.over.clientWidth);
  }, { signal, passive: false });
  const keys: Record<string, () => void> = {
    ArrowLeft: () => pan(plot, -0.1), ArrowRight: () => pan(plot, 0.1), "+": () => zoom(plot, 0.5), "-": () => zoom(plot, 2), Home: () => span(plot, whole),
    Escape: () => forget(plot),
  };
  holder.addEventListener("keydown", (e) => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]!();
  }, { signal });
  const fit = new ResizeObserver(() => {
    const width = Math.max(240, holder.clientWidth);
    if (width !== plot.width) plot.setSize({ width, height });
  });
  fit.observe(holder);
  // Colours are computed once, so another theme needs another chart.
  const themes = new MutationObserver(theme);
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", theme, { signal });
  // uPlot draws in a microtask that it queued before this one.
  queueMicrotask(() => {
    performance.measure("draw curves", { start: begun, end: performance.now() });
    holder.dataset.drawn = String(curves.runs.length);
  });
  return {
    show: (next) => {
      shown = next;
      picture.forget();
      plot.redraw();
    },
    end: () => {
      listeners.abort();
      picture.forget();
      fit.disconnect();
      themes.disconnect();
      plot.destroy();
      delete holder.dataset.drawn;
    },
  };
}

export function CurveChart({ curves, groups, logs, shown, x_title, y_title, words }: { curves: Curves; groups: Group[]; logs: Logs; shown: Shown; x_title: string; y_title: string; words: string }) {
  const holder = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLParagraphElement>(null);
  const chart = useRef<Chart | null>(null);
  const now = useRef(shown);
  now.current = shown;
  useEffect(() => {
    const build = (): void => {
      chart.current?.end();
      chart.current = chart_in(holder.current!, tip.current!, curves, groups, logs, now.current, [x_title, y_title], build);
    };
    build();
    return () => {
      chart.current?.end();
      chart.current = null;
    };
  }, [curves, groups, logs.x, logs.y, x_title, y_title]);
  useEffect(() => chart.current?.show(shown), [shown.hidden, shown.each_run, shown.means]);
  return (
    <>
      <div class="curve curves" ref={holder} tabIndex={0} role="img" aria-label={words} />
      <p class="tip" ref={tip} hidden />
    </>
  );
}
