// The answers in a copy of the page that needs no server (`etude export --to page`). study.js, which lies in the same
// folder, has them.

import type { FailureList, Run, Study } from "./shapes";

/// A run with what it left: a text that is not kept is null.
type KeptRun = Run & { blobs: { stdout: string | null; stderr: string | null } };

interface Kept {
  json?: unknown;
  text?: string;
  status?: number;
}

interface Shared {
  study: string;
  made: string;
  version: string;
  /// Whether the copy has a report.html.
  report: boolean;
  left_out: string[];
  runs: KeptRun[];
  answers: Record<string, Kept>;
}

declare global {
  var etude_shared: Shared | undefined;
  /// The source of the worker, which cannot be loaded from a disk.
  var etude_layout: string | undefined;
}

/// Null if a server answers.
export const shared: Shared | null = globalThis.etude_shared ?? null;
export const worker_source: string | null = globalThis.etude_layout ?? null;

function sent(body: unknown, status = 200): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
}

function refused(status: number, title: string): Response {
  return sent({ title }, status);
}

/// As GET /studies/ID/runs filters, orders and pages.
function runs_of(all: Run[], query: URLSearchParams): Response {
  const listed = (name: string): string[] => (query.get(name) ?? "").split(",").filter(Boolean);
  const states = listed("state");
  const numbers = listed("numbers").map(Number);
  const levels = query.getAll("where").map((one): [string, string] => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
  const experiment = query.get("experiment");
  const cursor = Number(query.get("cursor") ?? 0);
  const limit = Number(query.get("limit") ?? 100);
  const found = all.filter((run) =>
    run.number > cursor
    && (states.length === 0 || states.includes(run.state))
    && (numbers.length === 0 || numbers.includes(run.number))
    && (!experiment || run.experiment === experiment)
    && levels.every(([factor, level]) => String(run.factors[factor]) === level));
  return sent({ items: found.slice(0, limit), cursor: found.length > limit ? String(found[limit - 1]!.number) : null, total: found.length });
}

/// As GET /studies/ID/failures.
function failures_of(all: Run[]): Response {
  const causes = new Map<string, FailureList["items"][number]>();
  for (const { fingerprint, id, reason } of all) {
    if (!fingerprint) continue;
    const cause = causes.get(fingerprint) ?? { fingerprint, runs: 0, first: id, reason };
    ++cause.runs;
    causes.set(fingerprint, cause);
  }
  return sent({ items: [...causes.values()].sort((a, b) => b.runs - a.runs), cursor: null, total: causes.size });
}

function primary_metric(copy: Shared): string {
  const { metrics } = copy.answers[`/studies/${copy.study}`]!.json as Study;
  return (metrics.find((metric) => metric.primary) ?? metrics[0])?.name ?? "";
}

/// The name of an answer in the copy. Of curves and cells it has the defaults, and of others no paging.
function key_of(copy: Shared, path: string, query: URLSearchParams): string {
  if (path.endsWith("/curves"))
    return `${path}?${JSON.stringify([query.get("metric") || primary_metric(copy), query.get("x") || "step", query.get("spacing") || "linear"])}`;
  if (path.endsWith("/cells")) return `${path}?${query.get("metric") || primary_metric(copy)}`;
  return path.endsWith("/log") ? `${path}?stream=${query.get("stream") ?? "stdout"}` : path;
}

/// The answer of the copy to a GET of the address below /api/v1.
export function answer_of(copy: Shared, address: string): Response {
  const [written, words] = address.split("?", 2);
  const path = decodeURIComponent(written!);
  const query = new URLSearchParams(words);
  if (path === "/session") return sent({ version: copy.version, home: "", read_only: true });
  if (path === `/studies/${copy.study}/runs`) return runs_of(copy.runs, query);
  if (path === `/studies/${copy.study}/failures`) return failures_of(copy.runs);
  const key = key_of(copy, path, query);
  if (Object.hasOwn(copy.answers, key)) {
    const { json, text, status } = copy.answers[key]!;
    return sent(text ?? json, status);
  }
  const [, , id, part] = path.split("/");
  const run = path.startsWith("/runs/") ? copy.runs.find((one) => one.id === id) : undefined;
  if (run && !part) return sent(run);
  // Runs that left nothing have no answers in the copy.
  if (run && part === "files") return sent({ items: [], cursor: null, total: 0 });
  if (run && part === "log" && run.ended && query.get("stream") !== "both" && run.blobs[query.get("stream") === "stderr" ? "stderr" : "stdout"] === null) return sent("");
  return refused(404, "This is not in the copy.");
}

export function refuse_change(): Response {
  return refused(403, "This is a copy: nothing can be started or changed here.");
}
