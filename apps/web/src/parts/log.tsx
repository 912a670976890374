import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { bytes_after, Refusal, visible } from "../api";
import { type Failure, failure_of, type Inked, inks_of, merged_inks, type Piece, places_of, type Span, type Stretch, stretches, type Turn } from "../log_text";
import type { Run } from "../shapes";
import { shared } from "../shared";
import { number } from "../words";

export const failed_states = new Set(["failed", "timed_out", "invalid", "lost"]);
const live_states = new Set(["starting", "running"]);
const most_marks = 1000;

/// What a run has written to a stream so far. `look`: also if it is withheld, which the study records. Each request begins at the end of the last one.
function useStream(run: Run, stream: string, wanted: boolean, look: boolean): { said: string; refusal: Refusal | null } {
  const [said, set_said] = useState("");
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const size = useRef(0);
  const decoder = useRef(new TextDecoder());
  const live = !shared && live_states.has(run.state);
  useEffect(() => {
    if (!wanted) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const more = async (): Promise<void> => {
      try {
        const piece = await bytes_after(`/runs/${run.id}/log?stream=${stream}${look ? "&look=true" : ""}`, size.current);
        if (over) return;
        size.current += piece.length;
        const fresh = visible(decoder.current.decode(piece, { stream: true })); // A letter may be cut in two.
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
  }, [run.id, stream, live, wanted, look]);
  return { said, refusal };
}

const no_marks: Span[] = [];
const no_turns: Turn[] = [];

function shown(stretches_: Stretch[]) {
  const pieces_of = (pieces: Piece[]) => pieces.map(({ text, look }, i) => (look ? <span key={i} class={look}>{text}</span> : text));
  return stretches_.map(({ marked, pieces }, i) => (marked ? <mark key={i}>{pieces_of(pieces)}</mark> : pieces_of(pieces)));
}

/// What was printed, with its colours. `marks`: places in the text without escape sequences. `turns`: whose lines it has, if
/// it is of both streams.
function Printed({ inked, marks = no_marks, failure = null, turns = no_turns }: { inked: Inked; marks?: Span[]; failure?: Failure | null; turns?: Turn[] }) {
  const all = useMemo(() => stretches(inked, marks, failure, turns), [inked, marks, failure, turns]);
  if (turns.length === 0) return <>{shown(all)}</>;
  const of_turns = turns.map((): Stretch[] => []);
  for (const stretch of all) of_turns[stretch.turn]!.push(stretch);
  return <>{turns.map(({ is_err }, i) => <span key={i} class={is_err ? "of-err" : "of-out"}>{shown(of_turns[i]!)}</span>)}</>;
}

/// A text that is shown as a whole and at once.
export function PrintedText({ text }: { text: string }) {
  const inked = useMemo(() => inks_of(text), [text]);
  return <Printed inked={inked} />;
}

const above = 1 / 8; // Of the height, over the line that is scrolled to.

/// Scrolls to where the error begins, or to its line if both are not seen at once; without an error to the end.
function open_at_failure(pre: HTMLPreElement): void {
  const top = (of: HTMLElement): number => of.offsetTop - pre.offsetTop;
  const [begins, line] = ["error-begins", "error-line"].map((name) => pre.querySelector<HTMLElement>(`.${name}`));
  if (!begins || !line) pre.scrollTop = pre.scrollHeight;
  else pre.scrollTop = top(top(line) + line.offsetHeight - top(begins) < pre.clientHeight * (1 - above) ? begins : line) - pre.clientHeight * above;
}

const is_withheld = 403;
const not_merged = 404; // The server's answer if the order of the lines is not known.

/// `stream`: "both" for the lines of both streams in one order; where this is not known, each in a box of its own.
function Stream({ run, stream, words, look, set_look }: { run: Run; stream: string; words: string; look: boolean; set_look: (look: boolean) => void }) {
  const { stdout, stderr, log_order } = run.blobs;
  const known = !run.ended || stdout === null || stderr === null || Boolean(log_order);
  const { said, refusal } = useStream(run, stream, stream !== "both" || known, look);
  const place = useRef<HTMLPreElement>(null);
  const at = useRef(0);
  const live = live_states.has(run.state);
  const failed = failed_states.has(run.state);
  const { inked, turns } = useMemo(() => (stream === "both" ? merged_inks(said) : { inked: inks_of(said), turns: no_turns }), [said, stream]);
  const failure = useMemo(() => (failed ? failure_of(inked.text) : null), [inked, failed]);
  // A running one shows what it prints last.
  useEffect(() => {
    if (place.current && !words && (live || failed)) open_at_failure(place.current);
  }, [said, live]);
  const { places, count } = useMemo(() => places_of(inked.text, words, most_marks), [inked, words]);
  const next = (by: number): void => {
    const marks = place.current?.querySelectorAll("mark") ?? [];
    if (marks.length === 0) return;
    marks[at.current]?.classList.remove("current");
    at.current = (at.current + by + marks.length) % marks.length;
    marks[at.current]!.classList.add("current");
    const pre = place.current!;
    pre.scrollTop = (marks[at.current] as HTMLElement).offsetTop - pre.offsetTop - pre.clientHeight / 2;
  };
  useEffect(() => {
    at.current = 0;
    if (words) next(0);
  }, [words]);
  if (stream === "both" && (!known || refusal?.status === not_merged))
    return <>{["stdout", "stderr"].map((one) => <div key={one}><h3>{one}</h3><Stream run={run} stream={one} words={words} look={look} set_look={set_look} /></div>)}</>;
  if (refusal?.status === is_withheld && !look)
    return <p>{refusal.problem.title}. <button onClick={() => set_look(true)}>Look now</button> <span class="muted">The study records that a person looked.</span></p>;
  if (refusal) return <p class="muted">{refusal.problem.title}</p>;
  const where = stream === "both" ? "both streams" : stream;
  return (
    <>
      {words && (
        <p class="tools"><span role="status">{count === 0 ? "Not found" : count === 1 ? "Found once" : `Found ${number(count)} times`} in {where}{count > most_marks && `; the first ${number(most_marks)} are marked`}</span>
          {count > 1 && <><button onClick={() => next(-1)}>Previous</button><button onClick={() => next(1)}>Next</button></>}
        </p>
      )}
      <pre class="log" ref={place} tabIndex={0} role="log" aria-label={`What it printed (${where})`}>
        {said ? <Printed inked={inked} marks={places} failure={failure} turns={turns} /> : "(nothing)"}
      </pre>
    </>
  );
}

/// What the run printed. `named`: the stream that the address names.
export function Log({ run, named }: { run: Run; named: string | null }) {
  const [chosen, set_chosen] = useState<string | null>(named);
  const [words, set_words] = useState("");
  const [look, set_look] = useState(false);
  const stream = chosen ?? (failed_states.has(run.state) ? "stderr" : "stdout");
  return (
    <>
      <div class="tools">
        <span role="group" aria-label="Which stream">
          {["stdout", "stderr", "both"].map((s) => <button key={s} aria-pressed={s === stream} onClick={() => set_chosen(s)}>{s}</button>)}
        </span>
        <label>Find <input type="search" value={words} onInput={(e) => set_words(e.currentTarget.value)} /></label>
      </div>
      {run.withheld && live_states.has(run.state) && <p class="muted">{run.experiment} is not analysed: the study records that a person opened this log.</p>}
      <Stream key={`${run.id} ${stream}`} run={run} stream={stream} words={words} look={look} set_look={set_look} />
    </>
  );
}
