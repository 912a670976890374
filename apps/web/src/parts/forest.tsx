import type { Hypothesis } from "../shapes";
import { levels, number, probability } from "../words";
import { Pill } from "./bits";

const width = 240;
const height = 28;

interface Scale {
  relative: boolean;
  low: number;
  high: number;
}

const span = (h: Hypothesis, relative: boolean): [number | null, number | null] | null => (relative ? h.interval_relative : h.interval);
const effect = (h: Hypothesis, relative: boolean): number | null => (relative ? h.effect_relative : h.effect);

/// The value of no effect; for a slope, the hypothesised slope.
const compared_with = (h: Hypothesis): number => (h.kind === "slope" ? (h.value ?? 0) : 0);

/// One scale for each metric and kind of hypothesis; relative if all effects have relative values.
function scale_of(group: Hypothesis[]): Scale {
  const known = group.filter((h) => h.effect !== null);
  const relative = known.length > 0 && known.every((h) => h.effect_relative !== null && h.interval_relative);
  const values = known.flatMap((h) => [effect(h, relative), ...(span(h, relative) ?? [])]).filter((v): v is number => v !== null);
  const compared = group.map(compared_with);
  const low = Math.min(...compared, ...values);
  const high = Math.max(...compared, ...values);
  const room = (high - low || 1) * 0.06;
  return { relative, low: low - room, high: high + room };
}

function Row({ h, scale }: { h: Hypothesis; scale: Scale }) {
  const at = effect(h, scale.relative);
  if (at === null) return <span class="muted">not yet</span>;
  const x = (value: number): number => ((value - scale.low) / (scale.high - scale.low)) * width;
  const [low, high] = span(h, scale.relative) ?? [null, null];
  const left = low === null ? 0 : x(low);
  const right = high === null ? width : x(high);
  return (
    <svg class={`forest ${h.verdict ?? ""}`} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <line class="null" x1={x(compared_with(h))} x2={x(compared_with(h))} y1={0} y2={height} />
      <line class="interval" x1={left} x2={right} y1={height / 2} y2={height / 2} />
      {low !== null && <line class="interval" x1={left} x2={left} y1={height / 2 - 5} y2={height / 2 + 5} />}
      {high !== null && <line class="interval" x1={right} x2={right} y1={height / 2 - 5} y2={height / 2 + 5} />}
      <rect class="point" x={x(at) - 4} y={height / 2 - 4} width={8} height={8} />
    </svg>
  );
}

export function in_words(h: Hypothesis, relative: boolean, unit: string | null): string {
  const show = (v: number | null): string => (v === null ? "∞" : relative ? `${number(v * 100, 3)} %` : `${number(v, 3)}`);
  const at = effect(h, relative);
  if (at === null) return "–";
  const interval = span(h, relative);
  const shown_unit = relative || h.kind === "slope" || !unit ? "" : ` ${unit}`;
  return `${show(at)}${shown_unit}${interval ? ` [${show(interval[0])}, ${show(interval[1])}]` : ""}`;
}

/// `picked`: the hypothesis that the address names.
export function Forest({ hypotheses, units, picked }: { hypotheses: Hypothesis[]; units: Map<string, string | null>; picked: string | null }) {
  const groups = new Map<string, Hypothesis[]>();
  for (const h of hypotheses) {
    const key = `${h.metric}, ${h.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), h]);
  }
  return (
    <>
      {[...groups].map(([key, group]) => {
        const scale = scale_of(group);
        const what = group[0]?.kind === "slope" ? "slope" : scale.relative ? "relative effect" : "effect";
        return (
          <div class="scroll" key={key} role="region" aria-label={`Hypotheses: ${key}`} tabIndex={0}>
            <table class="hypotheses">
              <caption>{key.replace(", compare", "")}: {what} and interval; the dashed line is {group[0]?.kind === "slope" ? "the slope that was hypothesised" : "no effect"}</caption>
              <thead>
                <tr><th scope="col">Hypothesis</th><th scope="col">Effect</th><th scope="col">In numbers</th><th scope="col">Verdict</th><th scope="col">p</th><th scope="col">n</th></tr>
              </thead>
              <tbody>
                {group.map((h) => (
                  <tr key={h.id} id={`h-${h.id}`} class={h.id === picked ? "picked" : ""}>
                    <th scope="row"><strong>{h.id}</strong> {h.statement}
                      <details><summary>Why, and what is compared</summary>
                        {h.mechanism && <p>{h.mechanism}</p>}
                        <p>{levels(h.treatment)} {Object.keys(h.control).length > 0 && <>against {levels(h.control)}</>}{Object.keys(h.where).length > 0 && <>, where {levels(h.where)}</>}</p>
                        {h.reason && <p>{h.reason}</p>}
                        {h.warnings?.map((w) => <p class="warning" key={w}>{w}</p>)}
                      </details>
                    </th>
                    <td><Row h={h} scale={scale} /></td>
                    <td class="number">{in_words(h, scale.relative, units.get(h.metric) ?? null)}</td>
                    <td><Pill word={h.withdrawn ? "cancelled" : (h.verdict ?? h.status)} /></td>
                    <td class="number" data-name="p">{probability(h.p_corrected)}</td>
                    <td class="number" data-name="n">{h.n ? h.n.join(" + ") : "–"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      })}
    </>
  );
}
