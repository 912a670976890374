import { useMemo } from "preact/hooks";

import { text } from "../client";
import { useAsked } from "../hooks";
import type { Run } from "../shapes";
import { Panel } from "./bits";
import { type Figure, Plot } from "./curves";

const megabyte = 1e6;

/// Busy processors and memory of a run, and the same of its GPUs, from the CSV that the server has of it. Each row has the
/// values of one of both; how many were busy is a mean since the row before.
export function usage_figures(csv: string): Figure[] {
  const [head, ...lines] = csv.trim().split("\n").map((line) => line.split(","));
  const of = (used: string, memory: string): Figure[] => {
    const [at, spent, bytes] = ["seconds", used, memory].map((name) => head!.indexOf(name)) as [number, number, number];
    const rows = spent < 0 ? [] : lines.filter((line) => line[spent]).map((line) => [line[at], line[spent], line[bytes]].map(Number) as [number, number, number]);
    if (rows.length === 0) return [];
    const busy = rows.map(([seconds, sum], i) => (sum - (rows[i - 1]?.[1] ?? 0)) / (seconds - (rows[i - 1]?.[0] ?? 0)));
    const figure = (name: string, values: number[]): Figure => ({ name, along: "seconds since its start", of: [{ run: "", curve: { name, steps: rows.map(([seconds]) => seconds), values } }] });
    const what = used === "cpu_seconds" ? ["Busy processors", "Memory in MB"] : ["Busy GPUs", "GPU memory in MB"];
    return [figure(what[0]!, busy), figure(what[1]!, rows.map(([, , peak]) => peak / megabyte))];
  };
  return [...of("cpu_seconds", "memory_bytes"), ...of("gpu_seconds", "gpu_memory_bytes")];
}

/// Nothing for a run that took less than two seconds.
export function Usage({ run }: { run: Run }) {
  const known = Boolean(run.blobs.usage);
  const asked = useAsked(`usage ${run.id} ${known}`, async () => (known ? text(`/runs/${encodeURIComponent(run.id)}/usage`) : ""));
  const figures = useMemo(() => (asked.value ? usage_figures(asked.value) : []), [asked.value]);
  if (figures.length === 0) return null;
  return <Panel title="Resource use">{figures.map((figure) => <Plot key={figure.name} figure={figure} />)}</Panel>;
}
