import { useState } from "preact/hooks";

import { get, page } from "../api";
import { useAsked, useLive } from "../hooks";
import { Budgets, Refused, Stands, VerdictCounts } from "../parts/bits";
import type { Health, Study } from "../shapes";
import { failed_runs, standing, verdict_counts } from "../standing";
import { left_words, when } from "../words";
import { NewStudy } from "./new_study";

function Card({ study, at_work }: { study: Study; at_work: readonly string[] | null }) {
  const needs = standing(study, at_work).todo;
  const left = left_words(study.left);
  const failed = failed_runs(study);
  const done = study.runs.total ? (study.runs.total - (study.runs.queued ?? 0) - (study.runs.running ?? 0) - (study.runs.starting ?? 0)) / study.runs.total : 0;
  return (
    <li class="card">
      <div class="card-head">
        <h2><a href={`#/studies/${study.id}`}>{study.title}</a></h2>
        <Stands study={study} at_work={at_work} />
      </div>
      <p class="question">{study.question}</p>
      <VerdictCounts counts={verdict_counts(study)} />
      {needs && <p class="needs"><a href={`#/studies/${study.id}`}>{needs}</a></p>}
      {study.state !== "ended" && <progress max={1} value={done} aria-label={`${study.title}: runs that have ended`} />}
      <Budgets ledger={study.ledger} />
      <p class="muted">{study.id} · {when(study.opened)} · {study.runs.succeeded} of {study.runs.total} runs succeeded{failed > 0 && `, ${failed} failed`}{left && ` · ${left}`}</p>
    </li>
  );
}

const at_once = 100;
const one_by_one = 8;  // So many changed ones are asked for singly.

export function Studies({ read_only }: { read_only: boolean }) {
  const [count, set_count] = useState(at_once);
  const [changed, set_changed] = useState<ReadonlyMap<string, Study>>(new Map());
  const asked = useAsked(`studies ${count}`, async () => {
    const found = await page<Study>("/studies", { limit: Math.min(count, 1000), order: "newest" });
    set_changed(new Map());
    return found;
  });
  const live = useLive(null, (news) => {
    if (news.anything || news.types.has("StudyOpened") || news.types.has("StudyResumed")) kernel.again();
    if (news.anything || news.types.has("StudyOpened") || news.studies.size > one_by_one) return asked.again();
    for (const id of news.studies)
      get<Study>(`/studies/${id}`).then((study) => set_changed((before) => new Map(before).set(id, study)), asked.again);
  });
  const kernel = useAsked("at work", () => get<Health>("/health"));
  const [begin, set_begin] = useState(false);
  /// A study that said something since the list was loaded is worked on.
  const at_work = kernel.value && [...kernel.value.studies, ...changed.keys()];
  const studies = (asked.value?.items ?? []).map((study) => changed.get(study.id) ?? study);
  const open = studies.filter((study) => standing(study, at_work).todo);
  return (
    <>
      <div class="head">
        <h1>Studies</h1>
        {!live && <span class="offline" role="status">no connection; trying again</span>}
        {!read_only && <button class="primary" aria-expanded={begin} onClick={() => set_begin(!begin)}>New study</button>}
      </div>
      {begin && <NewStudy />}
      <Refused refusal={asked.refusal} />
      {open.length > 0 && <p class="summary" role="status">{open.length === 1 ? "One study waits" : `${open.length} studies wait`} for a person.</p>}
      {asked.value && studies.length === 0 && <p class="empty">No study yet. Start one here, or with <code>etude run STUDY.yaml</code>.</p>}
      <ul class="cards">{studies.map((study) => <Card key={study.id} study={study} at_work={at_work} />)}</ul>
      {asked.value?.cursor && count < 1000 && <button onClick={() => set_count(1000)}>Show older ones</button>}
    </>
  );
}
