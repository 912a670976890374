import { useState } from "preact/hooks";

import { Refusal } from "../api";
import { get, post, type Send } from "../client";
import { useAsked } from "../hooks";
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

const without_agents = ["builtin", "person"]; // Values of `agents` of a study that no model works on.

/// Messages to the agents, and a field for another one if models work on the study.
export function Steering({ study, read_only, done }: { study: Study; read_only: boolean; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const [text, set_text] = useState("");
  const writes = !read_only && study.state !== "ended";
  const agents = useAsked(`agents ${study.id} ${writes}`, async () => (writes ? String((await get("/studies/{id}/opening", { id: study.id })).spec.agents) : null));
  const can_steer = writes && (Boolean(study.ledger.models) || (agents.value !== null && !without_agents.includes(agents.value)));
  if (!can_steer && study.steering.length === 0) return null;
  return (
    <Panel title="Steering">
      {study.steering.length > 0 && <ul>{study.steering.map((entry, i) => <li key={i}>{said(entry)}</li>)}</ul>}
      {can_steer && (
        <form class="steer" onSubmit={(e) => { e.preventDefault(); void send("/studies/{id}/steer", { id: study.id }, { text }).then((ok) => ok && set_text("")); }}>
          <label class="field">Message to the agents<input type="text" required value={text} onInput={(e) => set_text(e.currentTarget.value)} /></label>
          <button disabled={busy || !text}>Send</button>
        </form>
      )}
      <Refused refusal={refusal} />
    </Panel>
  );
}
