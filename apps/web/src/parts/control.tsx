import { useState } from "preact/hooks";

import { post, Refusal } from "../api";
import type { Gate, Study } from "../shapes";
import { when } from "../words";
import { Panel, Refused } from "./bits";

/// Sends a request, and keeps its refusal.
function useSending(done: () => void): [(path: string, body: object) => Promise<boolean>, Refusal | null, boolean] {
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const send = async (path: string, body: object): Promise<boolean> => {
    set_busy(true);
    set_refusal(null);
    try {
      await post(path, body);
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
  const path = `/studies/${study.id}`;
  return (
    <div class="controls">
      {study.state === "running" && <button disabled={busy} onClick={() => void send(`${path}/pause`, {})}>Pause</button>}
      {study.state === "paused" && <button class="primary" disabled={busy} onClick={() => void send(`${path}/resume`, {})}>Resume</button>}
      {sure ? (
        <>
          <span>Kill what runs and conclude as cancelled?</span>
          <button class="danger" disabled={busy} onClick={() => void send(`${path}/cancel`, {})}>Cancel the study</button>
          <button onClick={() => set_sure(false)}>Keep it</button>
        </>
      ) : <button onClick={() => set_sure(true)}>Cancel…</button>}
      <Refused refusal={refusal} />
    </div>
  );
}

function OpenGate({ gate, done }: { gate: Gate; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const [why, set_why] = useState("");
  const [edited, set_edited] = useState(gate.arguments ?? "");
  const [bad, set_bad] = useState("");
  const path = `/gates/${gate.id}`;
  const of_tool = gate.tool !== null;
  const approve = (): void => {
    if (!of_tool || edited === gate.arguments) return void send(path, { decision: "approve", why });
    try {
      void send(path, { decision: "edit", arguments: JSON.parse(edited), why });
      set_bad("");
    } catch {
      set_bad("The arguments are no JSON.");
    }
  };
  return (
    <li class="gate">
      <p><strong>{gate.what}</strong> <span class="muted">({gate.on}, {when(gate.opened)})</span></p>
      {of_tool && gate.arguments && <label class="field">Arguments of {gate.tool}<textarea rows={4} spellcheck={false} value={edited} onInput={(e) => set_edited(e.currentTarget.value)} /></label>}
      <label class="field">Why (needed to reject)<input type="text" value={why} onInput={(e) => set_why(e.currentTarget.value)} /></label>
      <div class="controls">
        <button class="primary" disabled={busy} onClick={approve}>{gate.on === "secrets" ? "Publish them" : of_tool && edited !== gate.arguments ? "Approve as edited" : "Approve"}</button>
        <button class="danger" disabled={busy || !why} onClick={() => void send(path, { decision: "reject", why })}>{gate.on === "secrets" ? "Leave them out" : "Reject"}</button>
      </div>
      {bad && <p class="warning" role="alert">{bad}</p>}
      <Refused refusal={refusal} />
    </li>
  );
}

export function Gates({ study, read_only, done }: { study: Study; read_only: boolean; done: () => void }) {
  const open = study.gates.filter((g) => g.decision === null);
  const decided = study.gates.filter((g) => g.decision !== null);
  return (
    <>
      {open.length > 0 && (
        <section class="panel needs-person" aria-label="Waits for you">
          <h2>Waits for you</h2>
          <ul class="bare">{open.map((gate) => read_only ? <li key={gate.id}>{gate.what}</li> : <OpenGate key={gate.id} gate={gate} done={done} />)}</ul>
        </section>
      )}
      {decided.length > 0 && (
        <details class="decided"><summary>{decided.length} decided before</summary>
          <ul>{decided.map((g) => <li key={g.id}>{g.what}: {g.decision} by {g.by}{g.why && `, ${g.why}`}</li>)}</ul>
        </details>
      )}
    </>
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
        <form class="steer" onSubmit={(e) => { e.preventDefault(); void send(`/studies/${study.id}/steer`, { text }).then((ok) => ok && set_text("")); }}>
          <label class="field">Say something to its agents<input type="text" required value={text} onInput={(e) => set_text(e.currentTarget.value)} /></label>
          <button disabled={busy || !text}>Say it</button>
        </form>
      )}
      <Refused refusal={refusal} />
    </Panel>
  );
}
