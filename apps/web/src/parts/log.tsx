import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { bytes_after, Refusal } from "../api";
import type { Run } from "../shapes";
import { shared } from "../shared";
import { number } from "../words";

export const failed_states = new Set(["failed", "timed_out", "invalid", "lost"]);
const live_states = new Set(["starting", "running"]);
const most_marks = 1000;

/// What a run has written to a stream so far; each request begins at the end of the last one.
function useStream(run: Run, stream: string, wanted: boolean): { said: string; refusal: Refusal | null } {
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
  }, [run.id, stream, live, wanted]);
  return { said, refusal };
}

/// The text with its places of the words, without regard to case.
function marked(text: string, words: string): { parts: string[]; count: number } {
  const parts: string[] = [];
  const lower = text.toLowerCase();
  const sought = words.toLowerCase();
  let from = 0;
  let count = 0;
  // Some letters change their length; then the places would be wrong.
  if (sought && lower.length === text.length)
    for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, at + sought.length)) {
      if (++count > most_marks) continue;
      parts.push(text.slice(from, at), text.slice(at, at + sought.length));
      from = at + sought.length;
    }
  parts.push(text.slice(from));
  return { parts, count };
}

function Stream({ run, stream, words }: { run: Run; stream: string; words: string }) {
  const { said, refusal } = useStream(run, stream, true);
  const place = useRef<HTMLPreElement>(null);
  const at = useRef(0);
  const live = live_states.has(run.state);
  useEffect(() => {
    const pre = place.current;
    if (pre && !words && (live || failed_states.has(run.state))) pre.scrollTop = pre.scrollHeight;
  }, [said, live]);
  const { parts, count } = useMemo(() => marked(said, words), [said, words]);
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
  if (refusal) return <p class="muted">{refusal.problem.title}</p>;
  return (
    <>
      {words && (
        <p class="tools"><span role="status">{count === 0 ? "Not found" : `Found ${number(count)} times`} in {stream}{count > most_marks && `; the first ${number(most_marks)} are marked`}</span>
          {count > 1 && <><button onClick={() => next(-1)}>Previous</button><button onClick={() => next(1)}>Next</button></>}
        </p>
      )}
      <pre class="log" ref={place} tabIndex={0} role="log" aria-label={`What it printed (${stream})`}>
        {said ? parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part)) : "(nothing)"}
      </pre>
    </>
  );
}

/// What the run printed. `named`: the stream that the address names. The streams carry no times, so they are not merged.
export function Log({ run, named }: { run: Run; named: string | null }) {
  const [chosen, set_chosen] = useState<string | null>(named);
  const [words, set_words] = useState("");
  const stream = chosen ?? (failed_states.has(run.state) ? "stderr" : "stdout");
  const streams = stream === "both" ? ["stdout", "stderr"] : [stream];
  return (
    <>
      <div class="tools">
        <span role="group" aria-label="Which stream">
          {["stdout", "stderr", "both"].map((s) => <button key={s} aria-pressed={s === stream} onClick={() => set_chosen(s)}>{s}</button>)}
        </span>
        <label>Find <input type="search" value={words} onInput={(e) => set_words(e.currentTarget.value)} /></label>
      </div>
      {streams.map((s) => (
        <div key={`${run.id} ${s}`}>
          {streams.length > 1 && <h3>{s}</h3>}
          <Stream run={run} stream={s} words={words} />
        </div>
      ))}
    </>
  );
}
