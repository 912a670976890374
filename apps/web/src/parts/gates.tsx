// What waits for a person: the decision, and what it allows.

import { useState } from "preact/hooks";

import { parsed } from "../api";
import { type Body, get } from "../client";
import { useAsked } from "../hooks";
import type { Allowed, Count, Gate, PlannedCell, Study } from "../shapes";
import { verdict_counts } from "../standing";
import { counted, duration, left_words, levels, number, probability, when } from "../words";
import { Refused, VerdictCounts } from "./bits";
import { useSending } from "./control";
import { NotifyButton } from "./notify";
import { Term } from "./term";

/// "12", or "5 to 20".
export function range(count: Count): string {
  return count.min === count.max ? number(count.max) : `${number(count.min)} to ${number(count.max)}`;
}

export function command_words(command: string | string[]): string {
  if (typeof command === "string") return command;
  return command.length === 3 && command[0] === "sh" && command[1] === "-c" ? command[2]! : command.join(" ");
}

/// "about 40 s (30 s to 50 s) with 2 runs at once", or why it is not known.
export function time_words(cost: Allowed["cost"]): string {
  if (!cost.wall_s) return `not known: ${cost.basis}`;
  const { expected, low, high } = cost.wall_s;
  const gpu = cost.gpu_hours && cost.gpu_hours.high > 0 ? `, ${number(cost.gpu_hours.expected, 3)} GPU hours` : "";
  return `about ${duration(expected)} (${duration(low)} to ${duration(high)})${gpu}, ${cost.jobs === 1 ? "one run" : `${cost.jobs} runs`} at once`;
}

export function energy_words(cost: Allowed["cost"]): string {
  return cost.energy_j === null ? "not known: no earlier run was measured" : `about ${number(cost.energy_j, 3)} J`;
}

function power_words(power: { min: number | null; max: number | null }): string {
  if (power.min === null || power.max === null) return "–";
  return power.min === power.max ? probability(power.max) : `${probability(power.min)} to ${probability(power.max)}`;
}

export function Commands({ cells }: { cells: PlannedCell[] }) {
  const most = 200;
  return (
    <details>
      <summary>{counted(cells.length, "command")}</summary>
      <ul class="commands" tabIndex={0} aria-label="Commands">
        {cells.slice(0, most).map((cell, i) => <li key={i}><code>{command_words(cell.command)}</code>{cell.stage && <span class="muted"> {cell.stage}</span>}</li>)}
      </ul>
      {cells.length > most && <p class="muted">The first {most}.</p>}
    </details>
  );
}

function money_words(study: Study): string {
  const { limit, spent, reserved } = study.ledger.usd;
  const used = `$${number((spent ?? 0) + (reserved ?? 0), 3)}`;
  if (limit !== null) return `${used} of $${number(limit, 3)} used`;
  return study.ledger.models ? `${used} used, and no limit is set` : "none: no model has been asked";
}

/// A difference of files in the unified format, with its lines marked.
export function Diff({ text }: { text: string }) {
  const most = 2000;
  const lines = text.split("\n");
  const kind = (line: string): string => (/^(\+\+\+|---|diff |@@)/.test(line) ? "place" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "");
  return (
    <pre class="log diff" tabIndex={0} role="region" aria-label="What was changed">
      {lines.slice(0, most).map((line, i) => <span key={i} class={kind(line)}>{line}{"\n"}</span>)}
      {lines.length > most && `… ${lines.length - most} more lines`}
    </pre>
  );
}

/// What an agent changed of the code, line by line.
export function ChangedCode({ study }: { study: Study }) {
  const asked = useAsked(`code ${study.id} ${study.agents_code?.diff}`, () => get("/studies/{id}/agents-code", { id: study.id }));
  if (!asked.value) return <Refused refusal={asked.refusal} />;
  return (
    <>
      <p class="muted">By {asked.value.by}{asked.value.model && `, model ${asked.value.model}`}{asked.value.mends.length > 0 && `, to mend: ${asked.value.mends.join("; ")}`}</p>
      <Diff text={asked.value.diff} />
    </>
  );
}

function Design({ study, allowed }: { study: Study; allowed: Allowed }) {
  const runs = study.ledger.runs;
  return (
    <>
      <p class="allows"><strong>{counted(allowed.cells, "cell")} × {range(allowed.replicates)} replicates; {range(allowed.runs)} runs in all</strong></p>
      <dl class="facts">
        <dt>Runs</dt><dd>{allowed.parts.map((part) => `${part.purpose} ${range(part.runs)}`).join(", ")}{runs.limit !== null && `; ${number((runs.spent ?? 0) + (runs.reserved ?? 0))} of ${number(runs.limit)} in the budget are used`}</dd>
        <dt>Time</dt><dd>{time_words(allowed.cost)}</dd>
        <dt>Money</dt><dd>{money_words(study)}</dd>
        <dt>Energy</dt><dd>{energy_words(allowed.cost)}</dd>
        <dt>Command</dt><dd><code>{command_words(allowed.command)}</code>{allowed.commands.length > 0 && <Commands cells={allowed.commands} />}</dd>
      </dl>
      {allowed.shortfall && <p class="warning">{allowed.shortfall}</p>}
      <div class="scroll" role="region" aria-label="What is tested" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">Hypothesis</th><th scope="col">Treatment</th><th scope="col">Control</th><th scope="col">Replicates</th><th scope="col"><Term of="power">Power</Term></th></tr></thead>
          <tbody>
            {allowed.hypotheses.map((h) => (
              <tr key={h.id}>
                <th scope="row">{h.id}: {h.statement}<div class="muted">{h.note}</div></th>
                <td>{levels(h.treatment) || "–"}</td><td>{levels(h.control) || "–"}</td>
                <td class="number">{range(h.replicates)}</td><td class="number">{power_words(h.power)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/// The files that a gate on secrets names.
function files_of(gate: Gate): string[] {
  try {
    const files = parsed<unknown>(gate.arguments ?? "[]");
    return Array.isArray(files) ? files.filter((file): file is string => typeof file === "string") : [];
  } catch {
    return [];
  }
}

/// What a person allows by approving the gate.
function Allows({ study, gate }: { study: Study; gate: Gate }) {
  const designs = gate.on === "hypotheses" || gate.on === "experiments";
  const asked = useAsked(`gate ${gate.id}`, async () => (designs ? (await get("/gates/{id}", { id: gate.id })).allows : null));
  return (
    <>
      <Refused refusal={asked.refusal} />
      {asked.value && <Design study={study} allowed={asked.value} />}
      {designs && !asked.value && !asked.refusal && <p class="muted" role="status">…</p>}
      {gate.on === "spend" && <p>{left_words(study.left) || "How long the other runs take is not known yet."} {money_words(study)}.</p>}
      {gate.on === "conclude" && <VerdictCounts counts={verdict_counts(study)} />}
      {gate.on === "secrets" && <ul>{files_of(gate).map((file) => <li key={file}><code>{file}</code></li>)}</ul>}
      {study.agents_code?.diff && gate.on !== "tool" && gate.on !== "question" && (
        <details open><summary>What an agent changed of the code</summary><ChangedCode study={study} /></details>
      )}
    </>
  );
}

function OpenGate({ study, gate, read_only, done }: { study: Study; gate: Gate; read_only: boolean; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const [why, set_why] = useState("");
  const [edited, set_edited] = useState(gate.arguments ?? "");
  const [bad, set_bad] = useState("");
  const decide = (body: Body<"/gates/{id}">): void => void send("/gates/{id}", { id: gate.id }, body);
  const of_tool = gate.tool !== null;
  const approve = (): void => {
    if (!of_tool || edited === gate.arguments) return decide({ decision: "approve", why });
    try {
      decide({ decision: "edit", arguments: JSON.parse(edited), why });
      set_bad("");
    } catch {
      set_bad("The arguments are not valid JSON.");
    }
  };
  return (
    <li class="gate">
      <p><strong>{gate.what}</strong> <span class="muted">({gate.on}, {when(gate.opened)})</span></p>
      <Allows study={study} gate={gate} />
      {of_tool && gate.arguments && <label class="field">Arguments of {gate.tool}<textarea rows={4} spellcheck={false} readOnly={read_only} value={edited} onInput={(e) => set_edited(e.currentTarget.value)} /></label>}
      {!read_only && (
        <>
          <label class="field">Why (needed to reject)<input type="text" value={why} onInput={(e) => set_why(e.currentTarget.value)} /></label>
          <div class="controls">
            <button class="primary" disabled={busy} onClick={approve}>{gate.on === "secrets" ? "Publish them" : of_tool && edited !== gate.arguments ? "Approve as edited" : "Approve"}</button>
            <button class="danger" disabled={busy || !why} onClick={() => decide({ decision: "reject", why })}>{gate.on === "secrets" ? "Leave them out" : "Reject"}</button>
          </div>
        </>
      )}
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
          <div class="card-head"><h2>Waits for you</h2><NotifyButton /></div>
          <ul class="bare">{open.map((gate) => <OpenGate key={gate.id} study={study} gate={gate} read_only={read_only} done={done} />)}</ul>
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
