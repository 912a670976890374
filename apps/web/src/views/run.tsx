import { useEffect, useRef, useState } from "preact/hooks";

import { bytes_after, get, Refusal } from "../api";
import { useAsked, useLive } from "../hooks";
import { Curves } from "../parts/curves";
import { Panel, Pill, Refused } from "../parts/bits";
import { by_hand, Command } from "../parts/failures";
import type { Run, Study } from "../shapes";
import { bytes, cores, duration, levels, number, plain, run_for, when } from "../words";
import { evidence_of } from "./claims";

const failed_states = new Set(["failed", "timed_out", "invalid", "lost"]);
const live_states = new Set(["starting", "running"]);

/// The run's output while it runs; each request begins at the end of the last one.
function Log({ run, stream }: { run: Run; stream: string }) {
  const [said, set_said] = useState("");
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const size = useRef(0);
  const decoder = useRef(new TextDecoder());
  const place = useRef<HTMLPreElement>(null);
  const live = live_states.has(run.state);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const more = async (): Promise<void> => {
      try {
        const piece = await bytes_after(`/runs/${run.id}/log?stream=${stream}`, size.current);
        if (over) return;
        size.current += piece.length;
        const fresh = decoder.current.decode(piece, { stream: true }); // A letter may be cut in two.
        if (fresh) set_said((before) => before + fresh);
        set_refusal(null);
      } catch (error) {
        if (error instanceof Refusal) set_refusal(error);
      }
      if (live && !over) timer = setTimeout(() => void more(), 1000);
    };
    void more();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [run.id, stream, live]);
  useEffect(() => {
    const pre = place.current;
    if (pre && (live || failed_states.has(run.state))) pre.scrollTop = pre.scrollHeight;
  }, [said, live]);
  if (refusal) return <p class="muted">{refusal.problem.title}</p>;
  return <pre class="log" ref={place} tabIndex={0} role="log" aria-label={`What it printed (${stream})`}>{said || "(nothing)"}</pre>;
}

function Facts({ run }: { run: Run }) {
  const usage = run.usage;
  return (
    <dl class="facts">
      <dt>Factors</dt><dd>{levels(run.factors)}, seed {run.seed}</dd>
      <dt>Started</dt><dd>{when(run.started)}</dd>
      <dt>Ended</dt><dd>{when(run.ended)}{run.exit !== null && `, exit ${run.exit}`}{run.signal !== null && `, signal ${run.signal}`}</dd>
      {run.launch && <><dt>Launch</dt><dd>{run.launch}, which the job had as ETUDE_RUN</dd></>}
      {run.retry_of && <><dt>Instead of</dt><dd><a href={`#/runs/${run.retry_of}`}>{run.retry_of}</a></dd></>}
      {run.reason && !failed_states.has(run.state) && <><dt>Reason</dt><dd>{run.reason}</dd></>}
      {usage && <>
        <dt>Time</dt><dd>{duration(usage.wall_s)} of wall time, {duration(usage.cpu_s)} of processor time</dd>
        <dt>Memory</dt><dd>{bytes(usage.rss_peak_bytes)} at most</dd>
        <dt>Disk</dt><dd>{bytes(usage.read_bytes)} read, {bytes(usage.written_bytes)} written</dd>
        <dt>Energy</dt><dd>{usage.energy ? `${number(usage.energy.joules)} J (${usage.energy.source})` : "not measured"}</dd>
      </>}
      <dt>Leased</dt><dd>{cores(run.lease.cpus)}{run.lease.memory_bytes > 0 && `, ${bytes(run.lease.memory_bytes)}`}{run.lease.gpus.length > 0 && `, GPU ${run.lease.gpus.join(", ")}`}</dd>
    </dl>
  );
}

/// `stream`: the one that the address names.
export function RunView({ id, stream: named }: { id: string; stream: string | null }) {
  const run = useAsked(id, () => get<Run>(`/runs/${id}`));
  const study_id = id.slice(0, id.lastIndexOf("-r"));
  const study = useAsked(`${id} study`, () => get<Study>(`/studies/${study_id}`));
  useLive(study_id, run.again);
  useEffect(() => {
    if (named && run.value) document.getElementById("log")?.scrollIntoView({ block: "nearest" });
  }, [named, run.value === null]);
  const [chosen, set_stream] = useState<string | null>(named);
  if (!run.value) return <Refused refusal={run.refusal} />;
  const failed = failed_states.has(run.value.state);
  const stream = chosen ?? (failed ? "stderr" : "stdout");
  const serves = (study.value?.hypotheses ?? []).filter((h) => {
    const { treatment, control } = evidence_of(h, [run.value!]);
    return treatment.length + control.length > 0;
  });
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / <a href={`#/studies/${study_id}/runs`}>{study_id}</a> / {id}</p>
      <div class="head"><h1>Run {id}</h1><Pill word={run.value.state} /></div>
      {failed && <p class="answer">{run.value.reason ?? plain(run.value.state)}</p>}
      {failed && study.value && <Command text={by_hand(study.value, run.value)} />}
      <p>{run.value.evidence ? "Evidence" : "No evidence"}{serves.length > 0 && <> for {serves.map((h) => <a key={h.id} class="back" href={`#/studies/${study_id}/claims`} title={h.statement}>{h.id}</a>)}</>} <span class="muted">({run_for(run.value)})</span></p>
      <Panel title="Measured">
        {run.value.withheld ? <p class="muted">Withheld until experiment {run.value.experiment} is analysed.</p> : (
          <>
            <dl class="facts">{Object.entries(run.value.metrics).map(([name, value]) => <><dt key={name}>{name}</dt><dd class="number">{number(value, 6)}</dd></>)}</dl>
            {run.value.points > 1 && <Curves runs={[run.value]} />}
          </>
        )}
      </Panel>
      <Panel title="Conditions"><Facts run={run.value} /></Panel>
      <Panel title="Log" id="log">
        <div class="tools" role="group" aria-label="Which stream">
          {["stdout", "stderr"].map((s) => <button key={s} aria-pressed={s === stream} onClick={() => set_stream(s)}>{s}</button>)}
        </div>
        <Log key={`${id} ${stream}`} run={run.value} stream={stream} />
      </Panel>
    </>
  );
}
