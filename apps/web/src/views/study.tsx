import { useEffect, useRef, useState } from "preact/hooks";

import type { News } from "../api";
import { get, list } from "../client";
import { Graph } from "../graph/graph";
import { useAsked, useLive, useSettings } from "../hooks";
import { Budgets, Connection, Panel, Refused, Stands } from "../parts/bits";
import { Controls, Steering } from "../parts/control";
import { Forest } from "../parts/forest";
import { ChangedCode, Gates } from "../parts/gates";
import { Models } from "../parts/models";
import { Failures } from "../parts/failures";
import { SearchView } from "../parts/search";
import { Strips } from "../parts/strips";
import { Tags } from "../parts/tags";
import { TimeSlider } from "../parts/time_slider";
import { runs_at_once, useRuns } from "../runs_live";
import { server_order } from "../runs_table";
import type { Past, Study } from "../shapes";
import { shared } from "../shared";
import { failed_runs } from "../standing";
import { counted, left_words, number, plain, when, without_stderr } from "../words";
import { Agents, useConversations } from "./agents";
import { Artifact } from "./artifact";
import { Charts } from "./charts";
import { Claims } from "./claims";
import { Overview, OverviewThen } from "./overview";
import { Runs } from "./runs";
import { TimelineView } from "./timeline";

const tabs = ["overview", "hypotheses", "charts", "search", "graph", "runs", "timeline", "failures", "agents", "claims", "ledger", "report"] as const;
/// The parts that show an earlier state; the others show the present state.
const of_the_past = new Set(["overview", "hypotheses", "graph", "runs"]);

/// A part that would be empty is not offered.
function offered(study: Study, open: string): string[] {
  return tabs.filter((name) => name === open || (name === "search" ? study.search : name === "failures" ? failed_runs(study) > 0 : name === "agents" ? study.ledger.models : true));
}

const waiting = <p class="muted" role="status">…</p>;

function Hypotheses({ study, item }: { study: Study; item: string | null }) {
  useEffect(() => {
    if (item) document.getElementById(`h-${item}`)?.scrollIntoView({ block: "center" });
  }, [item]);
  return (
    <Panel title="Hypotheses">
      {study.hypotheses?.length ? <Forest hypotheses={study.hypotheses} metrics={study.metrics} picked={item} /> : <p class="empty">None yet.</p>}
    </Panel>
  );
}

function Ledger({ study }: { study: Study }) {
  return (
    <>
      <Panel title="Budget used">
        <Budgets ledger={study.ledger} />
        <dl class="facts">
          {(study.ledger.answers ?? []).map((paid) => (
            <><dt>Answers in {paid.file}</dt><dd>{`${counted(paid.answers, "answer")} of ${paid.model}, ${counted(paid.tokens, "token")}${paid.usd === null ? "" : ` for $${number(paid.usd, 2)}`}, paid before the study`}</dd></>
          ))}
          <dt>Head of the event chain</dt><dd><code>{study.head}</code></dd>
          <dt>Study file</dt><dd><code>{study.study_file}</code></dd>
        </dl>
      </Panel>
      {study.ledger.models && <Models models={study.ledger.models} notes={[...(study.ledger.other_models ?? []), ...(study.ledger.understated ?? [])]} />}
    </>
  );
}

type Hear = (news: News) => void;

/// `hearing`: receives the function to call after events; the page of a study has one stream.
function Tab({ study, tab, item, hearing, read_only }: { study: Study; tab: string; item: string | null; hearing: { current: Hear }; read_only: boolean }) {
  const [settings, change] = useSettings();
  const state = settings.get("state") ?? "";
  // After an event, only the data that the open tab shows and that the event changes are requested again.
  const graph = useAsked(`graph${tab}${study.id}`, async () => (tab === "graph" ? (await get("/studies/{id}/graph", { id: study.id })).nodes : []));
  const claims = useAsked(`claims${tab}${study.id}`, async () => (tab === "claims" ? list("/studies/{id}/claims", { id: study.id }) : []));
  const experiments = useAsked(`experiments${tab}${study.id}`, async () => (tab === "claims" ? list("/studies/{id}/experiments", { id: study.id }) : []));
  const conversations = useConversations(study.id, tab === "agents");
  const by = settings.get("sort") ?? "run";
  const many = tab === "runs" && !shared && (study.runs.total ?? 0) > runs_at_once;
  const order = many ? server_order(study, by.replace(/^-/, ""), by.startsWith("-"), settings.get("find") ?? "", Boolean(settings.get("group"))) : { query: {}, everything: false };
  const runs = useRuns(study.id, tab === "runs" ? state : "", order, tab === "runs" || tab === "ledger" || tab === "search");
  hearing.current = (news) => {
    const any = (...types: string[]): boolean => news.anything || types.some((type) => news.types.has(type));
    if (tab === "graph" && any("NodeRecorded", "StudyForked")) graph.again();
    if (tab === "claims" && any("ClaimRecorded", "ExperimentRegistered", "ExperimentAnalysed", "StudyForked")) {
      claims.again();
      experiments.again();
    }
    if (tab === "agents" && any("LineOpened", "LineEnded", "ModelAsked", "ModelAnswered", "ToolReturned")) conversations.again();
    runs?.hear(news);
  };
  if (tab === "graph") return graph.value ? <Panel title="Exploration"><Graph study={study} nodes={graph.value} first={item} /></Panel> : waiting;
  if (tab === "runs") return runs ? <Runs study={study} live={runs} state={state} set_state={(wanted) => change({ state: wanted })} /> : waiting;
  if (tab === "claims") return claims.value && experiments.value ? <Claims study={study} claims={claims.value} experiments={experiments.value} first={item} /> : waiting;
  if (tab === "ledger") return <><Ledger study={study} />{runs && <Strips runs={runs.runs} more={runs.more} />}</>;
  if (tab === "agents") return <Agents study={study} item={item} list={conversations} />;
  if (tab === "timeline") return <TimelineView study={study} />;
  if (tab === "charts") return <Charts study={study} />;
  if (tab === "failures") return <Failures study={study} />;
  if (tab === "search") return study.search ? <SearchView study={study} runs={runs?.runs ?? null} more={runs?.more ?? false} /> : <p class="empty">This study does not search.</p>;
  if (tab === "hypotheses") return <Hypotheses study={study} item={item} />;
  if (tab === "report") return <Artifact study={study} read_only={read_only} />;
  return <Overview study={study} />;
}

function PastTab({ past, tab }: { past: Past; tab: string }) {
  if (tab === "graph") return <Panel title="Exploration, then"><Graph study={past.study} nodes={past.nodes} first={null} /></Panel>;
  if (tab === "runs") return <Runs study={past.study} live={{ runs: past.runs, more: false, filtered: false, load_more: () => {}, refusal: null, hear: () => {} }} state="" set_state={null} />;
  if (tab === "hypotheses") return <Hypotheses study={past.study} item={null} />;
  return <OverviewThen study={past.study} />;
}

/// Selects a study to compare with.
function Beside({ id }: { id: string }) {
  const others = useAsked("others", () => get("/studies", { limit: 200, order: "newest" }));
  const list = others.value?.items.filter((study) => study.id !== id) ?? [];
  if (others.value && list.length === 0) return null;
  // Its place is kept while the list is loaded, so that nothing moves.
  return (
    <label class="beside" {...(list.length === 0 ? { style: { visibility: "hidden" } } : {})}>Compare with <select value="" onChange={(e) => { location.hash = `#/compare/${id}/${e.currentTarget.value}`; }}>
      <option value="" disabled>another study…</option>
      {list.map((study) => <option key={study.id} value={study.id}>{study.id}: {study.title}</option>)}
    </select></label>
  );
}

function Summary({ study }: { study: Study }) {
  const live_runs = (study.runs.running ?? 0) + (study.runs.starting ?? 0);
  const left = left_words(study.left);
  return (
    <p class="muted" role="status">
      {study.state === "running" ? `${plain(study.stage)}: ` : ""}{study.runs.total ? `${number(study.runs.succeeded)} of ${counted(study.runs.total, "run")} succeeded` : "no run yet"}
      {live_runs > 0 && `, ${live_runs} running`}{failed_runs(study) > 0 && `, ${failed_runs(study)} failed`}
      {left && ` · ${left}`}
      {study.detail && ` · ${without_stderr(study.detail)}`}
    </p>
  );
}

export function StudyView({ id, tab, item, read_only }: { id: string; tab: string; item: string | null; read_only: boolean }) {
  const asked = useAsked(id, () => get("/studies/{id}", { id }));
  const hearing = useRef<Hear>(() => {});
  const live = useLive(id, (news) => {
    asked.again();
    hearing.current(news);
  });
  const [looking_back, set_looking_back] = useState(false);
  const [past, set_past] = useState<Past | null>(null);
  if (!asked.value) return asked.refusal ? <Refused refusal={asked.refusal} /> : <p class="muted">…</p>;
  const study = past && looking_back ? past.study : asked.value;
  const now = study === asked.value;
  const toggle = (): void => {
    set_looking_back(!looking_back);
    set_past(null);
  };
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / {id}</p>
      <div class="head">
        <h1>{study.title}</h1>
        <Stands study={study} />
        <Connection live={live} />
        {!shared && <div class="head-tools"><Beside id={id} /><button aria-pressed={looking_back} onClick={toggle}>Look back</button></div>}
      </div>
      <p class="question">{study.question}</p>
      {now && !shared && <Tags study={study} read_only={read_only} done={asked.again} />}
      {study.agents_code && <p class="by-agents" role="note"><strong>{study.agents_code.text}</strong></p>}
      {study.agents_code?.diff && <details class="changed"><summary>Show the change</summary><ChangedCode study={study} /></details>}
      {study.waiting?.map((one) => (
        <p class="question" role="status" key={one.line ?? one.on}><strong>waits for the {one.on}</strong> · {one.line && `${one.line}: `}{one.why}{one.since && ` (since ${when(one.since)})`}</p>
      ))}
      {(tab !== "overview" || study.state === "ended") && <Summary study={study} />}
      {looking_back && <TimeSlider id={id} show={set_past} />}
      <Refused refusal={asked.refusal} />
      {now && <Gates study={study} read_only={read_only} done={asked.again} />}
      {(study.state !== "ended" || !now) && <Budgets ledger={study.ledger} />}
      {now && !read_only && study.state !== "ended" && <Controls study={study} done={asked.again} />}
      <nav class="tabs" aria-label="Parts of the study">
        {offered(study, tab).map((name) => (
          <a key={name} href={`#/studies/${id}/${name}`} {...(name === tab ? { "aria-current": "page" as const } : {})}>{name}</a>
        ))}
      </nav>
      {!now && !of_the_past.has(tab) && <p class="muted">This part shows the present state.</p>}
      {now || !of_the_past.has(tab) ? <Tab study={asked.value} tab={tab} item={item} hearing={hearing} read_only={read_only} /> : <PastTab past={past!} tab={tab} />}
      {now && <Steering study={study} read_only={read_only} done={asked.again} />}
    </>
  );
}
