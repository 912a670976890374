// The runs of a study that are shown. They are loaded in pages, and each is updated by its own events.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Refusal, type News } from "./api";
import { get } from "./client";
import type { ServerOrder } from "./runs_table";
import type { Page, Run } from "./shapes";
import { Turns } from "./turns";

export const runs_at_once = 1000;
/// So many are loaded without being asked for, where the page needs all of them.
const most_runs = 20_000;
const numbers_at_once = 200;
/// A list that the server has sorted is asked for again so long after a change.
const again_after_ms = 4000;

/// After these events, other runs may be withheld or be evidence.
const uncovering = ["ExperimentAnalysed", "InterimLook", "HypothesisWithdrawn", "WorkspaceAmended", "StudyEnded", "StudyForked"];

/// Whether events since the last update may change what is shown of the run with this number.
export function concerns(news: News, run: number): boolean {
  return news.anything || news.runs.has(run) || uncovering.some((type) => news.types.has(type));
}

export interface LiveRuns {
  runs: Run[];
  /// True if there are runs that were not loaded.
  more: boolean;
  /// True if runs that do not meet conditions on a metric were left out.
  filtered: boolean;
  load_more: () => void;
  refusal: Refusal | null;
  hear: (news: News) => void;
}

interface Loaded {
  runs: Map<number, Run>;
  cursor: string | null;
}

/// `state`: only runs in this state; "" for all runs. Without a query the server gives all by their numbers.
export function useRuns(study: string, state: string, { query, everything }: ServerOrder, wanted: boolean): LiveRuns | null {
  const [shown, set_shown] = useState<Loaded | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const loaded = useRef<Loaded | null>(null);
  const turn = useRef(0);
  const asked_for = { ...query, id: study, limit: runs_at_once, state };
  const filtered = query.measured !== undefined;
  const sorted = query.sort !== undefined;
  const timer = useRef(0);
  const asked = useRef("");
  const asked_after = useRef("");
  const needed = useRef(everything);
  needed.current = everything;
  /// Runs that have changed since they were asked for.
  const updates = useMemo(() => new Turns(), []);
  const stale = useRef(new Set<number>());
  const stale_all = useRef(false);

  const keep = useCallback((fresh: Loaded | null): void => {
    loaded.current = fresh;
    set_shown(fresh);
    set_refusal(null);
  }, []);
  const guarded = (work: (mine: () => boolean) => Promise<void>): Promise<void> => {
    const at = turn.current;
    return work(() => at === turn.current).catch((error: unknown) => {
      if (at === turn.current && error instanceof Refusal) set_refusal(error);
    });
  };
  const load = (after: string | null): Promise<void> => guarded(async (mine) => {
    const next = await get("/studies/{id}/runs", { ...asked_for, cursor: after });
    if (!mine()) return;
    const runs = new Map(after === null ? [] : loaded.current?.runs);
    for (const run of next.items) runs.set(run.number, run);
    keep({ runs, cursor: next.cursor });
    load_rest();
  });
  const load_rest = (): void => {
    const { cursor, runs } = loaded.current!;
    if (!needed.current || cursor === null || runs.size >= most_runs || asked_after.current === cursor) return;
    asked_after.current = cursor;
    void load(cursor);
  };
  /// Reloads all runs that are shown.
  const reload = (): Promise<void> => guarded(async (mine) => {
    const count = Math.max(loaded.current?.runs.size ?? 0, runs_at_once);
    const runs = new Map<number, Run>();
    let cursor: string | null = null;
    do {
      const next: Page<Run> = await get("/studies/{id}/runs", { ...asked_for, cursor });
      if (!mine()) return;
      for (const run of next.items) runs.set(run.number, run);
      cursor = next.cursor;
    } while (cursor !== null && runs.size < count);
    keep({ runs, cursor });
    load_rest();
  });
  const renew = (numbers: number[]): Promise<void> => guarded(async (mine) => {
    const fresh: Run[] = [];
    for (let at = 0; at < numbers.length; at += numbers_at_once) {
      const some = numbers.slice(at, at + numbers_at_once);
      fresh.push(...(await get("/studies/{id}/runs", { ...asked_for, numbers: some.join(",") })).items);
    }
    if (!mine() || !loaded.current) return;
    const runs = new Map(loaded.current.runs);
    for (const number of numbers) runs.delete(number);
    for (const run of fresh) runs.set(run.number, run);
    keep({ ...loaded.current, runs: new Map([...runs].sort(([a], [b]) => a - b)) });
  });
  const update = (what: number[] | "all"): void => {
    if (what === "all") stale_all.current = true;
    else for (const number of what) stale.current.add(number);
    if (!stale_all.current && stale.current.size === 0) return;
    updates.run(() => {
      const numbers = [...stale.current];
      const all = stale_all.current || numbers.length > runs_at_once;
      stale.current.clear();
      stale_all.current = false;
      return all ? reload() : renew(numbers);
    });
  };

  useEffect(() => {
    ++turn.current;
    // Of another order the runs stay until the new ones are there, so that a field in which somebody types stays, too.
    const what = `${study} ${state} ${wanted}`;
    if (asked.current !== what) keep(null);
    asked.current = what;
    asked_after.current = "";
    if (wanted) void load(null);
    return () => {
      updates.end();
      stale.current.clear();
      stale_all.current = false;
      clearTimeout(timer.current);
      timer.current = 0;
    };
  }, [study, state, JSON.stringify(query), wanted]);
  useEffect(() => {
    if (wanted && loaded.current) load_rest();
  }, [everything]);

  if (!wanted || (!shown && !refusal)) return null;
  return {
    runs: [...(shown?.runs.values() ?? [])],
    more: shown?.cursor !== null && shown !== null,
    filtered,
    load_more: () => void (shown?.cursor && load(shown.cursor)),
    refusal,
    hear: (news) => {
      const now = loaded.current;
      if (!now || news.anything || uncovering.some((type) => news.types.has(type))) return update("all");
      if (sorted && now.cursor !== null) {
        // A run that has changed may belong elsewhere in the order.
        timer.current ||= window.setTimeout(() => {
          timer.current = 0;
          reload();
        }, again_after_ms);
        return update([...news.runs].filter((number) => now.runs.has(number)).slice(0, numbers_at_once));
      }
      // A run beyond those that were loaded is not shown.
      const last = now.cursor === null ? Infinity : Number(now.cursor);
      update([...news.runs].filter((number) => number <= last));
    },
  };
}
