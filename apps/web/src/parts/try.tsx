// One run of a study file outside every study, while the page waits for it.

import { useEffect, useRef, useState } from "preact/hooks";

import { Refusal } from "../api";
import { post } from "../client";
import type { PlannedCell, Tried } from "../shapes";
import { bytes, duration, levels, number } from "../words";
import { Pill, Refused } from "./bits";
import { PrintedText } from "./log";

function Result({ tried }: { tried: Tried }) {
  const { usage, log } = tried;
  const measured = Object.entries(tried.metrics).map(([name, value]) => `${name} ${number(value)}`);
  const lines = tried.proposed_metrics.map((one) => `  ${one.line}   # ${one.value}`);
  return (
    <div role="status">
      <p><Pill word={tried.ok ? "succeeded" : "failed"} /> {tried.reason}</p>
      <dl class="facts">
        <dt>Setting</dt><dd>{levels(tried.factors) || "–"}</dd>
        <dt>Measured</dt><dd>{measured.join(", ") || "no value"}</dd>
        <dt>Took</dt><dd>{duration(usage.wall_s)}, {bytes(usage.rss_peak_bytes)}{!tried.sandboxed && ", without a sandbox"}</dd>
      </dl>
      {lines.length > 0 && <><p>The study file could read what it printed{tried.proposed_from === "stderr" && " to stderr, if the command ends with 2>&1"}:</p><pre>metrics:{"\n"}{lines.join("\n")}</pre></>}
      {tried.resources && <><p>From what it took:</p><pre>{tried.resources}</pre></>}
      {log && (["stdout", "stderr"] as const).filter((stream) => log[stream]).map((stream) => (
        <details key={stream} open={!tried.ok}><summary>{stream}</summary><pre class="log" tabIndex={0} aria-label={`What it printed (${stream})`}><PrintedText text={log[stream]} /></pre></details>
      ))}
    </div>
  );
}

/// `cells`: of the plan; the first one is tried unless another is chosen. Without cells the reference cell is.
export function TryOne({ text, folder, cells }: { text: string; folder: string; cells: PlannedCell[] }) {
  const [chosen, set_chosen] = useState(0);
  const [waiting, set_waiting] = useState(false);
  const [tried, set_tried] = useState<Tried | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const client = useRef(new AbortController());
  // The server kills the run when the page no longer waits for it.
  useEffect(() => () => client.current.abort(), []);
  const settings = cells.filter((cell, i) => cells.findIndex((other) => levels(other.factors) === levels(cell.factors)) === i);
  const go = async (): Promise<void> => {
    const mine = (client.current = new AbortController());
    set_waiting(true);
    set_tried(null);
    set_refusal(null);
    try {
      set_tried(await post("/try", {}, { text, folder, set: settings[chosen]?.factors ?? {} }, mine.signal));
    } catch (error) {
      if (error instanceof Refusal && !mine.signal.aborted) set_refusal(error);
    }
    if (mine === client.current) set_waiting(false);
  };
  return (
    <section aria-label="Try">
      <h3>Try one run</h3>
      <p class="muted">It belongs to no study, and proves nothing. It takes at most ten minutes.</p>
      <div class="tools">
        {settings.length > 1 && (
          <label>Setting <select value={chosen} onChange={(e) => set_chosen(Number(e.currentTarget.value))}>
            {settings.map((cell, i) => <option key={levels(cell.factors)} value={i}>{levels(cell.factors)}</option>)}
          </select></label>
        )}
        {waiting ? <button type="button" onClick={() => client.current.abort()}>Stop</button> : <button type="button" onClick={() => void go()}>Try</button>}
        {waiting && <span role="status">It runs…</span>}
      </div>
      <Refused refusal={refusal} />
      {tried && <Result tried={tried} />}
    </section>
  );
}
