import { useState } from "preact/hooks";

import { post, Refusal } from "../api";
import { Refused } from "../parts/bits";
import type { Study } from "../shapes";

const blank = `etude: 1
title:
question:
run: python3 experiment.py --arm {arm} --seed {seed}
factors:
  arm: {levels: [old, new], baseline: old}
metrics:
  time_ms: {unit: ms, goal: minimize, primary: true}
`;

/// A study file that was dropped, chosen or written. The kernel reports errors with the messages of the command line.
export function NewStudy() {
  const [text, set_text] = useState(blank);
  const [folder, set_folder] = useState("");
  const [jobs, set_jobs] = useState("");
  const [over, set_over] = useState(false);
  const [busy, set_busy] = useState(false);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const take = async (files: FileList | null | undefined): Promise<void> => {
    const file = files?.[0];
    if (file) set_text(await file.text());
  };
  const start = async (): Promise<void> => {
    set_busy(true);
    set_refusal(null);
    try {
      const { id } = await post<Study>("/studies", { text, folder, ...(jobs ? { jobs: Number(jobs) } : {}) });
      location.hash = `#/studies/${id}`;
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
    } finally {
      set_busy(false);
    }
  };
  return (
    <form class={`panel new-study ${over ? "over" : ""}`} onSubmit={(e) => { e.preventDefault(); void start(); }}
      onDragOver={(e) => { e.preventDefault(); set_over(true); }} onDragLeave={() => set_over(false)}
      onDrop={(e) => { e.preventDefault(); set_over(false); void take(e.dataTransfer?.files); }}>
      <h2>New study</h2>
      <p class="muted">Drop a study file here, choose one, or write it.</p>
      <input type="file" accept=".yaml,.yml" aria-label="Choose a study file" onChange={(e) => void take(e.currentTarget.files)} />
      <label class="field">Folder on the kernel's machine that holds the code (absolute)
        <input type="text" required value={folder} placeholder="/home/you/experiment" onInput={(e) => set_folder(e.currentTarget.value)} />
      </label>
      <label class="field">Study file
        <textarea rows={14} spellcheck={false} value={text} onInput={(e) => set_text(e.currentTarget.value)} />
      </label>
      <label class="field short">Runs at once
        <input type="number" min={1} max={4096} value={jobs} placeholder="as the cores allow" onInput={(e) => set_jobs(e.currentTarget.value)} />
      </label>
      <Refused refusal={refusal} />
      <button class="primary" disabled={busy}>{busy ? "Starting…" : "Start"}</button>
    </form>
  );
}
