import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { follow, type News, Refusal } from "./api";
import { Turns } from "./turns";

export interface Asked<T> {
  value: T | null;
  refusal: Refusal | null;
  again: () => void;
}

/// The result of `ask`, which runs again when `again` is called or the key changes.
export function useAsked<T>(key: string, ask: () => Promise<T>): Asked<T> {
  const [value, set_value] = useState<T | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const turns = useMemo(() => new Turns(), []);
  const asking = useRef(ask);
  asking.current = ask;
  const again = useCallback(() => turns.run(async (mine) => {
    try {
      const found = await asking.current();
      if (!mine()) return;
      set_value(found);
      set_refusal(null);
    } catch (error) {
      if (mine() && error instanceof Refusal) set_refusal(error);
    }
  }), []);
  useEffect(() => {
    set_value(null);
    again();
    return () => turns.end();
  }, [key]);
  return { value, refusal, again };
}

/// A token for a body that may be sent twice and must start one study; another one for each `body`.
export function useRequest(body: string): string {
  return useMemo(() => `page-${Date.now()}-${Math.random()}`, [body]);
}

const again_after_ms = 4000;

/// Calls `again` some seconds after `stage` has changed, once for all changes until then.
export function useAgain(stage: string, again: () => void): void {
  const known = useRef({ stage, timer: 0 });
  useEffect(() => {
    if (known.current.stage === stage || known.current.timer) return;
    known.current.timer = window.setTimeout(() => {
      known.current.timer = 0;
      again();
    }, again_after_ms);
    known.current.stage = stage;
  }, [stage]);
  useEffect(() => () => clearTimeout(known.current.timer), []);
}

/// True while the stream of events is open. `news` is called after each batch of events.
export function useLive(study: string | null, news: (what: News) => void): boolean {
  const [open, set_open] = useState(true);
  const latest = useRef(news);
  latest.current = news;
  useEffect(() => follow(study, (what) => latest.current(what), set_open), [study]);
  return open;
}

/// The settings of a view: what stands after a ? behind the # of the address.
export function useSettings(): [URLSearchParams, (changes: Record<string, string>) => void] {
  const read = (): URLSearchParams => new URLSearchParams(location.hash.split("?")[1] ?? "");
  const [settings, set_settings] = useState(read);
  useEffect(() => {
    const changed = (): void => set_settings(read());
    addEventListener("hashchange", changed);
    addEventListener("settings", changed);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener("settings", changed);
    };
  }, []);
  /// An empty value removes a setting. The browser's history is not filled with each change.
  const change = useCallback((changes: Record<string, string>): void => {
    const next = read();
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const words = next.toString();
    history.replaceState(null, "", `${location.hash.split("?")[0]}${words && `?${words}`}`);
    dispatchEvent(new Event("settings")); // Other parts of the view may show them too.
  }, []);
  return [settings, change];
}

/// The parts of the address after the #, without settings.
export function usePlace(): string[] {
  const read = (): string[] => location.hash.split("?")[0]!.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  const [place, set_place] = useState(read);
  useEffect(() => {
    const changed = (): void => {
      set_place(read());
      window.scrollTo(0, 0);
    };
    addEventListener("hashchange", changed);
    // The address may have changed since the first rendering.
    set_place((before) => (before.join("/") === read().join("/") ? before : read()));
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}
