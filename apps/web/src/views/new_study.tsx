// A study from a template, from an earlier study, or from a file that is dropped or chosen; checked while it is written.

import { useEffect, useRef, useState } from "preact/hooks";

import { type Problem, Refusal } from "../api";
import { get, post } from "../client";
import { useAsked, useRequest } from "../hooks";
import { Refused } from "../parts/bits";
import { Editor } from "../parts/editor";
import { Term } from "../parts/term";
import { Commands, energy_words, range, time_words } from "../parts/gates";
import { TryOne } from "../parts/try";
import type { BegunFolder, Plan, PlannedHypothesis } from "../shapes";
import { counted, levels, number } from "../words";

const blank = `etude: 1
title:
question:
run: python3 experiment.py --arm {arm} --seed {seed}
factors:
  arm: {levels: [old, new], baseline: old}
metrics:
  time_ms: {unit: ms, goal: minimize, primary: true}
`;

const check_after = 300; // Milliseconds without a change.

interface Checked {
  problem: Problem | null;
  warnings: string[];
  plan: Plan | null;
}

/// What the kernel says of the text: its first error, or its plan, which needs the folder. Asked for after each pause in writing.
function useChecked(text: string, folder: string, jobs: string): Checked | null {
  const [checked, set_checked] = useState<Checked | null>(null);
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    const current = (): boolean => mine === turn.current;
    const placed = folder.startsWith("/");
    const ask = async (): Promise<void> => {
      const body = { text, ...(placed ? { folder } : {}), ...(jobs ? { jobs: Number(jobs) } : {}) };
      const found = await post("/validate", {}, body);
      const problem = found.problems[0] ?? null;
      if (current()) set_checked((before) => ({ problem, warnings: found.warnings, plan: problem && placed ? (before?.plan ?? null) : null }));
      if (problem || !placed || !current()) return;
      const plan = await post("/plan", {}, body);
      if (current()) set_checked({ problem: null, warnings: plan.warnings, plan });
    };
    const timer = setTimeout(() => void ask().catch((error: unknown) => {
      if (current() && error instanceof Refusal) set_checked({ problem: error.problem, warnings: [], plan: null });
    }), check_after);
    return () => clearTimeout(timer);
  }, [text, folder, jobs]);
  return checked;
}

/// Empty for a slope, which compares no arms.
function arms_words(h: PlannedHypothesis): string {
  return [levels(h.treatment), levels(h.control)].filter(Boolean).join(" against ");
}

function PlanBeside({ plan, warnings }: { plan: Plan; warnings: string[] }) {
  const { runs, cost } = plan;
  const parts: [string, string | null, string?][] = [
    ["manipulation check", runs.smoke ? number(runs.smoke) : null, "manipulation check"], ["pilot", runs.pilot ? number(runs.pilot) : null, "pilot"],
    ["warm-up", runs.warmup ? number(runs.warmup) : null], ["selection, at most", runs.search ? number(runs.search) : null],
    [plan.kind === "test" ? "registered" : "confirmation", range(runs.registered), plan.kind === "test" ? "registration" : "confirmation"],
    ["control against itself", runs.aa.max ? range(runs.aa) : null, "A/A comparison"], ["repeats", runs.repeat ? number(runs.repeat) : null],
  ];
  return (
    <>
      <p class="allows"><strong>{range(runs.total)} runs{plan.budget.runs !== null && ` of ${number(plan.budget.runs)} in the budget`}</strong></p>
      <dl class="facts">
        <dt>Runs</dt><dd>{parts.filter(([, count]) => count).map(([what, count, term], i) => <>{i > 0 && ", "}{term ? <Term of={term}>{what}</Term> : what} {count}</>)}</dd>
        <dt>Time</dt><dd>{time_words(cost)}</dd>
        <dt>Money</dt><dd>{cost.usd === 0 ? "none: no model is asked" : (cost.note ?? "").split(";")[0]}</dd>
        <dt>Energy</dt><dd>{energy_words(cost)}</dd>
        <dt>Commands</dt><dd>{plan.cells[0] ? <Commands cells={plan.cells} /> : "–"}</dd>
        {plan.left_out.count > 0 && <><dt>Left out</dt><dd>{counted(plan.left_out.count, "file")} of the folder, by .gitignore or .etudeignore</dd></>}
      </dl>
      {plan.budget.shortfall && <p class="warning">{plan.budget.shortfall}</p>}
      <h3>{plan.hypotheses.length === 1 ? "1 hypothesis" : `${plan.hypotheses.length} hypotheses`}, a <Term of="family">family</Term> of {plan.family}</h3>
      <ul class="plain">
        {plan.hypotheses.map((h) => (
          <li key={h.id}>{h.id}: {h.statement}{h.derived && <span class="muted"> (derived)</span>}
            <div class="muted">{[arms_words(h), `${range(h.replicates)} replicates`].filter(Boolean).join(", ")}. {h.note}</div>
          </li>
        ))}
      </ul>
      {warnings.length > 0 && <details open={warnings.length < 4}><summary>{counted(warnings.length, "warning")}</summary><ul>{warnings.map((words) => <li key={words}>{words}</li>)}</ul></details>}
    </>
  );
}

function Beside({ checked, folder }: { checked: Checked | null; folder: string }) {
  return (
    <section class="plan" aria-label="Plan">
      <h3>Plan</h3>
      {!folder.startsWith("/") && <p class="muted">Name the folder with the code to see the plan. Until then, files that the study file names by a relative path are not found.</p>}
      {!checked && <p class="muted" role="status">…</p>}
      {checked?.problem && (
        <div class="refused" role="status">
          <strong>{checked.problem.what || checked.problem.title}</strong>{checked.problem.what && checked.problem.why && `: ${checked.problem.why}`}
          {checked.problem.line ? <div class="place">line {checked.problem.line}</div> : null}
          {checked.problem.todo && <div>{checked.problem.todo}</div>}
        </div>
      )}
      {checked && !checked.problem && <p class="muted" role="status">The file is valid.</p>}
      {checked?.plan && <div class={checked.problem ? "outdated" : ""}>{checked.problem && <p class="muted">The plan of the last valid text:</p>}<PlanBeside plan={checked.plan} warnings={checked.warnings} /></div>}
    </section>
  );
}

/// "My study" of `title: My study`.
function title_of(text: string): string {
  return /^title:\s*(.+)$/m.exec(text)?.[1] ?? "";
}

function folder_of(file: string): string {
  return file.slice(0, file.lastIndexOf("/"));
}

export function NewStudy() {
  const [text, set_text] = useState(blank);
  const [folder, set_folder] = useState("");
  const [jobs, set_jobs] = useState("");
  const [over, set_over] = useState(false);
  const [busy, set_busy] = useState(false);
  const [template, set_template] = useState<string | null>(null);
  const [made, set_made] = useState<BegunFolder | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [refused_folder, set_refused_folder] = useState("");
  const templates = useAsked("templates", () => get("/templates"));
  const earlier = useAsked("earlier", () => get("/studies", { limit: 100, order: "newest" }));
  const checked = useChecked(text, folder, jobs);
  const take = async (files: FileList | null | undefined): Promise<void> => {
    const file = files?.[0];
    if (!file) return;
    set_template(null);
    set_text(await file.text());
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    set_busy(true);
    set_refusal(null);
    try {
      await work();
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
    } finally {
      set_busy(false);
    }
  };
  const body = { text, folder, ...(jobs ? { jobs: Number(jobs) } : {}) };
  const request = useRequest(JSON.stringify(body));
  const start = (): Promise<void> => guarded(async () => {
    const { id } = await post("/studies", {}, { ...body, request });
    location.hash = `#/studies/${id}`;
  });
  const begin_from = (choice: string): void => {
    set_made(null);
    set_template(null);
    if (choice === "") return set_text(blank);
    const [what, name] = [choice.slice(0, choice.indexOf(":")), choice.slice(choice.indexOf(":") + 1)];
    if (what === "template") {
      set_template(name);
      return set_text(templates.value?.items.find((one) => one.name === name)?.text ?? blank);
    }
    void guarded(async () => {
      const opening = await get("/studies/{id}/opening", { id: name });
      set_text(opening.text);
      set_folder(folder_of(earlier.value?.items.find((study) => study.id === name)?.study_file ?? ""));
    });
  };
  /// Not offered for the folder of an earlier study, nor for one that was refused.
  const taken = [refused_folder, ...(earlier.value?.items ?? []).map((study) => folder_of(study.study_file))].includes(folder.replace(/\/+$/, ""));
  const make_folder = (): Promise<void> => guarded(async () => {
    const begun = await post("/folders", {}, { folder, ...(template ? { template } : {}) }).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 409) set_refused_folder(folder.replace(/\/+$/, ""));
      throw error;
    });
    set_made(begun);
    set_template(null);
    set_text(begun.text);
  });
  const files = templates.value?.items.find((one) => one.name === template)?.files.filter((name) => name !== "study.yaml") ?? [];
  return (
    <form class={`panel new-study ${over ? "over" : ""}`} onSubmit={(e) => { e.preventDefault(); void start(); }}
      onDragOver={(e) => { e.preventDefault(); set_over(true); }} onDragLeave={() => set_over(false)}
      onDrop={(e) => { e.preventDefault(); set_over(false); void take(e.dataTransfer?.files); }}>
      <h2>New study</h2>
      <p class="muted">Drop a study file here, choose one, start from another, or write it.</p>
      <div class="tools">
        <label>Start from <select onChange={(e) => begin_from(e.currentTarget.value)}>
          <option value="">an empty file</option>
          {[false, true].map((example) => (
            <optgroup key={String(example)} label={example ? "Examples" : "Templates"}>
              {templates.value?.items.filter((one) => one.example === example).map((one) => <option key={one.name} value={`template:${one.name}`}>{one.name}: {title_of(one.text)}</option>)}
            </optgroup>
          ))}
          {(earlier.value?.items.length ?? 0) > 0 && (
            <optgroup label="Earlier studies">
              {earlier.value?.items.map((study) => <option key={study.id} value={`study:${study.id}`}>{study.id}: {study.title}</option>)}
            </optgroup>
          )}
        </select></label>
        <input type="file" accept=".yaml,.yml" aria-label="Choose a study file" onChange={(e) => void take(e.currentTarget.files)} />
      </div>
      <label class="field">Folder on the kernel's machine that holds the code (absolute)
        <input type="text" required value={folder} placeholder="/home/you/experiment" onInput={(e) => set_folder(e.currentTarget.value)} />
      </label>
      {template && !taken && <p><button type="button" disabled={busy || !folder.startsWith("/")} onClick={() => void make_folder()}>Make this folder</button> <span class="muted">new or empty, with study.yaml and {files.join(", ")}</span></p>}
      {made && <p class="muted" role="status">Made {made.folder} with {made.files.join(", ")}. Changes of the study file here are used for this study; the file there stays as it is.</p>}
      <div class="editor-and-plan">
        <Editor label="Study file" rows={26} value={text} wrong={checked?.problem?.line ?? null} change={set_text} />
        <div>
          <Beside checked={checked} folder={folder} />
          {checked && !checked.problem && folder.startsWith("/") && <TryOne text={text} folder={folder} cells={checked.plan?.cells ?? []} />}
        </div>
      </div>
      <label class="field short">Runs at once
        <input type="number" min={1} max={4096} value={jobs} placeholder="as the cores allow" onInput={(e) => set_jobs(e.currentTarget.value)} />
      </label>
      <Refused refusal={refusal} />
      <button class="primary" disabled={busy}>{busy ? "Starting…" : "Start"}</button>
    </form>
  );
}
