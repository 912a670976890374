import { useEffect, useState } from "preact/hooks";

import { Refusal } from "../api";
import { all, get } from "../client";
import type { Moment, Past } from "../shapes";
import { plain, when } from "../words";
import { Refused } from "./bits";

const rest = 120; // While the slider is drawn, not every place is asked for.

function said(moment: Moment): string {
  const words = plain(moment.type.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase());
  return `${words}${moment.id ? ` ${moment.id}` : ""}${moment.title ? `: ${moment.title}` : ""}`;
}

/// The study's state after one of its events, which the kernel folds from the log; null for the present state.
export function TimeSlider({ id, show }: { id: string; show: (past: Past | null) => void }) {
  const [moments, set_moments] = useState<Moment[]>([]);
  const [at, set_at] = useState<number | null>(null); // Of the moments; null: now.
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  useEffect(() => {
    all("/studies/{id}/moments", { id }).then(set_moments, (error: unknown) => { if (error instanceof Refusal) set_refusal(error); });
  }, [id]);
  const moment = at === null ? undefined : moments[at];
  useEffect(() => {
    if (!moment) return show(null);
    let over = false;
    const timer = setTimeout(() => {
      get("/studies/{id}/past", { id, at: moment.seq }).then(
        (past) => { if (!over) { show(past); set_refusal(null); } },
        (error: unknown) => { if (!over && error instanceof Refusal) set_refusal(error); },
      );
    }, rest);
    return () => { over = true; clearTimeout(timer); };
  }, [moment?.seq]);
  const last = moments.length - 1;
  const place = at ?? last;
  const go = (to: number): void => set_at(Math.min(Math.max(to, 0), last));
  if (last < 0) return <Refused refusal={refusal} />;
  return (
    <section class="panel time" aria-label="Looking back">
      <div class="tools">
        <button onClick={() => go(place - 1)} disabled={place <= 0} aria-label="The moment before">◂</button>
        <input type="range" min={0} max={last} value={place} aria-label="Moment" aria-valuetext={moment ? said(moment) : "now"} onInput={(e) => go(Number(e.currentTarget.value))} />
        <button onClick={() => go(place + 1)} disabled={place >= last} aria-label="The moment after">▸</button>
        <button onClick={() => set_at(null)} disabled={at === null}>Now</button>
      </div>
      <p role="status">{moment ? <><strong>After event {moment.seq}</strong> of {when(moment.time)}, by {moment.actor}: {said(moment)}</> : "This is the present state. Move the slider to see what was known after an earlier event."}</p>
      <Refused refusal={refusal} />
    </section>
  );
}
