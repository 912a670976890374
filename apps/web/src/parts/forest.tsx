import type { Hypothesis, Study } from "../shapes";
import { cautions_of } from "../standing";
import { levels, number, probability, unit_words } from "../words";
import { Pill } from "./bits";
import { Axis, type Scale, scale_of, x_of } from "./scale";
import { Term } from "./term";

const width = 240;
const height = 28;

/// The scale of a group of hypotheses.
type Shared = Scale & { relative: boolean };

const span = (h: Hypothesis, relative: boolean): [number | null, number | null] | null => (relative ? h.interval_relative : h.interval);
const effect = (h: Hypothesis, relative: boolean): number | null => (relative ? h.effect_relative : h.effect);

/// The value of no effect; for a slope, the hypothesised slope.
const compared_with = (h: Hypothesis): number => (h.kind === "slope" ? (h.value ?? 0) : 0);

/// What the hypothesis claims, as ranges of the effect; none where its margin is on another scale, or where all but one
/// value is claimed. `maximized`: whether its metric is to be large.
export function claimed(h: Hypothesis, relative: boolean, maximized: boolean): [number, number][] {
  const margin = h.margin === null ? 0 : relative ? h.margin.relative : h.margin.absolute;
  if (margin === undefined || h.kind === "crossover") return [];
  const at = compared_with(h);
  const below: [number, number] = [-Infinity, at - margin], above: [number, number] = [at + margin, Infinity];
  if (h.direction === "less") return [below];
  if (h.direction === "greater") return [above];
  if (h.direction === "not_worse") return [maximized ? [at - margin, Infinity] : [-Infinity, at + margin]];
  if (margin === 0) return [];
  return h.direction === "equal" ? [[at - margin, at + margin]] : [below, above];
}

/// Whether the effect is shown relative to the control: if the test is about a ratio.
export function is_relative(h: Hypothesis): boolean {
  return h.effect === null ? h.margin?.relative !== undefined : h.effect_relative !== null && h.interval_relative !== null;
}

/// One scale for each metric and kind of hypothesis, and of relative and absolute effects.
function shared_scale(group: Hypothesis[], maximized: boolean): Shared {
  const known = group.filter((h) => h.effect !== null);
  const relative = group.every(is_relative);
  const values = known.flatMap((h) => [effect(h, relative), ...(span(h, relative) ?? []), ...claimed(h, relative, maximized).flat()])
    .filter((v): v is number => v !== null && Number.isFinite(v));
  const compared = group.map(compared_with);
  return { ...scale_of([...compared, ...values], width), relative };
}

function Row({ h, scale, maximized }: { h: Hypothesis; scale: Shared; maximized: boolean }) {
  const at = effect(h, scale.relative);
  if (at === null) return <span class="muted">not yet</span>;
  const x = x_of(scale);
  const [low, high] = span(h, scale.relative) ?? [null, null];
  const clamp = (at: number): number => Math.min(width, Math.max(0, at));
  const left = low === null ? 0 : x(low);
  const right = high === null ? width : x(high);
  return (
    <svg class={`forest ${h.verdict ?? ""}`} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {claimed(h, scale.relative, maximized).map(([from, to]) => <rect key={from} class="claimed" x={clamp(x(from))} width={clamp(x(to)) - clamp(x(from))} y={0} height={height} />)}
      <line class="null" x1={x(compared_with(h))} x2={x(compared_with(h))} y1={0} y2={height} />
      {(low !== null || high !== null) && <line class="interval" x1={left} x2={right} y1={height / 2} y2={height / 2} />}
      {low !== null && <line class="interval" x1={left} x2={left} y1={height / 2 - 5} y2={height / 2 + 5} />}
      {high !== null && <line class="interval" x1={right} x2={right} y1={height / 2 - 5} y2={height / 2 + 5} />}
      <rect class="point" x={x(at) - 4} y={height / 2 - 4} width={8} height={8} />
    </svg>
  );
}

/// " at 90 %", behind the interval of a hypothesis; each has its own level.
export function level_words(level: number | null | undefined): string {
  return level ? ` at ${number(level * 100, 4)} %` : "";
}

/// "0.571 [0.534, 0.615] at 90 %".
export function in_words(h: Hypothesis, relative: boolean, unit: string | null): string {
  const show = (v: number | null, without = "∞"): string => (v === null ? without : relative ? `${number(v * 100, 3)} %` : `${number(v, 3)}`);
  const at = effect(h, relative);
  if (at === null) return "–";
  const interval = span(h, relative);
  const shown_unit = relative || h.kind === "slope" ? "" : unit_words(unit);
  return `${show(at)}${shown_unit}${interval && (interval[0] !== null || interval[1] !== null) ? ` [${show(interval[0], "−∞")}, ${show(interval[1])}]${level_words(h.level)}` : ""}`;
}

/// `picked`: the hypothesis that the address names.
export function Forest({ hypotheses, metrics, picked }: { hypotheses: Hypothesis[]; metrics: Study["metrics"]; picked: string | null }) {
  const units = new Map(metrics.map((m) => [m.name, m.unit]));
  const groups = new Map<string, Hypothesis[]>();
  for (const h of hypotheses) {
    const key = `${h.metric}, ${h.kind}${is_relative(h) ? ", relative" : ""}`;
    groups.set(key, [...(groups.get(key) ?? []), h]);
  }
  return (
    <>
      {[...groups].map(([key, group]) => {
        const maximized = metrics.find((m) => m.name === group[0]?.metric)?.goal === "maximize";
        const scale = shared_scale(group, maximized);
        const unit = group[0]?.kind === "slope" ? null : (units.get(group[0]?.metric ?? "") ?? null);
        const what = group[0]?.kind === "slope" ? "slope" : scale.relative ? "relative effect" : "effect";
        return (
          <div class="scroll" key={key} role="region" aria-label={`Hypotheses: ${key}`} tabIndex={0}>
            <table class="hypotheses">
              <caption>{key.replace(", compare", "").replace(", relative", "")}: {what} and interval, with its level{!scale.relative && unit_words(unit) ? ` in ${unit}` : ""}; the dashed line is {group[0]?.kind === "slope" ? "the slope that was hypothesised" : "no effect"}{group.some((h) => h.effect !== null && claimed(h, scale.relative, maximized).length > 0) && ", the shaded region is what the hypothesis claims"}</caption>
              <thead>
                <tr><th scope="col">Hypothesis</th><th scope="col">Effect{group.some((h) => h.effect !== null) && <Axis scale={scale} />}</th><th scope="col">In numbers</th><th scope="col">Verdict</th><th scope="col"><Term of="p">p</Term></th><th scope="col"><Term of="n">n</Term></th></tr>
              </thead>
              <tbody>
                {group.map((h) => (
                  <tr key={h.id} id={`h-${h.id}`} class={h.id === picked ? "picked" : ""}>
                    <th scope="row"><strong>{h.id}</strong> {h.statement}
                      <details><summary>Why, and what is compared</summary>
                        {h.mechanism && <p>{h.mechanism}</p>}
                        <p>{levels(h.treatment)} {Object.keys(h.control).length > 0 && <>against {levels(h.control)}</>}{Object.keys(h.where).length > 0 && <>, where {levels(h.where)}</>}</p>
                        {h.reason && <p>{h.reason}</p>}
                        {cautions_of(h).map((w) => <p class="warning" key={w}>{w}</p>)}
                      </details>
                    </th>
                    <td><Row h={h} scale={scale} maximized={maximized} /></td>
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
