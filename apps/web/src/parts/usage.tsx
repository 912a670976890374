import { useMemo } from "preact/hooks";

import { text } from "../api";
import { useAsked } from "../hooks";
import type { Run } from "../shapes";
import { Panel } from "./bits";
import { type Figure, Plot } from "./curves";

const megabyte = 1e6;

/// The busy processors and the memory of a run, from the CSV that the server has of it. `cpus`: a mean since the row before.
export function usage_figures(csv: string): Figure[] {
  const rows = csv.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const seconds = rows.map(([at]) => at!);
  const cpus = rows.map(([at, used], i) => {
    const [before, used_before] = i > 0 ? [rows[i - 1]![0]!, rows[i - 1]![1]!] : [0, 0];
    return (used! - used_before) / (at! - before);
  });
  const figure = (name: string, values: number[]): Figure => ({ name, along: "seconds since its start", of: [{ run: "", curve: { name, steps: seconds, values } }] });
  return [figure("Busy processors", cpus), figure("Memory in MB", rows.map(([, , bytes]) => bytes! / megabyte))];
}

/// Nothing for a run that took less than two seconds.
export function Usage({ run }: { run: Run }) {
  const known = Boolean(run.blobs.usage);
  const asked = useAsked(`usage ${run.id} ${known}`, async () => (known ? text(`/runs/${run.id}/usage`) : ""));
  const figures = useMemo(() => (asked.value ? usage_figures(asked.value) : []), [asked.value]);
  if (figures.length === 0) return null;
  return <Panel title="Resource use">{figures.map((figure) => <Plot key={figure.name} figure={figure} />)}</Panel>;
}
