import { get } from "../client";
import { useAsked, useLive } from "../hooks";
import { Connection, Panel, Pill, Refused } from "../parts/bits";
import { standing } from "../standing";
import { in_words } from "../parts/forest";
import { Term } from "../parts/term";
import type { Hypothesis, Opening, Study } from "../shapes";
import { counted, duration, levels, number, probability } from "../words";

type Factor = Opening["spec"]["factors"][number];
type RecordedLevel = Factor["levels"][number];
type Scalar = RecordedLevel["value"];

interface Side {
  study: Study;
  opening: Opening;
}

async function side_of(id: string): Promise<Side> {
  const [study, opening] = await Promise.all([get("/studies/{id}", { id }), get("/studies/{id}/opening", { id })]);
  return { study, opening };
}

/// Pairs the hypotheses of two studies by their tests, not by their ids.
function key_of(h: Hypothesis): string {
  return JSON.stringify([h.kind, h.metric, h.direction, sorted(h.treatment), sorted(h.control), sorted(h.where)]);
}

function sorted(of: object): [string, unknown][] {
  return Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1));
}

interface Pair {
  key: string;
  sides: [Hypothesis | undefined, Hypothesis | undefined];
}

function pairs_of(first: Hypothesis[], second: Hypothesis[]): Pair[] {
  const pairs = new Map<string, Pair>();
  [first, second].forEach((list, side) => {
    const seen = new Map<string, number>();
    for (const h of list) {
      const plain_key = key_of(h);
      const nth = seen.get(plain_key) ?? 0;
      seen.set(plain_key, nth + 1);
      const key = `${plain_key} ${nth}`;
      const pair = pairs.get(key) ?? { key, sides: [undefined, undefined] };
      pair.sides[side] = h;
      pairs.set(key, pair);
    }
  });
  return [...pairs.values()];
}

function Result({ h, units }: { h: Hypothesis | undefined; units: Map<string, string | null> }) {
  if (!h) return <td class="muted">not tested</td>;
  const relative = h.effect_relative !== null && h.interval_relative !== null;
  return (
    <td>
      <Pill word={h.withdrawn ? "cancelled" : (h.verdict ?? h.status)} /> <span class="number">{in_words(h, relative, units.get(h.metric) ?? null)}</span>
      <div class="muted">{h.id}, <Term of="p">p</Term> {probability(h.p_corrected)}, <Term of="n">n</Term> {h.n ? h.n.join(" + ") : "–"}</div>
    </td>
  );
}

/// The leaves of a document by their addresses. A list of plain values is one leaf; a member without a value is none.
function leaves(of: unknown, at: string, into: Map<string, string>): void {
  const deeper = typeof of === "object" && of !== null && !(Array.isArray(of) && of.every((one) => typeof one !== "object"));
  if (of === null || of === "" || (Array.isArray(of) && of.length === 0)) return;
  if (!deeper) {
    into.set(at, typeof of === "string" ? of : JSON.stringify(of));
    return;
  }
  for (const [name, value] of Object.entries(of as object)) leaves(value, at ? `${at}.${name}` : name, into);
}

/// "0.1", or "small (width = 8, depth = 2)" of a level that sets several values.
function level_text(level: RecordedLevel): string {
  const parts = Object.entries(level.bundle).map(([name, value]) => `${name} = ${scalar_text(value)}`);
  return parts.length > 0 ? `${level.name} (${parts.join(", ")})` : level.name;
}

function scalar_text(value: Scalar): string {
  return String(value.text || (value.number ?? ""));
}

/// A factor's levels as a line each, by their numbers.
function factor_leaves({ name, levels: all, ...rest }: Factor): Record<string, unknown> {
  return { ...Object.fromEntries(all.map((level, i) => [`factor ${name}, level ${i + 1}`, level_text(level)])), [`factor ${name}`]: rest };
}

function differences(first: Side, second: Side): [string, string | undefined, string | undefined][] {
  const [a, b] = [first, second].map(({ opening }) => {
    const found = new Map<string, string>();
    const { factors, constants, ...spec } = opening.spec;
    for (const factor of factors) leaves(factor_leaves(factor), "", found);
    for (const [name, value] of Object.entries(constants)) found.set(`constant ${name}`, scalar_text(value));
    leaves({ ...spec, data: opening.data, jobs: opening.jobs }, "", found);
    return found;
  }) as [Map<string, string>, Map<string, string>];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names.filter((name) => a.get(name) !== b.get(name)).map((name) => [name, a.get(name), b.get(name)]);
}

function Row({ name, values }: { name: string; values: string[] }) {
  return (
    <tr class={new Set(values).size > 1 ? "differs" : ""}>
      <th scope="row">{name}</th>
      {values.map((value, i) => <td key={i}>{value}</td>)}
    </tr>
  );
}

function Heads({ sides }: { sides: [Side, Side] }) {
  return <thead><tr><th scope="col"><span class="hidden">What</span></th>{sides.map(({ study }) => <th key={study.id} scope="col"><a href={`#/studies/${study.id}`}>{study.id}</a></th>)}</tr></thead>;
}

function Whole({ sides }: { sides: [Side, Side] }) {
  const row = (name: string, of: (side: Side) => string) => <Row name={name} values={sides.map(of)} />;
  return (
    <Panel title="Summary">
      <div class="scroll" role="region" aria-label="Both studies" tabIndex={0}>
        <table class="sides">
          <Heads sides={sides} />
          <tbody>
            {row("title", ({ study }) => study.title)}
            {row("question", ({ study }) => study.question)}
            {row("state", ({ study }) => standing(study).words)}
            {row("code", ({ opening }) => opening.workspace?.slice(0, 16) ?? "none")}
            {row("runs that succeeded", ({ study }) => (study.runs.total ? `${number(study.runs.succeeded)} of ${number(study.runs.total)}` : "none yet"))}
            {row("wall time", ({ study }) => duration(study.ledger.wall_s.spent))}
            {row("energy", ({ study }) => (study.ledger.energy_j.spent === null ? "not measured" : `${number(study.ledger.energy_j.spent, 3)} J`))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

const most_settings = 12;

function Settings({ sides, rows }: { sides: [Side, Side]; rows: [string, string | undefined, string | undefined][] }) {
  return (
    <div class="scroll" role="region" aria-label="Settings that differ" tabIndex={0}>
      <table class="sides">
        <Heads sides={sides} />
        <tbody>{rows.map(([name, a, b]) => <tr key={name}><th scope="row"><code>{name}</code></th><td><code>{a ?? "–"}</code></td><td><code>{b ?? "–"}</code></td></tr>)}</tbody>
      </table>
    </div>
  );
}

/// Two studies side by side: their results on the same questions, and their differences.
export function CompareView({ first, second }: { first: string; second: string }) {
  const asked = useAsked(`${first} ${second}`, () => Promise.all([side_of(first), side_of(second)]));
  const live = useLive(null, (news) => {
    if (news.anything || news.studies.has(first) || news.studies.has(second)) asked.again();
  });
  if (!asked.value) return asked.refusal ? <Refused refusal={asked.refusal} /> : <p class="muted" role="status">…</p>;
  const sides = asked.value;
  const pairs = pairs_of(sides[0].study.hypotheses ?? [], sides[1].study.hypotheses ?? []);
  const units = sides.map(({ study }) => new Map(study.metrics.map((m) => [m.name, m.unit])));
  const different = differences(...sides);
  return (
    <>
      <p class="crumbs"><a href="#/">Studies</a> / {first} compared with {second}</p>
      <div class="head"><h1>{first} compared with {second}</h1><Connection live={live} /></div>
      <Whole sides={sides} />
      <Panel title="Hypotheses">
        {pairs.length === 0 ? <p class="empty">Neither study has a hypothesis yet.</p> : (
          <div class="scroll" role="region" aria-label="Hypotheses of both" tabIndex={0}>
            <table class="sides">
              <Heads sides={sides} />
              <tbody>
                {pairs.map(({ key, sides: [a, b] }) => (
                  <tr key={key} class={a && b && a.verdict !== b.verdict ? "differs" : ""}>
                    <th scope="row">{(a ?? b)!.statement}<div class="muted">{[(a ?? b)!.metric, levels((a ?? b)!.treatment)].filter(Boolean).join(": ")}</div></th>
                    <Result h={a} units={units[0]!} />
                    <Result h={b} units={units[1]!} />
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      <Panel title="Settings that differ">
        {different.length === 0 ? <p class="empty">None: they were opened with the same settings.</p> : (
          <>
            <Settings sides={sides} rows={different.slice(0, most_settings)} />
            {different.length > most_settings && <details><summary>{counted(different.length - most_settings, "other setting")}</summary><Settings sides={sides} rows={different.slice(most_settings)} /></details>}
          </>
        )}
      </Panel>
    </>
  );
}
