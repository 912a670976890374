import { useEffect, useRef, useState } from "preact/hooks";

import { Refusal } from "../api";
import { get } from "../client";
import { Pill, Refused } from "../parts/bits";
import type { Recollection } from "../shapes";
import { plain } from "../words";

const kinds = ["study", "hypothesis", "decision", "dead_end", "pivot", "insight", "claim", "word", "paper"];
const verdicts = ["supported", "refuted", "no_relevant_effect", "inconclusive", "hypothesis"];
const step = 20;
const most = 1000;

/// The address of a search result; a paper has no page of its own, so its study is shown.
function place_of(found: Recollection): string {
  const item = found.address.slice(found.study.length + 1);
  const study = `#/studies/${found.study}`;
  if (found.kind === "hypothesis") return `${study}/hypotheses/${item}`;
  if (found.kind === "claim") return `${study}/claims/${item}`;
  if (["decision", "dead_end", "pivot", "insight"].includes(found.kind)) return `${study}/graph/${item}`;
  return study;
}

function Found({ found }: { found: Recollection }) {
  return (
    <li class="card found">
      <div class="card-head">
        <h2><a href={place_of(found)}>{found.title || found.excerpt.slice(0, 80) || found.address}</a></h2>
        {found.verdict && <Pill word={found.verdict} />}
      </div>
      {found.excerpt && found.excerpt !== found.title && <p class="excerpt">{found.excerpt.replaceAll(/^[a-z]+(_[a-z]+)+:/gm, plain)}</p>}
      <p class="muted">{plain(found.kind)} · <code>{found.address}</code></p>
    </li>
  );
}

interface Asked {
  words: string;
  kind: string;
  verdict: string;
  study: string;
  limit: number;
}

function conditions(asked: Asked): string[] {
  return (["kind", "verdict", "study"] as const).filter((key) => asked[key]).map((key) => `${key}=${asked[key]}`);
}

function Choice({ name, value, of, set }: { name: string; value: string; of: string[]; set: (value: string) => void }) {
  return (
    <label>{name} <select value={value} onChange={(e) => set(e.currentTarget.value)}>
      <option value="">any</option>
      {of.map((one) => <option key={one} value={one}>{plain(one)}</option>)}
    </select></label>
  );
}

/// Searches the memory of this home while the query is typed; the best result is first.
export function MemoryView({ words }: { words: string }) {
  const [asked, set_asked] = useState<Asked>({ words, kind: "", verdict: "", study: "", limit: step });
  const [found, set_found] = useState<Recollection[] | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const turn = useRef(0);
  const change = (what: Partial<Asked>): void => set_asked({ ...asked, limit: step, ...what });
  useEffect(() => {
    const mine = ++turn.current;
    const timer = setTimeout(() => {
      get("/recall", { q: asked.words, limit: asked.limit, where: conditions(asked) }).then(
        (answer) => {
          if (mine !== turn.current) return;
          set_found(answer.items);
          set_refusal(null);
        },
        (error: unknown) => { if (mine === turn.current && error instanceof Refusal) set_refusal(error); },
      );
    }, 150);
    return () => clearTimeout(timer);
  }, [asked]);
  return (
    <>
      <div class="head"><h1>Memory</h1></div>
      <p class="question">Questions, dead ends and results of earlier studies, and passages of their papers.</p>
      <form class="tools" role="search" onSubmit={(e) => e.preventDefault()}>
        <label class="wide">Words <input type="search" value={asked.words} onInput={(e) => change({ words: e.currentTarget.value })} /></label>
        <Choice name="Kind" value={asked.kind} of={kinds} set={(kind) => change({ kind })} />
        <Choice name="Verdict" value={asked.verdict} of={verdicts} set={(verdict) => change({ verdict })} />
        <label>Study <input type="text" size={6} placeholder="any" value={asked.study} onInput={(e) => change({ study: e.currentTarget.value.trim() })} /></label>
      </form>
      <Refused refusal={refusal} />
      <p class="muted" role="status">{found && (found.length === 0 ? "No entry matches." : `${found.length === asked.limit ? "The first " : ""}${found.length} ${found.length === 1 ? "entry" : "entries"}, the ${asked.words ? "best" : "newest"} first`)}</p>
      <ul class="bare results">{found?.map((one) => <Found key={`${one.kind} ${one.address}`} found={one} />)}</ul>
      {found && found.length === asked.limit && asked.limit < most && <button onClick={() => set_asked({ ...asked, limit: Math.min(most, asked.limit * 3) })}>Show more</button>}
    </>
  );
}
