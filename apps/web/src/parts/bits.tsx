import type { ComponentChildren } from "preact";

import type { Refusal } from "../api";
import type { Amounts, AnyStudy, Entry, Ledger } from "../shapes";
import { standing, verdicts } from "../standing";
import { duration, number, plain } from "../words";

const marks: Record<string, string> = {
  reproduced: "✓", replicated: "✓", agrees: "✓", diverged: "✗", differs: "✗", failed_to_run: "✗", not_attempted: "–", not_run: "–", untold: "?",
  supported: "✓", ok: "✓", problems: "✗", concluded: "✓", succeeded: "✓",
  refuted: "✗", refused: "✗", failed: "✗", invalid: "✗", timed_out: "✗",
  no_relevant_effect: "≈", inconclusive: "~", lost: "?", paused: "‖", running: "▸", queued: "·", starting: "·", cancelled: "–", withdrawn: "–", open: "·",
};

/// A state or verdict as a mark, a word and a colour.
export function Pill({ word }: { word: string }) {
  return (
    <span class={`pill ${word}`}>
      <span aria-hidden="true">{marks[word] ?? "·"}</span> {plain(word)}
    </span>
  );
}

/// Where a study stands. `at_work`: the studies that the kernel works on, where known.
export function Stands({ study, at_work }: { study: AnyStudy; at_work?: readonly string[] | null }) {
  const { words, tone, mark } = standing(study, at_work ?? null);
  return <span class={`pill ${tone}`}><span aria-hidden="true">{mark}</span> {words}</span>;
}

const verdict_words = [...verdicts, "open", "exploratory", "withdrawn"];

/// "✓ 2 supported", a mark for each verdict that there is. `short`: the words are not seen.
export function VerdictCounts({ counts, short }: { counts: Record<string, number>; short?: boolean }) {
  return (
    <ul class="verdicts" aria-label="Verdicts">
      {verdict_words.filter((word) => counts[word]).map((word) => {
        const words = word === "open" ? "without a verdict" : plain(word);
        return (
          <li key={word} class={`pill ${word}`} {...(short ? { title: words } : {})}><span aria-hidden="true">{marks[word] ?? "·"}</span> {counts[word]} <span class={short ? "hidden" : ""}>{words}</span></li>
        );
      })}
    </ul>
  );
}

/// Says where the stream of events is not open, so that what is shown may be old.
export function Connection({ live }: { live: boolean }) {
  return live ? null : <span class="offline" role="status">No connection; trying again</span>;
}

export function Refused({ refusal }: { refusal: Refusal | null }) {
  if (!refusal) return null;
  const { title, file, line, what, todo, detail } = refusal.problem;
  return (
    <div class="refused" role="alert">
      <strong>{what || title || "Refused"}</strong>
      {what && title && <span>: {title}</span>}
      {file && <div class="place">{file}{line ? `, line ${line}` : ""}</div>}
      {todo ? <div>{todo}</div> : !what && detail && <div>{detail}</div>}
    </div>
  );
}

const amounts: [keyof Amounts, string, (value: number) => string][] = [
  ["runs", "runs", (v) => number(v)],
  ["wall_s", "wall time", duration],
  ["usd", "money", (v) => `$${number(v, 3)}`],
  ["tokens", "tokens", (v) => number(v)],
  ["gpu_hours", "GPU hours", (v) => number(v, 3)],
  ["energy_j", "energy", (v) => `${number(v, 3)} J`],
];

function Budget({ name, entry, show }: { name: string; entry: Entry; show: (value: number) => string }) {
  const spent = entry.spent ?? 0;
  const text = `${entry.limit === null ? show(spent) : `${show(spent)} of ${show(entry.limit)}`}${entry.reserved ? `, ${show(entry.reserved)} reserved` : ""}`;
  return (
    <div class="budget">
      <span class="label">{name}</span>
      {entry.limit !== null && <meter min={0} max={entry.limit} value={spent} high={entry.limit * 0.9} aria-label={`${name}: ${text}`} />}
      <span class="amount">{text}</span>
    </div>
  );
}

/// Spent amounts and their limits; an amount without a limit and without use is left out.
export function Budgets({ ledger }: { ledger: Ledger }) {
  return (
    <div class="budgets">
      {amounts.map(([key, name, show]) =>
        ledger[key].limit !== null || (ledger[key].spent ?? 0) > 0 ? <Budget key={key} name={name} entry={ledger[key]} show={show} /> : null,
      )}
    </div>
  );
}

export function Panel({ title, children, id }: { title: string; children: ComponentChildren; id?: string }) {
  return (
    <section class="panel" {...(id ? { id } : {})}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
