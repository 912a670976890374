// What a study's agents and their models said to each other, as it comes.

import { useEffect, useRef, useState } from "preact/hooks";

import { follow_text, parsed, Refusal } from "../api";
import { get } from "../client";
import { Panel, Pill, Refused } from "../parts/bits";
import { useAsked, type Asked } from "../hooks";
import type { ListedConversation, Page, ShownConversation, Step, Study } from "../shapes";
import { counted, number, plain, when } from "../words";

export type Conversations = Asked<Page<ListedConversation>>;

/// `wanted`: whether the conversations are shown.
export function useConversations(study: string, wanted: boolean): Conversations {
  return useAsked(`conversations ${study} ${wanted}`, async () =>
    wanted ? get("/studies/{id}/conversations", { id: study }) : { items: [], cursor: null, total: 0 });
}

function dollars(usd: number | null | undefined): string {
  return usd === null || usd === undefined ? "price not known" : `$${number(usd, 3)}`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(parsed<unknown>(text), null, 2);
  } catch {
    return text;
  }
}

function Json({ of, text }: { of: string; text: string }) {
  return <pre class="log" tabIndex={0} role="region" aria-label={of}>{pretty(text)}</pre>;
}

const one_line = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};

/// Its content is made when it is first opened: a conversation can have hundreds.
function Fold({ summary, children, refused }: { summary: preact.ComponentChildren; children: () => preact.ComponentChildren; refused?: boolean }) {
  const [open, set_open] = useState(!!refused);
  return (
    <details class={refused ? "fold refused-call" : "fold"} open={open} onToggle={(e) => set_open(e.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}

const longest_unfolded = 1500; // Characters.

function Text({ text, what }: { text: string; what: string }) {
  if (!text) return null;
  if (text.length <= longest_unfolded) return <div class="said">{text}</div>;
  return <Fold summary={<>{what}: {one_line(text)} <span class="muted">{counted(text.length, "character")}</span></>}>{() => <div class="said">{text}</div>}</Fold>;
}

function Call({ call }: { call: NonNullable<Step["calls"]>[number] }) {
  return (
    <Fold refused={call.refused} summary={<>{call.refused ? <Pill word="refused" /> : <span aria-hidden="true">→</span>} <strong>{call.tool}</strong> <code>{one_line(call.arguments)}</code>{call.answer === null && <span class="muted"> no answer yet</span>}</>}>
      {() => (
        <>
          <Json of={`Arguments of ${call.tool}`} text={call.arguments} />
          {call.answer !== null && <><p class="label">{call.refused ? "Refused:" : "Answer:"}</p><Json of={`Answer to ${call.tool}`} text={call.answer} /></>}
        </>
      )}
    </Fold>
  );
}

function OneStep({ step }: { step: Step }) {
  const agent = step.by === "agent";
  return (
    <li class={`step ${step.by}`}>
      <p class="step-head">
        <strong>{step.by === "system" ? "Instructions" : agent ? "Agent" : "Kernel"}</strong>
        {agent && <span class="muted"> {step.model} · {counted(step.tokens ?? 0, "token")} · {dollars(step.usd)}</span>}
        {step.anew && <span class="muted"> begins anew: the conversation had filled the model's context</span>}
      </p>
      {step.thoughts && <Fold summary={<span class="muted">Thoughts: {one_line(step.thoughts)}</span>}>{() => <div class="said muted">{step.thoughts}</div>}</Fold>}
      {step.by === "system" ? <Fold summary={one_line(step.text)}>{() => <div class="said">{step.text}</div>}</Fold> : <Text text={step.text} what="Message" />}
      {step.calls?.map((call, i) => <Call key={i} call={call} />)}
    </li>
  );
}

/// The number of the first step that can still change: the first with a call that has no answer.
function first_open(steps: Step[]): number {
  const at = steps.findIndex((step) => step.calls?.some((call) => call.answer === null));
  return at < 0 ? steps.length : at;
}

/// `news`: changes when the conversations have.
function Transcript({ study, line, news }: { study: Study; line: string; news: unknown }) {
  const [shown, set_shown] = useState<ShownConversation | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [typing, set_typing] = useState("");
  const known = useRef<ShownConversation | null>(null);
  const live = study.state !== "ended" && !shown?.ended;
  useEffect(() => {
    let over = false;
    const from = known.current?.line === line ? first_open(known.current.steps) : 0;
    get("/studies/{id}/conversations/{line}", { id: study.id, line, from }).then(
      (found) => {
        if (over) return;
        if (found.steps.some((step) => step.by === "agent")) set_typing("");
        known.current = { ...found, from: 0, steps: [...(known.current?.steps.slice(0, from) ?? []), ...found.steps] };
        set_shown(known.current);
        set_refusal(null);
      },
      (error: unknown) => { if (!over && error instanceof Refusal) set_refusal(error); },
    );
    return () => { over = true; };
  }, [study.id, line, news]);
  useEffect(() => (live ? follow_text(study.id, (of, text) => { if (of === line) set_typing((before) => before + text); }) : undefined), [study.id, line, live]);
  if (!shown) return <Refused refusal={refusal} />;
  const refused = shown.steps.flatMap((step) => step.calls ?? []).filter((call) => call.refused).length;
  return (
    <section aria-label={`Conversation ${line}`}>
      <h3>{line}</h3>
      <p class="muted">{plain(shown.role)} · {counted(shown.steps.length, "step")} · {counted(shown.tokens, "token")} · {dollars(shown.usd)}{refused > 0 && ` · ${counted(refused, "call")} refused`}{shown.unanswered > 0 && ` · ${counted(shown.unanswered, "call")} of the model without a reply`}</p>
      <Refused refusal={refusal} />
      <ol class="transcript">
        {shown.steps.map((step, i) => <OneStep key={i} step={step} />)}
        {live && typing && <li class="step agent"><p class="step-head"><strong>Agent</strong> <span class="muted">is answering</span></p><div class="said">{typing}</div></li>}
      </ol>
      {shown.ended ? <p class="muted">Ended {when(shown.ended)}{shown.ending && `: ${shown.ending}`}</p> : <p class="muted" role="status">{live ? "This conversation goes on." : "It did not end."}</p>}
    </section>
  );
}

/// `item`: the conversation that is shown; the newest if it is null.
export function Agents({ study, item, list }: { study: Study; item: string | null; list: Conversations }) {
  const lines = list.value?.items ?? [];
  const line = item ?? lines[lines.length - 1]?.line ?? null;
  if (!list.value) return list.refusal ? <Refused refusal={list.refusal} /> : <p class="muted" role="status">…</p>;
  if (!line) return <p class="empty">No agent of this study has used a model{study.state === "ended" ? "" : " yet"}.</p>;
  return (
    <Panel title="Agents">
      <div class="agents">
        <nav class="lines" aria-label="Conversations">
          <ul class="bare">
            {lines.map((one) => (
              <li key={one.line}>
                <a href={`#/studies/${study.id}/agents/${encodeURIComponent(one.line)}`} {...(one.line === line ? { "aria-current": "page" as const } : {})}>{one.line}</a>
                <div class="muted">{!one.ended && study.state !== "ended" && <><span aria-hidden="true">▸</span> goes on · </>}{counted(one.steps, "step")} · {counted(one.tokens, "token")} · {dollars(one.usd)}</div>
              </li>
            ))}
          </ul>
        </nav>
        <Transcript key={line} study={study} line={line} news={list.value} />
      </div>
    </Panel>
  );
}
