import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { get } from "../client";
import { useAsked, useLive } from "../hooks";
import { Connection, Panel, Pill, Refused } from "../parts/bits";
import { level_words } from "../parts/forest";
import type { Reproduction, Result } from "../shapes";
import { duration, number, plain, probability } from "../words";

/// The longest list that is shown; the report of the reproduction's artifact has all rows.
const most_runs = 100;

function found(of: Result | null): string {
  if (!of?.verdict) return "no result";
  const [low, high] = of.interval ?? [null, null];
  const effect = of.effect === null || of.effect === undefined ? "" : `, ${number(of.effect)} [${number(low)}, ${number(high)}]${level_words(of.level)}, p ${probability(of.p ?? null)}`;
  return plain(of.verdict) + effect;
}

/// The recorded values have a column, too.
const beside_record = (all: Reproduction[]): string => (all.length > 1 ? "sides three" : "sides");

const in_plural: Record<string, string> = { agrees: "agree", differs: "differ" };

function Heads({ all, first }: { all: Reproduction[]; first: string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col"><span class="hidden">What</span></th>
        {first.map((name) => <th key={name} scope="col">{name}</th>)}
        {all.map((one) => <th key={one.study} scope="col"><a href={`#/studies/${one.study}`}>{one.study}</a></th>)}
      </tr>
    </thead>
  );
}

function Whole({ all }: { all: Reproduction[] }) {
  const row = (name: string, of: (one: Reproduction) => ComponentChildren) => (
    <tr><th scope="row">{name}</th>{all.map((one) => <td key={one.study}>{of(one)}</td>)}</tr>
  );
  return (
    <Panel title="Summary">
      <div class="scroll" role="region" aria-label="Summary" tabIndex={0}>
        <table class="sides">
          <Heads all={all} first={[]} />
          <tbody>
            {row("outcome", (one) => <><Pill word={one.outcome} />{one.state !== "ended" && <span class="muted"> so far: {one.state}</span>}</>)}
            {row("artifact", (one) => <code>{one.artifact}</code>)}
            {row("recorded study", (one) => <>{one.recorded.study} <code>{one.recorded.head.slice(0, 16)}</code></>)}
            {row("seeds", (one) => (one.seeds === "same" ? "the recorded ones" : one.seeds === "fresh" ? "fresh ones, so the effects are measured again" : one.seeds))}
            {row("sample", (one) => one.sample?.text ?? "none: all runs of the design")}
            {row("runs", (one) => Object.entries(one.run_counts).filter(([, count]) => count > 0).map(([what, count]) => `${number(count)} ${plain(count === 1 ? what : (in_plural[what] ?? what))}`).join(", ") || "none")}
            {row("time in runs", (one) => `${duration(one.run_s.observed)}, recorded ${duration(one.run_s.recorded)}`)}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Claims({ all }: { all: Reproduction[] }) {
  const ids = [...new Set(all.flatMap((one) => one.claims.map((c) => c.id)))];
  return (
    <Panel title="Claims">
      {ids.length === 0 ? <p class="empty">No claim was chosen.</p> : (
        <div class="scroll" role="region" aria-label="Claims" tabIndex={0}>
          <table class={beside_record(all)}>
            <Heads all={all} first={["recorded"]} />
            <tbody>
              {ids.map((id) => {
                const of = all.map((one) => one.claims.find((c) => c.id === id));
                const any = of.find((c) => c)!;
                return (
                  <tr key={id} class={new Set(of.map((c) => c?.outcome)).size > 1 ? "differs" : ""}>
                    <th scope="row">{id}<div class="muted">{any.hypothesis}</div></th>
                    <td>{found(any.recorded)}</td>
                    {of.map((c, i) => (
                      <td key={i}>{c ? <><Pill word={c.outcome} /> {found(c.observed)}<div class="muted">{c.reason}</div></> : <span class="muted">not asked for</span>}</td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/// Runs with another result in any of the reproductions.
function Runs({ all }: { all: Reproduction[] }) {
  const by_run = all.map((one) => new Map(one.runs.map((run) => [run.recorded, run])));
  const odd = [...new Set(all.flatMap((one) => one.runs.filter((run) => run.outcome !== "agrees").map((run) => run.recorded)))];
  return (
    <Panel title="Runs that do not agree">
      {odd.length === 0 ? <p class="empty">None.</p> : (
        <div class="scroll" role="region" aria-label="Runs that do not agree" tabIndex={0}>
          <table class="sides">
            <Heads all={all} first={[]} />
            <tbody>
              {odd.slice(0, most_runs).map((id) => (
                <tr key={id}>
                  <th scope="row">{id}</th>
                  {by_run.map((runs, i) => {
                    const run = runs.get(id);
                    return <td key={i}>{run ? <><Pill word={run.outcome} /> {run.observed && <a href={`#/runs/${run.observed}`}>{run.observed}</a>} <span class="muted">{run.reason}</span></> : <span class="muted">not chosen</span>}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
          {odd.length > most_runs && <p class="muted">And {number(odd.length - most_runs)} more: the report has them all.</p>}
        </div>
      )}
    </Panel>
  );
}

function Environment({ all }: { all: Reproduction[] }) {
  const whats = [...new Set(all.flatMap((one) => one.environment.map((d) => d.what)))];
  const recorded = new Map(all.flatMap((one) => one.environment.map((d) => [d.what, d.recorded])));
  return (
    <Panel title="Differences in the environment">
      {whats.length === 0 ? <p class="empty">No recorded difference.</p> : (
        <div class="scroll" role="region" aria-label="Differences in the environment" tabIndex={0}>
          <table class={beside_record(all)}>
            <Heads all={all} first={["recorded"]} />
            <tbody>
              {whats.map((what) => (
                <tr key={what}>
                  <th scope="row">{what}</th>
                  <td><code>{recorded.get(what) || "–"}</code></td>
                  {all.map((one) => <td key={one.study}><code>{one.environment.find((d) => d.what === what)?.observed ?? "as recorded"}</code></td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/// The result of one reproduction, or of two side by side.
export function ReproductionView({ ids }: { ids: string[] }) {
  const asked = useAsked(ids.join(" "), () => Promise.all(ids.map((id) => get("/reproductions/{id}", { id }))));
  // Each answer compares all runs, so it is requested at most every two seconds.
  const waiting = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  const live = useLive(null, (news) => {
    if (!news.anything && !ids.some((id) => news.studies.has(id))) return;
    waiting.current ??= window.setTimeout(() => {
      waiting.current = undefined;
      asked.again();
    }, 2000);
  });
  if (!asked.value) return asked.refusal ? <Refused refusal={asked.refusal} /> : <p class="muted" role="status">…</p>;
  const all = asked.value;
  const title = ids.length > 1 ? `${ids.join(" compared with ")}` : `Reproduction ${ids[0]}`;
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / {title}</p>
      <div class="head"><h1>{title}</h1><Connection live={live} /></div>
      {all.flatMap((one) => one.untrue.map((u) => <p key={`${one.study} ${u.what}`} class="refused" role="alert"><strong>{one.study}</strong>: {u.what}</p>))}
      <Whole all={all} />
      <Claims all={all} />
      <Runs all={all} />
      <Environment all={all} />
    </>
  );
}
