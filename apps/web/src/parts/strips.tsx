import type { Run } from "../shapes";
import { bytes, duration, number } from "../words";
import { Panel } from "./bits";

const height = 44;
const most = 1000;

type Measure = (usage: NonNullable<Run["usage"]>) => number | null;

interface Strip {
  name: string;
  of: Measure;
  show: (value: number) => string;
}

/// A value that no counter gave is null, and is not drawn as a small one.
const strips: Strip[] = [
  { name: "processor time", of: (u) => (u.rss_peak_bytes > 0 ? u.cpu_s : null), show: duration },
  { name: "peak memory", of: (u) => (u.rss_peak_bytes > 0 ? u.rss_peak_bytes : null), show: bytes },
  { name: "peak GPU memory", of: (u) => u.gpu?.memory_peak_bytes ?? null, show: bytes },
  { name: "GPU in use", of: (u) => u.gpu?.utilisation_mean ?? null, show: (v) => `${number(100 * v, 3)} %` },
  { name: "energy", of: (u) => u.energy?.joules ?? null, show: (v) => `${number(v, 3)} J` },
];

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function One({ strip, runs }: { strip: Strip; runs: Run[] }) {
  const values = runs.map((run) => (run.usage ? strip.of(run.usage) : null));
  const known = values.filter((v): v is number => v !== null);
  const missing = values.length - known.length;
  if (known.length === 0) return <div class="strip"><span class="label">{strip.name}</span><span class="muted">not measured</span></div>;
  const high = Math.max(...known);
  const bars = values.map((v, i) => (v === null ? "" : `M${i + 0.5},${height} V${height - Math.max(1, (v / (high || 1)) * (height - 2))}`)).join("");
  const gaps = values.map((v, i) => (v === null ? `M${i + 0.1},${height - 1} H${i + 0.9}` : "")).join("");
  const words = `${strip.name}: median ${strip.show(median(known))}, at most ${strip.show(high)}${missing > 0 ? `; ${missing} of ${values.length} not measured` : ""}`;
  return (
    <div class="strip">
      <span class="label">{strip.name}</span>
      <svg viewBox={`0 0 ${values.length} ${height}`} preserveAspectRatio="none" role="img" aria-label={words}>
        <path class="bars" d={bars} stroke-width={values.length > 200 ? 1 : 0.8} />
        <path class="gaps" d={gaps} />
      </svg>
      <span class="amount">median {strip.show(median(known))}, at most {strip.show(high)}{missing > 0 && <span class="muted"> · {missing} not measured</span>}</span>
    </div>
  );
}

/// One bar per run that has ended, in the order of their numbers.
export function Strips({ runs, more }: { runs: Run[]; more: boolean }) {
  const ended = runs.filter((run) => run.started && run.ended).slice(0, most);
  return (
    <Panel title="What runs used">
      {ended.length === 0 ? <p class="empty">No run has ended yet.</p> : (
        <>
          {strips.map((strip) => <One key={strip.name} strip={strip} runs={ended} />)}
          <p class="muted">One bar for each of {ended.length} runs, in the order of their numbers{(more || ended.length === most) && "; there are more"}. A dash at the bottom is a run without this measurement.</p>
        </>
      )}
    </Panel>
  );
}
