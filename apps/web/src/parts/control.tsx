import { useState } from "preact/hooks";

import { Refusal } from "../api";
import { post, type Send } from "../client";
import type { Study } from "../shapes";
import { Panel, Refused } from "./bits";

/// Sends a request, and keeps its refusal.
export function useSending(done: () => void): [Send, Refusal | null, boolean] {
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const send: Send = async (template, words, body) => {
    set_busy(true);
    set_refusal(null);
    try {
      await post(template, words, body);
      done();
      return true;
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
      return false;
    } finally {
      set_busy(false);
    }
  };
  return [send, refusal, busy];
}

export function Controls({ study, done }: { study: Study; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const [sure, set_sure] = useState(false);
  const { id } = study;
  return (
    <div class="controls">
      {study.state === "running" && <button disabled={busy} onClick={() => void send("/studies/{id}/pause", { id }, {})}>Pause</button>}
      {study.state === "paused" && <button class="primary" disabled={busy} onClick={() => void send("/studies/{id}/resume", { id }, {})}>Resume</button>}
      {sure ? (
        <>
          <span>Kill the running jobs and end the study as cancelled?</span>
          <button class="danger" disabled={busy} onClick={() => void send("/studies/{id}/cancel", { id }, {})}>Cancel the study</button>
          <button onClick={() => set_sure(false)}>Keep it</button>
        </>
      ) : <button onClick={() => set_sure(true)}>Cancel…</button>}
      <Refused refusal={refusal} />
    </div>
  );
}

function said(entry: unknown): string {
  if (typeof entry === "string") return entry;
  const text = (entry as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : JSON.stringify(entry);
}

export function Steering({ study, read_only, done }: { study: Study; read_only: boolean; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const [text, set_text] = useState("");
  if (study.state === "ended" && study.steering.length === 0) return null;
  return (
    <Panel title="Steering">
      {study.steering.length > 0 && <ul>{study.steering.map((entry, i) => <li key={i}>{said(entry)}</li>)}</ul>}
      {!read_only && study.state !== "ended" && (
        <form class="steer" onSubmit={(e) => { e.preventDefault(); void send("/studies/{id}/steer", { id: study.id }, { text }).then((ok) => ok && set_text("")); }}>
          <label class="field">Message to the agents<input type="text" required value={text} onInput={(e) => set_text(e.currentTarget.value)} /></label>
          <button disabled={busy || !text}>Send</button>
        </form>
      )}
      <Refused refusal={refusal} />
    </Panel>
  );
}
