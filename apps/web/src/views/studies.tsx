// All studies of the home as a table. The kernel sorts and filters; only the rows that are seen are drawn.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Refusal } from "../api";
import { type Answer, get } from "../client";
import { useAsked, useLive } from "../hooks";
import { Connection, Refused, Stands, VerdictCounts } from "../parts/bits";
import { useSending } from "../parts/control";
import { NotifyButton } from "../parts/notify";
import { ArchiveButton, TagLinks, useTags } from "../parts/tags";
import type { AnyStudy } from "../shapes";
import { failed_runs, standing, verdict_counts, verdicts } from "../standing";
import { Turns } from "../turns";
import { duration, left_words, number, plain, when } from "../words";
import { NewStudy } from "./new_study";

/// What is listed, as it stands in the address.
interface Choice {
  q: string;
  state: string;
  verdict: string;
  /// With each of these, between commas.
  tag: string;
  archived: string;
  sort: string;
  order: string;
}

const nothing_chosen: Choice = { q: "", state: "", verdict: "", tag: "", archived: "false", sort: "opened", order: "newest" };

function choice_of(address: string): Choice {
  const at = address.indexOf("?");
  const given = new URLSearchParams(at < 0 ? "" : address.slice(at + 1));
  return Object.fromEntries(Object.entries(nothing_chosen).map(([name, value]) => [name, given.get(name) ?? value])) as unknown as Choice;
}

function address_of(choice: Choice): string {
  const given = new URLSearchParams(Object.entries(choice).filter(([name, value]) => value !== nothing_chosen[name as keyof Choice]));
  return `#/studies${given.size > 0 ? `?${given}` : ""}`;
}

const at_once = 100;
const one_by_one = 8; // So many changed ones are asked for singly.
const waiting = "waiting,paused";

const states: [string, string][] = [
  ["", "any state"], [waiting, "waiting for a person"], ["running", "running"], ["paused", "paused"], ["ended", "ended"],
  ["concluded", "concluded"], ["failed", "failed"], ["cancelled", "cancelled"],
];

/// The studies that were loaded, page by page.
interface Loaded {
  studies: AnyStudy[];
  cursor: string | null;
  total: number;
}

function useStudies(choice: Choice): { loaded: Loaded | null; refusal: Refusal | null; more: () => void; again: () => void; put: (study: AnyStudy) => void } {
  const [loaded, set_loaded] = useState<Loaded | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const turns = useMemo(() => new Turns(), []);
  const latest = useRef<Loaded | null>(null);
  const keep = (now: Loaded): void => {
    latest.current = now;
    set_loaded(now);
  };
  /// More of the list; or, `anew`, all that is shown.
  const load = (anew: boolean, choice: Choice) => async (mine: () => boolean): Promise<void> => {
    const before = anew ? null : latest.current;
    const count = anew ? Math.max(at_once, latest.current?.studies.length ?? 0) : at_once;
    const fresh: AnyStudy[] = [];
    let cursor = before?.cursor ?? null;
    let total = 0;
    try {
      do {
        const next: Answer<"/studies"> = await get("/studies", { ...choice, limit: Math.min(1000, count - fresh.length), cursor });
        fresh.push(...next.items);
        ({ cursor, total } = next);
      } while (cursor !== null && fresh.length < count);
      if (!mine()) return;
      keep({ studies: [...(before?.studies ?? []), ...fresh], cursor, total });
      set_refusal(null);
    } catch (error) {
      if (mine() && error instanceof Refusal) set_refusal(error);
    }
  };
  useEffect(() => {
    latest.current = null;
    turns.run(load(true, choice));
    return () => turns.end();
  }, [JSON.stringify(choice)]);
  return {
    loaded, refusal,
    more: () => { if (latest.current?.cursor && !turns.asking) turns.run(load(false, choice), true); },
    again: () => turns.run(load(true, choice)),
    put: (study) => { if (latest.current) keep({ ...latest.current, studies: latest.current.studies.map((one) => (one.id === study.id ? study : one)) }); },
  };
}

function Row({ study, at_work, read_only, done }: { study: AnyStudy; at_work: readonly string[] | null; read_only: boolean; done: () => void }) {
  const [send, refusal, busy] = useSending(done);
  const tags = study.tags ?? [];
  const { todo } = standing(study, at_work);
  const failed = failed_runs(study);
  const { runs, ledger } = study;
  const ended = runs.total ? (runs.total - (runs.queued ?? 0) - (runs.running ?? 0) - (runs.starting ?? 0)) / runs.total : 0;
  return (
    <tr class="study">
      <th scope="row">
        <a data-row href={`#/studies/${study.id}`}>{study.title}</a>
        <div class={`muted line ${tags.length > 0 ? "with-tags" : ""}`}><TagLinks tags={tags} />{study.question}</div>
      </th>
      <td data-name="state"><Stands study={study} at_work={at_work} />{todo && <div class="needs line">{todo}</div>}{!todo && study.state === "running" && <div class="muted line">{left_words(study.left) || plain(study.stage)}</div>}</td>
      <td data-name="verdicts"><VerdictCounts counts={verdict_counts(study)} short /></td>
      <td data-name="runs" class="number">{runs.total ? `${number(runs.succeeded)} of ${number(runs.total)} succeeded` : "none yet"}{failed > 0 && <div class="needs">{number(failed)} failed</div>}{study.state === "running" && ended > 0 && <progress max={1} value={ended} aria-label={`${study.title}: runs that have ended`} />}</td>
      <td data-name="time" class="number">{ledger.wall_s.spent === null ? "–" : duration(ledger.wall_s.spent)}</td>
      <td data-name="cost" class="number">{ledger.usd.spent ? `$${number(ledger.usd.spent, 3)}` : "–"}</td>
      <td data-name="opened" class="number">{study.id}<div class="muted line">{when(study.opened)}</div></td>
      {!read_only && <td data-name="archive"><ArchiveButton study={study} send={send} busy={busy} named />{refusal && <div class="needs line" role="alert">{refusal.message}</div>}</td>}
    </tr>
  );
}

const columns: [string, string | null, string][] = [
  ["Study", "title", "oldest"], ["State", null, ""], ["Verdicts", null, ""], ["Runs", "runs", "newest"], ["Time", "wall", "newest"], ["Cost", "usd", "newest"], ["Opened", "opened", "newest"],
];

/// A table of which only the rows near the window are drawn; all have one height.
function Table({ loaded, choice, choose, more, at_work, read_only, again }: { loaded: Loaded; choice: Choice; choose: (choice: Choice) => void; more: () => void; at_work: readonly string[] | null; read_only: boolean; again: () => void }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [from, set_from] = useState(0);
  const [seen, set_seen] = useState(40);
  const [height, set_height] = useState(64);
  const { studies } = loaded;
  const look = (): void => {
    const box = body.current;
    if (!box) return;
    const one = box.querySelector<HTMLElement>("tr.study")?.offsetHeight ?? height;
    const above = Math.max(0, -box.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(above / one) - 10);
    set_height(one);
    // In steps, so that most movements change nothing.
    set_from(first - (first % 10));
    set_seen(Math.ceil(innerHeight / one) + 40);
    if (above + 2 * innerHeight > studies.length * one) more();
  };
  useEffect(() => {
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [studies, choice]);
  const width = columns.length + (read_only ? 0 : 1);
  const shown = studies.slice(from, from + seen);
  const after = Math.max(0, studies.length - from - shown.length);
  const sort = (by: string, first: string): void => choose({ ...choice, sort: by, order: choice.sort === by ? (choice.order === "newest" ? "oldest" : "newest") : first });
  return (
    <div class="scroll listing" role="region" aria-label="Studies" tabIndex={0}>
      <table class="studies" aria-rowcount={loaded.total + 1}>
        <thead>
          <tr>
            {columns.map(([name, by, first]) => (
              <th key={name} scope="col" {...(by === choice.sort ? { "aria-sort": choice.order === "newest" ? "descending" as const : "ascending" as const } : {})}>
                {by ? <button class="sort" onClick={() => sort(by, first)}>{name}{by === choice.sort && <span aria-hidden="true">{choice.order === "newest" ? " ↓" : " ↑"}</span>}</button> : name}
              </th>
            ))}
            {!read_only && <th scope="col"><span class="hidden">Archive</span></th>}
          </tr>
        </thead>
        <tbody ref={body}>
          {from > 0 && <tr class="room" aria-hidden="true"><td colSpan={width} style={{ height: `${from * height}px` }} /></tr>}
          {shown.map((study) => <Row key={study.id} study={study} at_work={at_work} read_only={read_only} done={again} />)}
          {after > 0 && <tr class="room" aria-hidden="true"><td colSpan={width} style={{ height: `${after * height}px` }} /></tr>}
        </tbody>
      </table>
    </div>
  );
}

export function Studies({ read_only }: { read_only: boolean }) {
  const [choice, set_choice] = useState(() => choice_of(location.hash));
  const [words, set_words] = useState(choice.q);
  const latest = useRef(choice); // Also before it is rendered.
  const { loaded, refusal, more, again, put } = useStudies(choice);
  const kernel = useAsked("at work", () => get("/health"));
  const waits = useAsked("waiting", async () => (await get("/studies", { state: waiting, limit: 1 })).total);
  const heard = useRef(new Set<string>());
  const changed = useRef(new Set<string>());
  const singly = useMemo(() => new Turns(), []);
  const [begin, set_begin] = useState(false);
  /// With the words as they are written now.
  const choose = (next: Choice): void => {
    const whole = { ...next, q: words.trim() };
    history.replaceState(null, "", address_of(whole));
    latest.current = whole;
    set_choice(whole);
  };
  useEffect(() => {
    if (words.trim() === choice.q) return;
    const timer = setTimeout(() => choose(latest.current), 200);
    return () => clearTimeout(timer);
  }, [words, choice]);
  useEffect(() => {
    const changed = (): void => {
      const now = choice_of(location.hash);
      latest.current = now;
      set_choice(now);
      set_words(now.q);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const live = useLive(null, (news) => {
    for (const id of news.studies) heard.current.add(id);
    const any = (...types: string[]): boolean => news.anything || types.some((type) => news.types.has(type));
    if (any("StudyOpened", "StudyResumed")) kernel.again();
    if (any("StudyPaused", "StudyResumed", "StudyEnded", "GateOpened", "GateDecided", "StudyOpened")) waits.again();
    if (any("StudyOpened") || news.studies.size > one_by_one) return again();
    for (const id of news.studies) changed.current.add(id);
    singly.run(async () => {
      const ids = [...changed.current];
      changed.current.clear();
      await Promise.all(ids.map((id) => get("/studies/{id}", { id }).then(put, again)));
    });
  });
  /// A study that said something since the page was opened is worked on.
  const at_work = kernel.value && [...kernel.value.studies, ...heard.current];
  const stopped = loaded?.studies.filter((study) => standing(study, at_work).words === "stopped").length ?? 0;
  const todo = (waits.value ?? 0) + stopped;
  const filtered = choice.q || choice.state || choice.verdict || choice.tag || choice.archived !== "false";
  const empty = loaded?.total === 0;
  const archived = useAsked(`archived ${empty}`, async () => (empty ? (await get("/studies", { archived: "true", limit: 1 })).total : 0));
  const used = useTags();
  const offered = used.tags.map(({ tag }) => tag);
  const again_with_tags = (): void => {
    again();
    used.again();
  };
  return (
    <>
      <div class="head">
        <h1>Studies</h1>
        <Connection live={live} />
        <div class="head-tools">
          <NotifyButton />
          {!read_only && <button class="primary" aria-expanded={begin} onClick={() => set_begin(!begin)}>New study</button>}
        </div>
      </div>
      {begin && <NewStudy />}
      <Refused refusal={refusal} />
      {todo > 0 && <p class="summary" role="status"><a href={address_of({ ...nothing_chosen, state: waiting })}>{todo === 1 ? "One study waits" : `${number(todo)} studies wait`} for a person.</a></p>}
      {(filtered || offered.length > 0 || (loaded?.total ?? 0) > 0) && (
        <div class="tools">
          <label class="wide">Search <input type="search" value={words} placeholder="title or question" onInput={(e) => set_words(e.currentTarget.value)} /></label>
          <label>State <select value={choice.state} onChange={(e) => choose({ ...choice, state: e.currentTarget.value })}>{states.map(([value, name]) => <option key={value} value={value}>{name}</option>)}</select></label>
          <label>Verdict <select value={choice.verdict} onChange={(e) => choose({ ...choice, verdict: e.currentTarget.value })}>
            <option value="">any</option>{verdicts.map((verdict) => <option key={verdict} value={verdict}>{plain(verdict)}</option>)}
          </select></label>
          {(offered.length > 0 || choice.tag) && (
            <label>Tag <select value={choice.tag} onChange={(e) => choose({ ...choice, tag: e.currentTarget.value })}>
              <option value="">any</option>{[...new Set([...offered, ...(choice.tag ? [choice.tag] : [])])].map((tag) => <option key={tag}>{tag}</option>)}
            </select></label>
          )}
          <label>Archived <select value={choice.archived} onChange={(e) => choose({ ...choice, archived: e.currentTarget.value })}>
            <option value="false">left out</option><option value="all">listed, too</option><option value="true">only these</option>
          </select></label>
          <span class="muted" role="status">{loaded && (loaded.total === 1 ? "1 study" : `${number(loaded.total)} studies`)}</span>
        </div>
      )}
      {empty && (filtered ? <p class="empty">No study matches these filters.</p> : archived.value ? <p class="empty">Every study is <a href={address_of({ ...nothing_chosen, archived: "true" })}>archived</a>.</p> : <p class="empty">No study yet. Start one here, or with <code>etude run STUDY.yaml</code>.</p>)}
      {loaded && loaded.total > 0 && <Table loaded={loaded} choice={choice} choose={choose} more={more} at_work={at_work} read_only={read_only} again={again_with_tags} />}
    </>
  );
}
