// When and on what the runs ran, and what all of them together used.

import { useMemo, useRef, useState } from "preact/hooks";

import { get } from "../client";
import { busy_share, type Lane, type Slice, slice_at, type Timeline, timeline_of, title_of, type Use, use_of } from "../charts/lanes";
import { time_ticks } from "../charts/ticks";
import { useAgain, useAsked } from "../hooks";
import { Panel, Pill, Refused } from "../parts/bits";
import type { Study, TimelineAnswer } from "../shapes";
import { bytes, cores, counted, duration, number } from "../words";

const first_runs = 1000;
const most_runs = 5000;
const most_lanes = 300; // Beyond them a picture is not read; the table has all.
const lane_height = 18;

const tones: [string, readonly string[]][] = [
  ["succeeded", ["succeeded"]], ["failed", ["failed", "timed_out", "invalid", "lost"]], ["cancelled", ["cancelled"]], ["running", ["starting", "running", "queued"]],
];

/// The part of the time that is shown.
type Ends = [number, number];

function bars(lanes: Lane[], wanted: (slice: Slice) => boolean): string {
  const parts: string[] = [];
  lanes.forEach((lane, row) => {
    for (const slice of lane.slices) if (wanted(slice)) parts.push(`M${slice.from},${row + 0.12}H${slice.to}V${row + 0.88}H${slice.from}Z`);
  });
  return parts.join("");
}

function clock(opened: string, seconds: number): string {
  return new Date(Date.parse(opened) + seconds * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });
}

function Times({ ends: [from, to] }: { ends: Ends }) {
  return (
    <div class="times" aria-hidden="true">
      {time_ticks(from, to, 6).map((tick) => <span key={tick} style={{ left: `${(100 * (tick - from)) / (to - from)}%` }}>{duration(tick)}</span>)}
    </div>
  );
}

function UseStrip({ use, ends: [from, to], show }: { use: Use; ends: Ends; show: (value: number) => string }) {
  const path = useMemo(() => {
    const high = use.high || 1;
    return use.times.map((time, i) => `${i === 0 ? `M${time},1` : `H${time}`}V${1 - use.values[i]! / high}`).join("") + `V1Z`;
  }, [use]);
  const words = `${show(use.high)} at most, ${show(use.mean)} on average`;
  return (
    <div class="strip">
      <span class="label">{use.name}</span>
      <svg viewBox={`${from} 0 ${to - from} 1`} preserveAspectRatio="none" role="img" aria-label={`${use.name}: ${words}`}><path class="use" d={path} /></svg>
      <span class="amount">{words}{use.unknown > 0 && <span class="muted"> · {counted(use.unknown, "run")} not measured</span>}</span>
    </div>
  );
}

/// What is known of a run, for the line below the picture.
function said_of(answer: TimelineAnswer, study: string, { at, from, to, open }: Slice): string {
  const { runs } = answer;
  const [memory, seconds] = [runs.rss_peak_bytes[at], runs.cpu_s[at]];
  return [
    title_of(answer, study, at), `${runs.state[at]!.replaceAll("_", " ")}${open ? "" : ` after ${duration(to - from)}`}`, `started ${clock(answer.opened, from)}`, cores(runs.cpus[at]!),
    runs.gpus[at]!.length > 0 ? `GPU ${runs.gpus[at]!.join(", ")}` : "", memory ? `${bytes(memory)} of memory at most` : "", memory && seconds !== null && seconds !== undefined ? `${duration(seconds)} of processor time` : "",
  ].filter(Boolean).join(" · ");
}

function Picture({ answer, timeline, study, ends, show }: { answer: TimelineAnswer; timeline: Timeline; study: string; ends: Ends; show: (ends: Ends) => void }) {
  const lanes = useMemo(() => timeline.lanes.slice(0, most_lanes), [timeline]);
  const [from, to] = ends;
  const [held, set_held] = useState<{ row: number; slice: Slice } | null>(null);
  const [dragged, set_dragged] = useState<Ends | null>(null);
  const box = useRef<SVGSVGElement>(null);
  const paths = useMemo(() => tones.map(([tone, states]): [string, string] => [tone, bars(lanes, (slice) => states.includes(answer.runs.state[slice.at]!))]), [timeline]);
  const place_of = (event: MouseEvent): [number, number, number] => {
    const { left, top, width } = box.current!.getBoundingClientRect();
    const unit = (to - from) / width;
    return [from + (event.clientX - left) * unit, Math.floor((event.clientY - top) / lane_height), unit];
  };
  const find = (event: MouseEvent): { row: number; slice: Slice } | null => {
    const [time, row, unit] = place_of(event);
    const slice = lanes[row] && slice_at(lanes[row]!, time, 3 * unit);
    return slice ? { row, slice } : null;
  };
  const open = (slice: Slice): void => { location.hash = `#/runs/${study}-r${answer.runs.number[slice.at]}`; };
  /// Of a run that is outside, the part that is shown moves.
  const hold = (row: number, slice: Slice | undefined): void => {
    if (!slice) return;
    set_held({ row, slice });
    const width = to - from;
    if (slice.to < from || slice.from > to) show([slice.from - width / 2, slice.from + width / 2]);
  };
  const keys = (event: KeyboardEvent): void => {
    const { row, slice } = held ?? { row: 0, slice: undefined };
    const lane = lanes[row]!;
    const at = slice ? lane.slices.indexOf(slice) : -1;
    const middle = slice ? (slice.from + slice.to) / 2 : (from + to) / 2;
    const nearer = (factor: number): void => show([middle - (middle - from) * factor, middle + (to - middle) * factor]);
    const by = (step: number): void => { const next = Math.min(lanes.length - 1, Math.max(0, row + step)); hold(next, slice_at(lanes[next]!, slice?.from ?? from, Number.POSITIVE_INFINITY)); };
    if (event.key === "ArrowRight") hold(row, lane.slices[Math.min(lane.slices.length - 1, at + 1)]);
    else if (event.key === "ArrowLeft") hold(row, lane.slices[Math.max(0, at - 1)]);
    else if (event.key === "ArrowDown") by(1);
    else if (event.key === "ArrowUp") by(-1);
    else if (event.key === "+") nearer(0.5);
    else if (event.key === "-") nearer(2);
    else if (event.key === "Home") show([timeline.from, timeline.to]);
    else if (event.key === "Enter" && slice) open(slice);
    else return;
    event.preventDefault();
  };
  const release = (event: PointerEvent): void => {
    if (!dragged) return;
    const [begin] = dragged;
    const [end, , unit] = place_of(event);
    set_dragged(null);
    if (Math.abs(end - begin) > 6 * unit) return show([Math.min(begin, end), Math.max(begin, end)]);
    const hit = find(event);
    if (hit) open(hit.slice);
  };
  return (
    <>
      <div class="lanes">
        <div class="names" aria-hidden="true">{lanes.map((lane) => <span key={lane.name}>{lane.name}</span>)}</div>
        <svg ref={box} viewBox={`${from} 0 ${to - from} ${lanes.length}`} preserveAspectRatio="none" style={{ height: `${lanes.length * lane_height}px` }} tabindex={0} role="application"
          aria-label={`Timeline of ${counted(answer.runs.number.length, "run")} in ${counted(lanes.length, "lane")}. Arrow keys go from run to run, Enter opens one, plus and minus zoom, Home shows all.`}
          onKeyDown={keys} onDblClick={() => show([timeline.from, timeline.to])} onPointerMove={(e) => { if (dragged) set_dragged([dragged[0], place_of(e)[0]]); else set_held(find(e)); }}
          onPointerDown={(e) => { if (e.button === 0) { const [time] = place_of(e); set_dragged([time, time]); box.current!.setPointerCapture(e.pointerId); } }} onPointerUp={release}>
          {paths.map(([tone, path]) => path && <path key={tone} class={`bar ${tone}`} d={path} />)}
          {dragged && <rect class="brush" x={Math.min(...dragged)} width={Math.abs(dragged[1] - dragged[0])} y={0} height={lanes.length} />}
          {held && <rect class="held" x={held.slice.from} width={held.slice.to - held.slice.from} y={held.row + 0.12} height={0.76} />}
        </svg>
        <span />
        <Times ends={ends} />
      </div>
      <p class="tip" role="status">{held ? said_of(answer, study, held.slice) : <span class="muted">Drag to zoom, double-click for all; a click opens a run.</span>}</p>
    </>
  );
}

function Lanes({ timeline }: { timeline: Timeline }) {
  const [open, set_open] = useState(false);
  return (
    <details onToggle={(e) => set_open(e.currentTarget.open)}>
      <summary>Lanes as a table</summary>
      {open && <table class="ranking">
        <thead><tr><th scope="col">Lane</th><th scope="col">Runs</th><th scope="col">In use</th></tr></thead>
        <tbody>
          {timeline.lanes.map((lane) => <tr key={lane.name}><th scope="row">{lane.name}</th><td class="number">{number(lane.slices.length)}</td><td class="number">{number(100 * busy_share(lane, timeline), 3)} %</td></tr>)}
        </tbody>
      </table>}
    </details>
  );
}

function Used({ answer, timeline, ends }: { answer: TimelineAnswer; timeline: Timeline; ends: Ends }) {
  const uses = useMemo(() => {
    const { runs } = answer;
    // Without a peak of memory no counter was read, and the processor time is not known either.
    const counted_ = (at: number): boolean => (runs.rss_peak_bytes[at] ?? 0) > 0;
    const joules = (at: number): number | null => { const [all, wall] = [runs.energy_j[at], runs.wall_s[at]]; return all !== null && all !== undefined && wall ? all / wall : null; };
    const wanted: [string, (at: number) => number | null, (value: number) => string][] = [
      ["cores leased", (at) => runs.cpus[at]!, (v) => number(v, 3)],
      ["cores in use", (at) => (counted_(at) && runs.wall_s[at] ? runs.cpu_s[at]! / runs.wall_s[at]! : null), (v) => number(v, 3)],
      ["memory, of peaks", (at) => (counted_(at) ? runs.rss_peak_bytes[at]! : null), bytes],
      ["GPUs in use", (at) => { const share = runs.gpu_utilisation[at]; return share === null || share === undefined ? null : share * Math.max(1, runs.gpus[at]!.length); }, (v) => number(v, 3)],
      ["GPU memory, of peaks", (at) => runs.gpu_memory_bytes[at] ?? null, bytes],
      ["power", joules, (v) => `${number(v, 3)} W`],
    ];
    return wanted.flatMap(([name, of, show]) => { const use = use_of(name, timeline, of); return use ? [{ use, show }] : []; });
  }, [answer, timeline]);
  return (
    <Panel title="What runs used, over time">
      {uses.map(({ use, show }) => <UseStrip key={use.name} use={use} ends={ends} show={show} />)}
      <p class="muted">The sum over all runs, from the totals and peaks of each: a run counts with its average, or with its peak memory, for as long as it ran.</p>
    </Panel>
  );
}

export function TimelineView({ study }: { study: Study }) {
  const [limit, set_limit] = useState(first_runs);
  const answer = useAsked(`timeline ${study.id} ${limit}`, () => get("/studies/{id}/timeline", { id: study.id, order: "newest", limit }));
  const stage = `${study.runs.running ?? 0} ${study.runs.starting ?? 0} ${study.runs.succeeded} ${study.runs.failed} ${study.state}`;
  useAgain(stage, answer.again);
  const timeline = useMemo(() => answer.value && timeline_of(answer.value, Date.now()), [answer.value]);
  const [chosen, set_chosen] = useState<Ends | null>(null);
  if (!answer.value || !timeline) return answer.refusal ? <Refused refusal={answer.refusal} /> : <p class="muted" role="status">…</p>;
  if (timeline.lanes.length === 0) return <p class="empty">No run has started yet.</p>;
  const room = timeline.to > timeline.from ? 0 : 0.5;
  const whole: Ends = [timeline.from - room, timeline.to + room];
  const ends = chosen ?? whole;
  /// Never beyond the ends, and never less than a millisecond.
  const show = ([from, to]: Ends): void => {
    const next: Ends = [Math.max(whole[0], from), Math.min(whole[1], Math.max(to, from + 0.001))];
    set_chosen(next[1] <= next[0] || (next[0] === whole[0] && next[1] === whole[1]) ? null : next);
  };
  const middle = (ends[0] + ends[1]) / 2;
  const nearer = (factor: number): void => show([middle - (middle - ends[0]) * factor, middle + (ends[1] - middle) * factor]);
  return (
    <>
      <Panel title="Timeline of runs">
        <Refused refusal={answer.refusal} />
        <div class="tools">
          <button onClick={() => nearer(0.5)} aria-label="Larger">+</button><button onClick={() => nearer(2)} aria-label="Smaller">−</button><button disabled={!chosen} onClick={() => set_chosen(null)}>Show all</button>
          {tones.filter(([, states]) => answer.value!.runs.state.some((state) => states.includes(state))).map(([tone]) => <Pill key={tone} word={tone} />)}
        </div>
        <Picture answer={answer.value} timeline={timeline} study={study.id} ends={ends} show={show} />
        <p class="muted">Each slot holds one run at a time. Times count from when the study was opened, {clock(answer.value.opened, 0)}.{timeline.lanes.length > most_lanes && ` The first ${most_lanes} of ${counted(timeline.lanes.length, "lane")} are drawn.`}{answer.value.cursor && ` These are the last ${counted(answer.value.runs.number.length, "run")}.`}</p>
        {answer.value.cursor && limit < most_runs && <button onClick={() => set_limit(most_runs)}>Show more runs</button>}
        <Lanes timeline={timeline} />
      </Panel>
      <Used answer={answer.value} timeline={timeline} ends={ends} />
    </>
  );
}
