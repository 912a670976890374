import { useEffect } from "preact/hooks";

import { get } from "../client";
import { useAsked, useLive } from "../hooks";
import { Connection, Panel, Pill, Refused } from "../parts/bits";
import { Curves } from "../parts/curves";
import { by_hand, Command } from "../parts/failures";
import { failed_states, Log } from "../parts/log";
import { RunFiles } from "../parts/run_files";
import { Usage } from "../parts/usage";
import { concerns } from "../runs_live";
import type { Opening, Run, Study } from "../shapes";
import { bytes, cores, duration, levels, number, plain, run_for, when } from "../words";
import { evidence_of } from "./claims";

const most_siblings = 50;
const most_libraries = 60;

function Facts({ run }: { run: Run }) {
  const usage = run.usage;
  return (
    <dl class="facts">
      <dt>Factors</dt><dd>{levels(run.factors)}, seed {run.seed}</dd>
      <dt>Started</dt><dd>{when(run.started)}</dd>
      <dt>Ended</dt><dd>{when(run.ended)}{run.exit !== null && `, exit ${run.exit}`}{run.signal !== null && `, signal ${run.signal}`}</dd>
      {run.launch && <><dt>Launch</dt><dd>{run.launch}, ETUDE_RUN of the job</dd></>}
      {run.retry_of && <><dt>Repeats</dt><dd><a href={`#/runs/${run.retry_of}`}>{run.retry_of}</a></dd></>}
      {run.continues && <><dt>Continues</dt><dd><a href={`#/runs/${run.continues}`}>{run.continues}</a></dd></>}
      {run.reason && !failed_states.has(run.state) && <><dt>Reason</dt><dd>{run.reason}</dd></>}
      {usage && <>
        <dt>Time</dt><dd>{duration(usage.wall_s)} of wall time, {duration(usage.cpu_s)} of processor time</dd>
        <dt>Memory</dt><dd>{bytes(usage.rss_peak_bytes)} at most</dd>
        <dt>Disk</dt><dd>{bytes(usage.read_bytes)} read, {bytes(usage.written_bytes)} written</dd>
        <dt>Energy</dt><dd>{usage.energy ? `${number(usage.energy.joules)} J (${usage.energy.source})` : "not measured"}</dd>
      </>}
      {run.node && <><dt>Node</dt><dd>{run.node}</dd></>}
      {run.cached_from && <><dt>Taken from</dt><dd>{run.cached_from}, an equal run of an earlier study</dd></>}
      <dt>Sandbox</dt><dd>{run.sandboxed ? "yes" : "no"}</dd>
      <dt>Leased</dt><dd>{cores(run.lease.cpus)}{run.lease.memory_bytes > 0 && `, ${bytes(run.lease.memory_bytes)}`}{run.lease.gpus.length > 0 && `, GPU ${run.lease.gpus.join(", ")}`}</dd>
    </dl>
  );
}

/// A line for the shell as its only word, or the words of a program.
interface Template {
  words?: string[];
}

/// The study's command with the run's settings in their places; what only the kernel knows stays as it is written.
function command_of(opening: Opening, run: Run): string {
  const spec = opening.spec as { run?: Template; stages?: { name: string; run: Template }[]; constants?: Record<string, unknown> };
  const stages = spec.stages ?? [];
  const template = run.stage ? stages.find((one) => one.name === run.stage)?.run : stages.length > 0 ? stages.at(-1)!.run : spec.run;
  const written = (template?.words ?? []).join(" ");
  const known: Record<string, unknown> = { ...spec.constants, ...run.factors, seed: run.seed, cpus: run.lease.cpus, gpus: run.lease.gpus.length };
  return written.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (["string", "number"].includes(typeof known[name]) ? String(known[name]) : whole));
}

function Origin({ run, study, opening }: { run: Run; study: Study | null; opening: Opening }) {
  const environment = (opening.spec as { environment?: { use?: string; set?: Record<string, string>; pass?: string[] } }).environment ?? {};
  const { machine, programs, libraries } = opening.environment;
  const set = Object.entries(environment.set ?? {});
  const command = command_of(opening, run);
  return (
    <Panel title="Command, code and environment">
      <dl class="facts">
        <dt>Command</dt><dd>{command ? <Command text={command} /> : <span class="muted">none: a person ran it by hand</span>}</dd>
        {command && <><dt>Run it again</dt><dd><Command text={by_hand(run.id)} /></dd></>}
        <dt>Code</dt><dd>{opening.workspace ? <>workspace <code>{opening.workspace.slice(0, 12)}</code>, frozen when the study was opened{study?.agents_code && `; ${study.agents_code.text}`}</> : "–"}</dd>
        <dt>Environment</dt><dd>{environment.use ?? "system"}{set.length > 0 && `; set: ${set.map(([name, value]) => `${name}=${value}`).join(", ")}`}{(environment.pass ?? []).length > 0 && `; passed on: ${environment.pass!.join(", ")}`}</dd>
        {machine && <><dt>Machine</dt><dd>{Object.entries(machine).map(([name, value]) => `${name}: ${value}`).join("; ")}</dd></>}
        {programs && programs.length > 0 && <><dt>Programs</dt><dd>{programs.map((one) => Object.values(one).filter((word) => typeof word === "string" && word.length < 60).join(" ")).join("; ")}</dd></>}
        {Object.entries(libraries ?? {}).map(([interpreter, versions]) => (
          <><dt key={interpreter}>Libraries</dt><dd><details><summary>{number(Object.keys(versions).length)} of {interpreter}</summary>{Object.entries(versions).slice(0, most_libraries).map(([name, version]) => `${name} ${version}`).join(", ")}{Object.keys(versions).length > most_libraries && " …"}</details></dd></>
        ))}
      </dl>
    </Panel>
  );
}

/// Other runs with the same setting.
function Siblings({ run, study }: { run: Run; study: Study | null }) {
  const where = Object.entries(run.factors).map(([factor, level]) => `${factor}=${level}`);
  const found = useAsked(`siblings ${run.id}`, () => get("/studies/{id}/runs", { id: run.study, where, limit: most_siblings }));
  const others = (found.value?.items ?? []).filter((one) => one.id !== run.id && one.stage === run.stage);
  if (others.length === 0) return null;
  const metrics = study?.metrics.map((m) => m.name) ?? [];
  return (
    <Panel title="Other runs of this cell">
      <div class="scroll" role="region" aria-label="Other runs of this cell" tabIndex={0}>
        <table class="runs">
          <thead><tr><th scope="col">run</th><th scope="col">state</th><th scope="col">seed</th>{metrics.map((m) => <th key={m} scope="col">{m}</th>)}<th scope="col">wall</th><th scope="col">for</th></tr></thead>
          <tbody>
            {others.map((one) => (
              <tr key={one.id}>
                <td><a data-row href={`#/runs/${one.id}`}>{one.id}</a></td>
                <td><Pill word={one.state} /></td>
                <td class="number">{one.seed}</td>
                {metrics.map((m) => <td key={m} class="number">{one.withheld ? "withheld" : number(one.metrics[m])}</td>)}
                <td class="number">{duration(one.ended && one.usage ? one.usage.wall_s : null)}</td>
                <td>{run_for(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.value?.cursor && <p class="muted">The first {most_siblings}.</p>}
    </Panel>
  );
}

const uses: Record<string, string> = {
  search: "A run of the search: it helps to select settings, and no verdict rests on it", scratch: "A trial by an agent: no verdict rests on it",
  smoke: "Part of the manipulation check: no verdict rests on it", pilot: "Part of the pilot, which sizes the experiment: no verdict rests on it",
  aa: "The control against itself: it tests the method, and no verdict rests on it", repeat: "A repetition of an earlier run: it tests whether values recur, and no verdict rests on it",
  comparison: "A comparison of an agent's change with the original: no verdict rests on it",
};

/// What the run is for.
function use_words(run: Run): string {
  return run.evidence ? "Evidence" : (uses[run.purpose] ?? "No verdict rests on this run");
}

/// `stream`: the one that the address names.
export function RunView({ id, stream: named }: { id: string; stream: string | null }) {
  const run = useAsked(id, () => get("/runs/{id}", { id }));
  const study_id = id.slice(0, id.lastIndexOf("-r"));
  const study = useAsked(`${id} study`, () => get("/studies/{id}", { id: study_id }));
  const live = useLive(study_id, (news) => {
    if (concerns(news, Number(id.slice(study_id.length + 2)))) run.again();
  });
  useEffect(() => {
    if (named && run.value) document.getElementById("log")?.scrollIntoView({ block: "nearest" });
  }, [named, run.value === null]);
  const opening = useAsked(`${id} opening`, () => get("/studies/{id}/opening", { id: study_id }));
  if (!run.value) return <Refused refusal={run.refusal} />;
  const failed = failed_states.has(run.value.state);
  const asked_for = study.value?.metrics.map((metric) => metric.name) ?? Object.keys(run.value.metrics);
  const log = <Panel title="Log" id="log"><Log run={run.value} named={named} /></Panel>;
  const serves = (study.value?.hypotheses ?? []).filter((h) => {
    const { treatment, control } = evidence_of(h, [run.value!]);
    return treatment.length + control.length > 0;
  });
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / <a href={`#/studies/${study_id}/runs`}>{study_id}</a> / {id}</p>
      <div class="head"><h1>Run {id}</h1><Pill word={run.value.state} /><Connection live={live} /></div>
      {failed && <p class="answer">{run.value.reason ?? `${plain(run.value.state)}${run.value.exit !== null ? `, exit status ${run.value.exit}` : ""}${run.value.signal !== null ? `, signal ${run.value.signal}` : ""}`}</p>}
      {failed && <Command text={by_hand(id)} />}
      <p>{use_words(run.value)}{serves.length > 0 && <> for {serves.map((h) => <a key={h.id} class="back" href={`#/studies/${study_id}/claims`} title={h.statement}>{h.id}</a>)}</>} <span class="muted">({run_for(run.value)})</span></p>
      {failed && log}
      <Panel title="Measured">
        {run.value.withheld ? <p class="muted">Withheld until experiment {run.value.experiment} is analysed.</p> : (
          <>
            {Object.keys(run.value.metrics).length === 0 && <p class="muted">No value.</p>}
            <dl class="facts">{Object.entries(run.value.metrics).map(([name, value]) => <><dt key={name}>{name}</dt><dd class="number">{number(value, 6)}</dd></>)}</dl>
            {run.value.points > 1 && <Curves runs={[run.value]} metrics={asked_for} />}
          </>
        )}
      </Panel>
      <Panel title="Conditions"><Facts run={run.value} /></Panel>
      <Usage run={run.value} />
      {!failed && log}
      <RunFiles run={run.value} />
      {opening.value && <Origin run={run.value} study={study.value} opening={opening.value} />}
      <Siblings run={run.value} study={study.value} />
    </>
  );
}
