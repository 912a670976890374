// The exploration graph. Nodes that are seen are drawn as SVG, which the keyboard reaches; from far away, where they are
// many and small, as coloured boxes on a canvas.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Pill } from "../parts/bits";
import type { GraphNode } from "../shapes";
import { verdict_of } from "../standing";
import { counted, plain } from "../words";
import { type Box, type Camera, fitted, useCamera } from "./camera";
import { type Explored, folded, type ShownNode } from "./folded";
import { layout_worker, type Laid } from "./layout";

const width = 190;
const height = 56;
const most_drawn = 400; // More at once are boxes on the canvas.
const readable = 0.4; // From this zoom on, nodes have text.

/// The outline of a type, so that types differ without colours.
function Shape({ type }: { type: ShownNode["type"] }) {
  const w = width / 2;
  const h = height / 2;
  if (type === "question") return <rect x={-w} y={-h} width={width} height={height} rx={h} />;
  if (type === "decision") return <polygon points={`${-w},0 ${-w + 16},${-h} ${w - 16},${-h} ${w},0 ${w - 16},${h} ${-w + 16},${h}`} />;
  if (type === "pivot") return <polygon points={`${-w + 14},${-h} ${w},${-h} ${w - 14},${h} ${-w},${h}`} />;
  if (type === "insight") return <path d={`M${-w},${-h} h${width - 14} l14,14 v${height - 14} h${-width} z`} />;
  return <rect x={-w} y={-h} width={width} height={height} rx={type === "dead_end" ? 0 : 6} />;
}

function lines(title: string): string[] {
  const out: string[] = [];
  for (const word of title.split(/\s+/)) {
    const last = out[out.length - 1];
    if (last !== undefined && last.length + word.length < 28) out[out.length - 1] = `${last} ${word}`;
    else out.push(word.slice(0, 28));
  }
  return out.length > 2 ? [out[0]!, `${out[1]!.slice(0, 25)}…`] : out;
}

const verdict_marks: Record<string, string> = { supported: "✓", refuted: "✗", no_relevant_effect: "≈", inconclusive: "~" };

/// What was found at the node: of its hypothesis, or of those that its experiment tested. `tone`: where all agree.
interface Finding {
  tone: string;
  words: string;
}

function findings_of(nodes: readonly GraphNode[], study: Explored): Map<string, Finding> {
  const by_experiment = new Map<string, string[]>();
  const by_id = new Map<string, string>();
  for (const h of study.hypotheses ?? []) {
    const verdict = verdict_of(h);
    if (!(verdict in verdict_marks)) continue;
    by_id.set(h.id, verdict);
    if (h.experiment) by_experiment.set(h.experiment, [...(by_experiment.get(h.experiment) ?? []), verdict]);
  }
  const found = new Map<string, Finding>();
  for (const node of nodes) {
    const own = node.hypothesis !== null ? by_id.get(node.hypothesis) : undefined;
    const verdicts = own ? [own] : node.type === "experiment" && node.experiment !== null ? (by_experiment.get(node.experiment) ?? []) : [];
    if (verdicts.length === 0) continue;
    const counts = Object.keys(verdict_marks).map((verdict): [string, number] => [verdict, verdicts.filter((v) => v === verdict).length]).filter(([, n]) => n > 0);
    found.set(node.id, {
      tone: counts.length === 1 ? counts[0]![0] : "",
      words: verdicts.length === 1 ? `${verdict_marks[verdicts[0]!]} ${plain(verdicts[0]!)}` : counts.map(([verdict, n]) => `${verdict_marks[verdict]} ${n}`).join(" "),
    });
  }
  return found;
}

function Details({ study, node, finding, pick, close }: { study: Explored; node: GraphNode; finding: Finding | undefined; pick: (id: string) => void; close: () => void }) {
  const hypothesis = study.hypotheses?.find((h) => h.id === node.hypothesis);
  return (
    <aside class="node-details" aria-live="polite" aria-label="The node">
      <div class="card-head"><h3>{plain(node.type)} {node.id}</h3><button class="link" onClick={close} aria-label="Close">✕</button></div>
      <p><strong>{node.title}</strong></p>
      {hypothesis && <p><Pill word={verdict_of(hypothesis)} /> <a href={`#/studies/${study.id}/hypotheses/${hypothesis.id}`}>{hypothesis.id}</a> {hypothesis.statement}</p>}
      {!hypothesis && finding && <p><a href={`#/studies/${study.id}/hypotheses`}>Hypotheses</a> of {node.experiment}: {finding.words}</p>}
      {Object.entries(node.fields).map(([name, value]) => (
        <p key={name}><span class="label">{plain(name)}</span> {typeof value === "string" ? value : JSON.stringify(value)}</p>
      ))}
      {node.alternatives.length > 0 && <p><span class="label">instead of</span> {node.alternatives.join("; ")}</p>}
      {node.evidence.length > 0 && <p><span class="label">evidence</span> {node.evidence.join(", ")}</p>}
      {node.parents.length > 0 && <p><span class="label">follows</span> {node.parents.map((id) => <button class="link" key={id} onClick={() => pick(id)}>{id}</button>)}</p>}
    </aside>
  );
}

const inks = ["question", "decision", "experiment", "dead_end", "pivot", "insight", "dropped", "supported", "refuted", "no_relevant_effect", "inconclusive", "edge", "found"] as const;

/// Draws boxes and edges, without text. `only`: the part that is seen.
function paint_boxes(canvas: HTMLCanvasElement, ink: Record<string, string>, nodes: readonly ShownNode[], laid: Laid, camera: Camera, tone: (node: ShownNode) => string, [w, h] = [canvas.clientWidth, canvas.clientHeight]): void {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
  if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const { k } = camera;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(k * ratio, 0, 0, k * ratio, -camera.x * k * ratio, -camera.y * k * ratio);
  const seen: Box = { left: camera.x, top: camera.y, right: camera.x + w / k, bottom: camera.y + h / k };
  pen.lineWidth = Math.max(1, 0.7 / k);
  pen.strokeStyle = ink.edge!;
  pen.globalAlpha = Math.min(1, 4 * k); // From far away, edges would cover everything.
  pen.beginPath();
  for (const points of laid.edges) {
    const [a, b] = [points[0]!, points[points.length - 1]!];
    if (Math.max(a.y, b.y) < seen.top || Math.min(a.y, b.y) > seen.bottom || Math.max(a.x, b.x) < seen.left || Math.min(a.x, b.x) > seen.right) continue;
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  for (const node of nodes) {
    const place = laid.places[node.id];
    if (!place || place.x + width < seen.left || place.x - width > seen.right || place.y + height < seen.top || place.y - height > seen.bottom) continue;
    pen.fillStyle = ink[tone(node)]!;
    pen.fillRect(place.x - width / 2, place.y - height / 2, width, height);
  }
}

const map_width = 176;
const map_height = 110;

/// `first`: the node that is selected at first.
export function Graph({ study, nodes, first }: { study: Explored; nodes: GraphNode[]; first: string | null }) {
  const [laid, set_laid] = useState<Laid | null>(null);
  const [picked, set_picked] = useState<string | null>(first);
  const [held, set_held] = useState<string | null>(first); // The node that the keyboard is at.
  const [wanted, set_wanted] = useState("");
  const [hidden, set_hidden] = useState<ReadonlySet<string>>(new Set());
  const [opened, set_opened] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<SVGGElement>(null);
  const swatches = useRef<HTMLDivElement>(null);
  const worker = useRef<Worker | null>(null);
  const turn = useRef(0);
  const fit_next = useRef(true);

  const shown = useMemo(() => folded(nodes, study, opened, hidden), [nodes, study.search, opened, hidden]);
  const by_id = useMemo(() => new Map(shown.map((node) => [node.id, node])), [shown]);
  const findings = useMemo(() => findings_of(nodes, study), [nodes, study.hypotheses]);
  const found = useMemo(
    () => new Set(nodes.filter((n) => wanted && `${n.id} ${n.title} ${plain(n.type)}`.toLowerCase().includes(wanted.toLowerCase())).map((n) => n.id)),
    [nodes, wanted],
  );
  const tone = useCallback((node: ShownNode): string => (found.has(node.id) ? "found" : findings.get(node.id)?.tone || node.type), [found, findings]);

  const far = useRef(false);
  const paint = (camera: Camera): void => {
    picture.current?.setAttribute("transform", `translate(${-camera.x * camera.k},${-camera.y * camera.k}) scale(${camera.k})`);
    if (!laid || !box.current) return;
    if (canvas.current && swatches.current && far.current) {
      const ink = Object.fromEntries([...swatches.current.children].map((one, i) => [inks[i]!, getComputedStyle(one).color]));
      paint_boxes(canvas.current, ink, shown, laid, camera, tone);
    }
    const { clientWidth: w, clientHeight: h } = box.current;
    const all = camera.x <= 0 && camera.y <= 0 && camera.x + w / camera.k >= laid.width && camera.y + h / camera.k >= laid.height;
    // A small map of what is seen as a whole would only cover it.
    if (frame.current) frame.current.parentElement!.hidden = all;
    if (frame.current && !all) {
      const unit = Math.min(map_width / laid.width, map_height / laid.height);
      frame.current.style.transform = `translate(${camera.x * unit}px,${camera.y * unit}px)`;
      frame.current.style.width = `${(w / camera.k) * unit}px`;
      frame.current.style.height = `${(h / camera.k) * unit}px`;
    }
  };
  const { camera, drawn, zoom, show, zoom_by, center } = useCamera(box, paint);
  /// Around the node that is looked at, if it is seen.
  const enlarge = (factor: number): void => {
    const place = laid?.places[held ?? picked ?? ""];
    const { x, y, k } = camera.current;
    const at = place && { x: (place.x - x) * k, y: (place.y - y) * k };
    zoom_by(factor, at && at.x > 0 && at.y > 0 && at.x < box.current!.clientWidth && at.y < box.current!.clientHeight ? at : undefined);
  };
  /// The last camera that showed all of it.
  const whole = useRef<Camera | null>(null);
  const fit = (): void => {
    if (!laid || !box.current) return;
    whole.current = fitted(laid.width, laid.height, box.current);
    show(whole.current);
  };
  const refit = useRef(fit);
  refit.current = () => (camera.current === whole.current ? fit() : show({ ...camera.current }));
  useEffect(() => {
    // The side panel takes a part of the width.
    const watch = new ResizeObserver(() => refit.current());
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);

  const shape = shown.map((n) => `${n.id}<${n.parents.join()}`).join(";");
  useEffect(() => {
    const own = layout_worker();
    worker.current = own;
    own.onmessage = (answer: MessageEvent<Laid>) => {
      if (answer.data.turn === turn.current) set_laid(answer.data);
    };
    return () => own.terminate();
  }, []);
  useEffect(() => {
    const edges = shown.flatMap((n) => n.parents.filter((p) => by_id.has(p)).map((p): [string, string] => [p, n.id]));
    worker.current?.postMessage({ turn: ++turn.current, nodes: shown.map((n) => ({ id: n.id, width, height })), edges });
  }, [shape]);
  useEffect(() => {
    if (!laid || !box.current) return;
    // Later layouts keep what is looked at, but for the first and after a change of what is shown.
    if (fit_next.current) fit();
    else show({ ...camera.current });
    fit_next.current = false;
    const small = map.current;
    if (!small || !swatches.current) return;
    const unit = Math.min(map_width / laid.width, map_height / laid.height);
    const ink = Object.fromEntries([...swatches.current.children].map((one, i) => [inks[i]!, getComputedStyle(one).color]));
    // It may be hidden now, and has no size then.
    paint_boxes(small, ink, shown, laid, { x: 0, y: 0, k: unit }, tone, [map_width, map_height]);
  }, [laid, tone]);

  const near = (place: { x: number; y: number }): boolean =>
    place.x + width / 2 > drawn.left && place.x - width / 2 < drawn.right && place.y + height / 2 > drawn.top && place.y - height / 2 < drawn.bottom;
  const inside = laid ? shown.filter((node) => { const place = laid.places[node.id]; return place && near(place); }) : [];
  far.current = inside.length > most_drawn;
  const drawn_nodes = far.current ? inside.filter((node) => node.id === picked || node.id === held || node.id === shown[0]?.id) : inside;
  const drawn_ids = new Set(drawn_nodes.map((node) => node.id));
  useEffect(() => paint(camera.current));

  /// The node may not be drawn yet.
  const go_to = (id: string, closer = false): void => {
    const there = by_id.has(id) ? id : shown.find((node) => node.hides.includes(id))?.id;
    const place = there && laid?.places[there];
    if (!place) return;
    set_held(there);
    if (closer && camera.current.k < readable) zoom_by(1 / camera.current.k);
    const { k, x, y } = camera.current;
    const [w, h] = [box.current!.clientWidth / k, box.current!.clientHeight / k];
    if (place.x < x || place.x > x + w || place.y < y || place.y > y + h) center(place.x, place.y);
    const drawn_already = document.getElementById(`node-${there}`);
    if (drawn_already) return drawn_already.focus({ preventScroll: true });
    requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(`node-${there}`)?.focus({ preventScroll: true })));
  };
  const open_fold = (node: ShownNode): void => {
    fit_next.current = true;
    set_opened(new Set([...opened, ...node.parents]));
  };
  const choose = (node: ShownNode): void => {
    set_held(node.id);
    if (node.type === "dropped") open_fold(node);
    else set_picked(node.id);
  };
  const children = useMemo(() => {
    const all = new Map<string, string[]>();
    for (const node of shown) for (const parent of node.parents) {
      const known = all.get(parent);
      if (known) known.push(node.id);
      else all.set(parent, [node.id]);
    }
    return all;
  }, [shown]);
  const sibling = (node: ShownNode, step: number): string | undefined => {
    const all = children.get(node.parents[0] ?? "") ?? [];
    return all[all.indexOf(node.id) + step];
  };
  const move = (event: KeyboardEvent, node: ShownNode): void => {
    const to = event.key === "ArrowUp" ? node.parents[0] : event.key === "ArrowDown" ? children.get(node.id)?.[0]
      : event.key === "ArrowRight" || event.key === "ArrowLeft" ? sibling(node, event.key === "ArrowRight" ? 1 : -1) : undefined;
    if (event.key === "Enter" || event.key === " ") choose(node);
    else if (to) go_to(to);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const keys = (event: KeyboardEvent): void => {
    const by = 60 / camera.current.k;
    const { x, y, k } = camera.current;
    const steps: Record<string, [number, number]> = { ArrowUp: [0, -by], ArrowDown: [0, by], ArrowLeft: [-by, 0], ArrowRight: [by, 0] };
    const step = steps[event.key];
    if (step) show({ k, x: x + step[0], y: y + step[1] });
    else if (event.key === "+") enlarge(1.25);
    else if (event.key === "-") enlarge(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  };
  /// A click on what the canvas shows.
  const pick_at = (event: MouseEvent): void => {
    if (!laid || !far.current || !box.current || (event.target as Element).closest("[role=button], .minimap")) return;
    const place = box.current.getBoundingClientRect();
    const { x, y, k } = camera.current;
    const [px, py] = [x + (event.clientX - place.left) / k, y + (event.clientY - place.top) / k];
    const hit = inside.find((node) => { const at = laid.places[node.id]!; return Math.abs(at.x - px) < width / 2 && Math.abs(at.y - py) < height / 2; });
    if (hit) choose(hit);
  };
  const to_place_on_map = (event: PointerEvent): void => {
    if (!laid || !map.current || event.buttons === 0) return;
    const place = map.current.getBoundingClientRect();
    const unit = Math.min(map_width / laid.width, map_height / laid.height);
    center((event.clientX - place.left) / unit, (event.clientY - place.top) / unit);
  };
  const toggle = (type: string): void => {
    fit_next.current = true;
    const next = new Set(hidden);
    if (!next.delete(type)) next.add(type);
    set_hidden(next);
  };

  const types = new Map<string, number>();
  for (const node of nodes) types.set(node.type, (types.get(node.type) ?? 0) + 1);
  const chosen = nodes.find((n) => n.id === picked);
  const folds = shown.filter((node) => node.type === "dropped");
  return (
    <div>
      <div class="tools">
        <label>Search <input type="search" value={wanted} onInput={(e) => set_wanted(e.currentTarget.value)} /></label>
        {found.size > 0 && <button onClick={() => { const [one] = found; set_picked(one!); go_to(one!, true); }}>Go there</button>}
        <span class="muted" role="status">{wanted ? `${found.size} found` : counted(nodes.length, "node")}</span>
        <button onClick={() => enlarge(1.25)} aria-label="Larger">+</button>
        <button onClick={() => enlarge(0.8)} aria-label="Smaller">−</button>
        <button onClick={fit}>Fit</button>
        {folds.length > 0 && <button onClick={() => { fit_next.current = true; set_opened(new Set([...opened, ...folds.flatMap((fold) => fold.parents)])); }}>Show what was dropped</button>}
        {opened.size > 0 && <button onClick={() => { fit_next.current = true; set_opened(new Set()); }}>Hide what was dropped</button>}
      </div>
      {types.size > 1 && (
        <div class="tools types" role="group" aria-label="Types of nodes">
          {[...types].map(([type, count]) => <button key={type} class={`chip ${type}`} aria-pressed={!hidden.has(type)} onClick={() => toggle(type)}>{plain(type)} {count}</button>)}
        </div>
      )}
      <div class={chosen ? "graph-and-node" : ""}>
        <div class="graph" ref={box} role="region" aria-label="Exploration graph; arrow keys go from node to node" tabIndex={0} onClick={pick_at} onKeyDown={keys}>
          <canvas class="boxes" ref={canvas} aria-hidden="true" hidden={!far.current} />
          <svg class="picture" role="group" aria-label="Exploration graph">
            <g ref={picture}>
              {laid && !far.current && laid.edges.map((points, i) => points.some(near) && <polyline class="edge" key={i} points={points.map((p) => `${p.x},${p.y}`).join(" ")} />)}
              {laid && drawn_nodes.map((node) => {
                const place = laid.places[node.id]!;
                const finding = findings.get(node.id);
                return (
                  <g key={node.id} id={`node-${node.id}`} role="button" tabindex={0} aria-label={`${plain(node.type)} ${node.id}: ${node.title}${finding ? `, ${finding.words}` : ""}`}
                    class={`node ${node.type} ${finding?.tone ?? ""} ${found.has(node.id) ? "found" : ""} ${picked === node.id ? "picked" : ""}`}
                    transform={`translate(${place.x},${place.y})`} onClick={() => choose(node)} onFocus={() => set_held(node.id)} onKeyDown={(e) => move(e, node)}>
                    <Shape type={node.type} />
                    {zoom >= readable && (
                      <>
                        <text class="type" y={-14}>{node.type === "dead_end" ? "✕ " : ""}{node.type === "dropped" ? "search" : `${plain(node.type)} ${node.id}`}{finding && ` ${finding.words}`}</text>
                        {lines(node.title).map((line, i) => <text key={i} y={3 + i * 14}>{line}</text>)}
                      </>
                    )}
                  </g>
                );
              })}
            </g>
          </svg>
          <div class="minimap" aria-hidden="true" onPointerDown={to_place_on_map} onPointerMove={to_place_on_map}>
            <canvas ref={map} />
            <div class="frame" ref={frame} />
          </div>
          <div class="inks" ref={swatches} aria-hidden="true">{inks.map((ink) => <i key={ink} class={ink} />)}</div>
        </div>
        {chosen && <Details study={study} node={chosen} finding={findings.get(chosen.id)} pick={(id) => { set_picked(id); go_to(id); }} close={() => set_picked(null)} />}
      </div>
      {drawn_ids.size < inside.length && <p class="muted">Too many nodes are in view to be drawn with their text: enlarge, search or leave out a type.</p>}
    </div>
  );
}
