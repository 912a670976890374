import { all, get } from "../api";
import { useAsked, useLive } from "../hooks";
import { Budgets, Panel, Pill, Refused, state_of } from "../parts/bits";
import { Controls, Gates, Steering } from "../parts/control";
import { Forest } from "../parts/forest";
import { Graph } from "../graph/graph";
import type { Claim, Experiment, GraphNode, Run, Study } from "../shapes";
import { plain } from "../words";
import { Artifact } from "./artifact";
import { Claims } from "./claims";
import { Runs } from "./runs";

const tabs = ["hypotheses", "graph", "runs", "claims", "ledger", "report"] as const;

const waiting = <p class="muted" role="status">…</p>;

function Tab({ study, tab }: { study: Study; tab: string }) {
  const path = `/studies/${study.id}`;
  // What the tab shows is asked for anew whenever the study has changed.
  const graph = useAsked(`graph${tab}${study.id}`, async () => (tab === "graph" ? (await get<{ nodes: GraphNode[] }>(`${path}/graph`)).nodes : []));
  const runs = useAsked(`runs${tab}${study.id}`, async () => (tab === "runs" || tab === "claims" ? all<Run>(`${path}/runs`) : []));
  const claims = useAsked(`claims${tab}${study.id}`, async () => (tab === "claims" ? get<Claim[]>(`${path}/claims`) : []));
  const experiments = useAsked(`experiments${tab}${study.id}`, async () => (tab === "claims" ? get<Experiment[]>(`${path}/experiments`) : []));
  useLive(study.id, () => { graph.again(); runs.again(); claims.again(); experiments.again(); });
  if (tab === "graph") return graph.value ? <Panel title="Exploration"><Graph nodes={graph.value} /></Panel> : waiting;
  if (tab === "runs") return runs.value ? <Runs study={study} runs={runs.value} /> : waiting;
  if (tab === "claims")
    return claims.value && experiments.value && runs.value
      ? <Claims study={study} claims={claims.value} experiments={experiments.value} runs={runs.value} /> : waiting;
  if (tab === "ledger") return <Panel title="What was spent of what may be"><Budgets ledger={study.ledger} /><dl class="facts"><dt>Head of the event chain</dt><dd><code>{study.head}</code></dd><dt>Study file</dt><dd><code>{study.study_file}</code></dd></dl></Panel>;
  if (tab === "report") return <Artifact study={study} />;
  const units = new Map(study.metrics.map((m) => [m.name, m.unit]));
  return (
    <Panel title="Hypotheses">
      {study.hypotheses?.length ? <Forest hypotheses={study.hypotheses} units={units} /> : <p class="empty">None yet.</p>}
    </Panel>
  );
}

export function StudyView({ id, tab, read_only }: { id: string; tab: string; read_only: boolean }) {
  const asked = useAsked(id, () => get<Study>(`/studies/${id}`));
  const live = useLive(id, asked.again);
  const study = asked.value;
  if (!study) return asked.refusal ? <Refused refusal={asked.refusal} /> : <p class="muted">…</p>;
  const live_runs = (study.runs.running ?? 0) + (study.runs.starting ?? 0);
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / {study.id}</p>
      <div class="head">
        <h1>{study.title}</h1>
        <Pill word={state_of(study)} />
        {!live && <span class="offline" role="status">no connection; trying again</span>}
      </div>
      <p class="question">{study.question}</p>
      <p class="muted" role="status">
        {study.state === "running" ? `${plain(study.stage)}: ` : ""}{study.runs.succeeded} of {study.runs.total} runs succeeded
        {live_runs > 0 && `, ${live_runs} running`}{(study.runs.failed ?? 0) > 0 && `, ${study.runs.failed} failed`}
        {study.detail && ` · ${study.detail}`}
      </p>
      <Refused refusal={asked.refusal} />
      <Gates study={study} read_only={read_only} done={asked.again} />
      {study.state !== "ended" && <Budgets ledger={study.ledger} />}
      {!read_only && study.state !== "ended" && <Controls study={study} done={asked.again} />}
      <nav class="tabs" aria-label="Parts of the study">
        {tabs.map((name) => (
          <a key={name} href={`#/studies/${id}/${name}`} {...(name === tab ? { "aria-current": "page" as const } : {})}>{name}</a>
        ))}
      </nav>
      <Tab study={study} tab={tab} />
      <Steering study={study} read_only={read_only} done={asked.again} />
    </>
  );
}
