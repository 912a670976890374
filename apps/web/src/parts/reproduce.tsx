// Asks what of an artifact is to be run again, and shows what that takes before anything starts.

import { useEffect, useRef, useState } from "preact/hooks";

import { Refusal } from "../api";
import { type Body, post } from "../client";
import { useRequest } from "../hooks";
import type { AgainCost } from "../shapes";
import { counted, duration, number } from "../words";
import { Refused } from "./bits";

const ask_after = 250; // Milliseconds without a change.

interface Choice {
  claims: string[];
  fresh: boolean;
  sample: string;
  seed: string;
  jobs: string;
}

function chance(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

function body_of(path: string, { claims, fresh, sample, seed, jobs }: Choice): Body<"/artifacts/reproduce"> {
  return { path, seeds: fresh ? "fresh" : "same", ...(claims.length > 0 ? { claims } : {}), ...(sample ? { sample: Number(sample) } : {}), ...(seed ? { seed: Number(seed) } : {}), ...(jobs ? { jobs: Number(jobs) } : {}) };
}

function Cost({ cost }: { cost: AgainCost }) {
  const { budget } = cost;
  const short = [
    budget.runs !== null && cost.runs > budget.runs ? `it allows ${counted(budget.runs, "run")}` : "",
    budget.wall_s !== null && cost.wall_s > budget.wall_s ? `it allows ${duration(budget.wall_s)}` : "",
  ].filter(Boolean);
  return (
    <div role="status" class="cost">
      <p class="allows"><strong>{number(cost.runs)} of {counted(cost.of, "run")}, about {duration(cost.wall_s)}</strong></p>
      <p class="muted">The runs took {duration(cost.run_s)} when they were recorded, the longest one {duration(cost.longest_s)}; {number(cost.jobs)} at a time on an equally fast machine{cost.gpu_hours > 0 && `; ${number(cost.gpu_hours, 3)} GPU hours`}. No model is asked, so it costs no money.</p>
      {short.length > 0 && <p class="warning">The budget is too small: {short.join("; ")}.</p>}
      {cost.untrue.length > 0 && <ul class="warning">{cost.untrue.map((what) => <li key={what}>{what}</li>)}</ul>}
      {cost.notes.length > 0 && <ul class="muted">{cost.notes.map((what) => <li key={what}>{what}</li>)}</ul>}
    </div>
  );
}

function Form({ path, close }: { path: string; close: () => void }) {
  const [choice, set_choice] = useState<Choice>(() => ({ claims: [], fresh: false, sample: "", seed: chance(), jobs: "" }));
  const [cost, set_cost] = useState<AgainCost | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const turn = useRef(0);
  const known = useRef<AgainCost | null>(null);
  const change = (next: Partial<Choice>): void => {
    set_choice({ ...choice, ...next });
    set_cost(null);
  };
  useEffect(() => {
    const mine = ++turn.current;
    const ask = (): void => void post("/artifacts/cost", {}, body_of(path, choice)).then(
      (found) => { if (mine === turn.current) { known.current = found; set_cost(found); set_refusal(null); } },
      (error: unknown) => { if (mine === turn.current && error instanceof Refusal) set_refusal(error); },
    );
    const timer = setTimeout(ask, known.current ? ask_after : 0);
    return () => clearTimeout(timer);
  }, [choice]);
  const request = useRequest(JSON.stringify(choice));
  const start = async (): Promise<void> => {
    set_busy(true);
    try {
      const { id } = await post("/artifacts/reproduce", {}, { ...body_of(path, choice), request });
      location.hash = `#/reproductions/${id}`;
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
      set_busy(false);
    }
  };
  const toggle = (id: string): void => change({ claims: choice.claims.includes(id) ? choice.claims.filter((one) => one !== id) : [...choice.claims, id] });
  const claims = known.current?.claims ?? [];
  const by_chance = choice.fresh || choice.sample !== "";
  return (
    <form onSubmit={(e) => { e.preventDefault(); void start(); }}>
      <h2>Reproduce</h2>
      {claims.length > 0 && (
        <fieldset>
          <legend>Claims <span class="muted">(all, if none is chosen)</span></legend>
          {claims.map((claim) => <label key={claim.id}><input type="checkbox" checked={choice.claims.includes(claim.id)} onChange={() => toggle(claim.id)} /> {claim.id}: {claim.title}</label>)}
        </fieldset>
      )}
      <fieldset>
        <legend>Seeds</legend>
        <label><input type="radio" name="seeds" checked={!choice.fresh} onChange={() => change({ fresh: false })} /> recorded: the same runs again, each compared with the recorded one</label>
        <label><input type="radio" name="seeds" checked={choice.fresh} onChange={() => change({ fresh: true })} /> fresh: new seeds, so the effect is measured again</label>
      </fieldset>
      <div class="tools">
        <label class="field short">Only a sample of so many runs
          <input type="number" min={1} max={1_000_000} value={choice.sample} placeholder="all runs" onInput={(e) => change({ sample: e.currentTarget.value })} />
        </label>
        <label class="field short">Runs at once
          <input type="number" min={1} max={4096} value={choice.jobs} placeholder="as the cores allow" onInput={(e) => change({ jobs: e.currentTarget.value })} />
        </label>
        {by_chance && <label class="field short">{choice.fresh ? "Fresh seeds are" : "The sample is"} drawn with
          <input type="number" min={0} required value={choice.seed} onInput={(e) => change({ seed: e.currentTarget.value })} />
        </label>}
      </div>
      <Refused refusal={refusal} />
      {cost ? <Cost cost={cost} /> : !refusal && <p class="muted" role="status">Counting its runs…</p>}
      <div class="tools">
        <button class="primary" disabled={busy || !cost || refusal !== null}>{busy ? "Starting…" : "Start"}</button>
        <button type="button" onClick={close}>Not now</button>
      </div>
    </form>
  );
}

/// The button, and the dialog that it opens.
export function Reproduce({ path }: { path: string }) {
  const [open, set_open] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <button onClick={() => set_open(true)}>Reproduce…</button>
      {open && <dialog ref={dialog} class="reproduce" aria-label="Reproduce" onClose={() => set_open(false)}><Form path={path} close={() => dialog.current?.close()} /></dialog>}
    </>
  );
}
