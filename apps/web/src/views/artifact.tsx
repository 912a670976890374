import { useState } from "preact/hooks";

import { post, Refusal } from "../api";
import { Panel, Pill, Refused } from "../parts/bits";
import type { Findings, Study } from "../shapes";

const questions = {
  check: "Is the artifact well formed and unchanged?",
  audit: "Does it say what its own record gives?",
} as const;

/// Asked of the kernel when a person asks: nothing that was not looked at reads as passed.
function Question({ what, study }: { what: keyof typeof questions; study: Study }) {
  const [found, set_found] = useState<Findings | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const look = async (): Promise<void> => {
    set_busy(true);
    set_refusal(null);
    try {
      const body = { path: study.artifact, ...(what === "audit" ? { head: study.head } : {}) };
      set_found(await post<Findings>(`/artifacts/${what}`, body));
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
    } finally {
      set_busy(false);
    }
  };
  return (
    <div>
      <div class="tools">
        <button disabled={busy} onClick={() => void look()}>{busy ? "Looking…" : what}</button>
        <span>{questions[what]}</span>
        {found ? <Pill word={found.ok ? "ok" : "wanting"} /> : <span class="muted">not looked at here</span>}
      </div>
      <Refused refusal={refusal} />
      {found && found.findings.length === 0 && <p class="muted">Nothing was found.</p>}
      <ul class="findings">
        {found?.findings.map((f, i) => (
          <li key={i}><strong>{f.severity}</strong> <code>{f.rule}</code> {f.message} {f.file && <code>{f.file}{f.line ? `:${f.line}` : ""}</code>}</li>
        ))}
      </ul>
    </div>
  );
}

export function Artifact({ study }: { study: Study }) {
  if (!study.artifact) return <p class="empty">There is no report yet: it is written when the study ends.</p>;
  return (
    <>
      <Panel title="The artifact">
        <p><code>{study.artifact}</code></p>
        <Question what="check" study={study} />
        <Question what="audit" study={study} />
      </Panel>
      <iframe class="report" title={`Report of ${study.title}`} sandbox="" src={`/api/v1/studies/${study.id}/report`} />
    </>
  );
}
