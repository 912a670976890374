import { useEffect, useState } from "preact/hooks";

import { Refusal } from "../api";
import { get, post } from "../client";
import { useAsked, useLive } from "../hooks";
import { Panel, Pill, Refused, Stands } from "../parts/bits";
import { Reproduce } from "../parts/reproduce";
import type { Findings, Study } from "../shapes";
import { shared } from "../shared";
import { counted, when } from "../words";

const questions = {
  check: "Is the artifact well formed and unchanged?",
  audit: "Do all numbers and pages follow from its event log?",
} as const;

const severities = ["error", "warning", "info"];
const most_findings = 5;

/// The gravest first; of many, the others are folded.
function FindingsList({ findings }: { findings: Findings["findings"] }) {
  const rank = (severity: string): number => (severities.includes(severity) ? severities.indexOf(severity) : severities.length);
  const sorted = findings.filter((f) => !f.same_as).sort((a, b) => rank(a.severity) - rank(b.severity));
  const errors = sorted.filter((f) => f.severity === "error").length;
  const first = Math.max(most_findings, errors);
  const list = (of: typeof sorted) => (
    <ul class="findings">
      {of.map((f, i) => (
        <li key={i}><strong>{f.severity}</strong> <code>{f.rule}</code>{f.published && " (the format's own checker)"} {f.message} {f.file && <code>{f.file}{f.line ? `:${f.line}` : ""}</code>}</li>
      ))}
    </ul>
  );
  return (
    <>
      {list(sorted.slice(0, first))}
      {sorted.length > first && <details><summary>{counted(sorted.length - first, "other finding")}</summary>{list(sorted.slice(first))}</details>}
    </>
  );
}

/// `head`: where the chain of the artifact's log must end, if that is known. `at_once`: without a click.
export function Question({ what, path, head, at_once }: { what: keyof typeof questions; path: string; head?: string; at_once?: boolean }) {
  const [found, set_found] = useState<Findings | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const look = async (): Promise<void> => {
    set_busy(true);
    set_refusal(null);
    try {
      const body = { path, ...(what === "audit" && head ? { head } : {}) };
      set_found(await post(`/artifacts/${what}`, {}, body));
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
    } finally {
      set_busy(false);
    }
  };
  useEffect(() => {
    if (at_once) void look();
  }, []);
  return (
    <div>
      <div class="tools">
        <button disabled={busy} onClick={() => void look()}>{busy ? "Looking…" : what}</button>
        <span>{questions[what]}</span>
        {found ? <Pill word={found.ok ? "ok" : "problems"} /> : <span class="muted">not checked yet</span>}
      </div>
      <Refused refusal={refusal} />
      {found && found.findings.length === 0 && <p class="muted">Nothing was found.</p>}
      {found && <FindingsList findings={found.findings} />}
      {found && <ul class="muted">{found.not_verified.map((what, i) => <li key={i}>Not verified: {what}</li>)}</ul>}
    </div>
  );
}

/// Studies of this home that reproduce it, and the button that starts one.
function Reproductions({ study, read_only }: { study: Study; read_only: boolean }) {
  const asked = useAsked(`reproductions of ${study.head}`, () => get("/studies", { limit: 1000, order: "newest" }));
  const [chosen, set_chosen] = useState<string[]>([]);
  const known = (asked.value?.items ?? []).filter((s) => s.reproduces === study.head);
  useLive(null, (news) => {
    if (news.anything || news.types.has("StudyOpened") || news.types.has("StudyEnded")) asked.again();
  });
  const toggle = (id: string): void => set_chosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2));
  return (
    <Panel title="Run again">
      <div class="tools">
        {!read_only && <Reproduce path={study.artifact!} />}
        <span>Does the study give the same values when it is run again?</span>
        {chosen.length === 2 && <a href={`#/reproductions/${chosen[0]}/${chosen[1]}`}>{chosen[0]} compared with {chosen[1]}</a>}
      </div>
      <Refused refusal={asked.refusal} />
      {known.length === 0 ? <p class="muted">No reproduction in this home yet.</p> : (
        <ul class="plain">
          {known.map((s) => (
            <li key={s.id}>
              {known.length > 1 && <input type="checkbox" aria-label={`Compare ${s.id}`} checked={chosen.includes(s.id)} onChange={() => toggle(s.id)} />}{" "}
              <a href={`#/reproductions/${s.id}`}>{s.id}</a> <Stands study={s} /> <span class="muted">{when(s.opened)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function Artifact({ study, read_only }: { study: Study; read_only: boolean }) {
  if (!study.artifact) return <p class="empty">There is no report yet: it is written when the study ends.</p>;
  return (
    <>
      <Panel title="The artifact">
        <p><code>{study.artifact}</code>{!shared && <> <a href={`#/artifacts/${study.id}`}>What it states, and its files</a></>}</p>
        {shared ? <p class="muted">The artifact is not in this copy, so it cannot be checked here.</p> : (
          <>
            <Question what="check" path={study.artifact} />
            <Question what="audit" path={study.artifact} head={study.head} />
          </>
        )}
      </Panel>
      {!shared && <Reproductions study={study} read_only={read_only} />}
      {shared && !shared.report ? <p class="empty">The report is not in this copy.</p> : (
        <iframe class="report" title={`Report of ${study.title}`} sandbox="" src={shared ? "report.html" : `/api/v1/studies/${study.id}/report`} />
      )}
    </>
  );
}
