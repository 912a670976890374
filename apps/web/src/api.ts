// Requests to the kernel. A refusal is thrown as a Refusal with the kernel's message. Characters that change the direction of
// text are made visible in every answer.

import type { components } from "./api_types";
import { event_types } from "./generated";
import { answer_of, refuse_change, shared } from "./shared";

const root = "/api/v1";

// Marks, embeddings, overrides and isolates of the direction of text (Unicode, "Bidirectional Algorithm", UAX 9).
const directing = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// The same as an escape sequence of JSON; the backslashes before it are escaped ones.
const escaped_directing = /(?<!\\)((?:\\\\)*)\\u(200[ef]|202[a-e]|206[6-9])/gi;

function code_of(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/// A text in which characters that change its direction stand as "\u202e".
export function visible(text: string): string {
  return text.replace(directing, code_of);
}

/// The value of a JSON text, whose strings are visible.
export function parsed<T>(json: string): T {
  const plain = json.replace(directing, (character) => `\\${code_of(character)}`).replace(escaped_directing, "$1\\\\u$2");
  return JSON.parse(plain) as T;
}

/// Without an answer of the kernel, a problem has a title only.
export type Problem = Partial<components["schemas"]["problem"]>;

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail ?? problem.title ?? `the kernel answered ${status}`);
  }
}

/// The answer to a request below /api/v1; a refusal is thrown.
export async function ask(path: string, options: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    if (shared) answer = options.method === "POST" ? refuse_change() : answer_of(shared, path);
    else answer = await fetch(root + path, options);
  } catch {
    throw new Refusal(0, { title: "no kernel answers", todo: "start `etude serve` again" });
  }
  if (answer.ok) return answer;
  const problem: Problem = await answer.text().then(parsed<Problem>).catch(() => ({}));
  throw new Refusal(answer.status, problem);
}

/// The JSON of an answer.
export async function json_of<T>(path: string, options: RequestInit): Promise<T> {
  return parsed<T>(await (await ask(path, options)).text());
}

/// The bytes after the first `from` ones. The last known byte is requested again, because a range must not be empty.
export async function bytes_after(path: string, from: number): Promise<Uint8Array> {
  const answer = await ask(path, from > 0 ? { headers: { Range: `bytes=${from - 1}-` } } : {});
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (from === 0) return bytes;
  // A server without ranges sends the whole text.
  return bytes.slice(answer.status === 206 ? 1 : from);
}

/// The end of a text: its last `count` bytes, from the beginning of a line where one is there.
export async function tail(path: string, count: number): Promise<string> {
  const answer = await ask(path, { headers: { Range: `bytes=-${count}` } });
  const sent = await answer.text();
  const end = visible(sent.slice(-count));
  const cut = sent.length > count || (answer.status === 206 && !/^bytes 0-/.test(answer.headers.get("Content-Range") ?? ""));
  return cut && end.includes("\n") ? end.slice(end.indexOf("\n") + 1) : end;
}

/// Events since the last update of the page.
export interface News {
  types: Set<string>;
  studies: Set<string>;
  runs: Set<number>;
  /// The stream was opened again; events may have been missed.
  anything: boolean;
}

function nothing(): News {
  return { types: new Set(), studies: new Set(), runs: new Set(), anything: false };
}

interface Event_ {
  study: string;
  type: string;
  payload: { run?: number; runs?: ({ number: number } | number)[] };
}

const never = (): void => {};

const gather_ms = 25; // Events of one decision come together.
const rest_ms = 100;
const reopen_ms = 3000;

/// Calls `news` `gather_ms` after an event of the study (of any study, without one); while events follow one another, every
/// `rest_ms`. So an event waits for at most `rest_ms`. After an interruption the browser reconnects and names the last event;
/// after an answer that is none, as of a proxy, the stream is opened anew. Returns a function that ends the subscription.
export function follow(study: string | null, news: (what: News) => void, state: (open: boolean) => void): () => void {
  if (shared) return never;
  let source: EventSource;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let gathered = nothing();
  let last = -rest_ms;
  const soon = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      last = performance.now();
      const told = gathered;
      gathered = nothing();
      news(told);
    }, Math.max(gather_ms, last + rest_ms - performance.now()));
  };
  const hear = (message: MessageEvent<string>): void => {
    const event = parsed<Event_>(message.data);
    gathered.types.add(event.type);
    gathered.studies.add(event.study);
    const { run, runs } = event.payload;
    if (typeof run === "number") gathered.runs.add(run);
    for (const one of runs ?? []) gathered.runs.add(typeof one === "number" ? one : one.number);
    soon();
  };
  const open = (): void => {
    source = new EventSource(`${root}${study ? `/studies/${study}` : ""}/events?after=now`);
    // An EventSource receives only the types of events that it subscribes to by name.
    for (const type of event_types) source.addEventListener(type, hear);
    source.onopen = () => {
      state(true);
      gathered.anything = true;
      soon();
    };
    source.onerror = () => {
      state(false);
      if (source.readyState === EventSource.CLOSED) reopening = setTimeout(open, reopen_ms);
    };
  };
  open();
  return () => {
    clearTimeout(waiting);
    clearTimeout(reopening);
    source.close();
  };
}

/// Calls `opened` with the study of each approval that begins to wait.
export function follow_gates(opened: (study: string) => void): () => void {
  if (shared) return never;
  const source = new EventSource(`${root}/events?after=now`);
  source.addEventListener("GateOpened", (message: MessageEvent<string>) => opened(parsed<Event_>(message.data).study));
  return () => source.close();
}

/// Calls `said` with pieces of what models say, as they come. A reply that breaks off begins anew.
export function follow_text(study: string, said: (line: string, text: string) => void): () => void {
  if (shared) return never;
  const source = new EventSource(`${root}/studies/${study}/events?after=now&text=true`);
  source.addEventListener("text", (message: MessageEvent<string>) => {
    const { line, text } = parsed<{ line: string; text: string }>(message.data);
    said(line, text);
  });
  return () => source.close();
}
