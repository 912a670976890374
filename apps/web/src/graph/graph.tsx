import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { GraphNode } from "../shapes";
import { plain } from "../words";
import { layout_worker, type Laid } from "./layout";

const width = 190;
const height = 56;

/// The outline of a type, so that types differ without colours.
function Shape({ type }: { type: GraphNode["type"] }) {
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

function Details({ node, pick }: { node: GraphNode; pick: (id: string) => void }) {
  return (
    <div class="node-details" aria-live="polite">
      <h3>{plain(node.type)} {node.id}</h3>
      <p><strong>{node.title}</strong></p>
      {Object.entries(node.fields).map(([name, value]) => (
        <p key={name}><span class="label">{plain(name)}</span> {typeof value === "string" ? value : JSON.stringify(value)}</p>
      ))}
      {node.alternatives.length > 0 && <p><span class="label">instead of</span> {node.alternatives.join("; ")}</p>}
      {node.parents.length > 0 && <p><span class="label">follows</span> {node.parents.map((id) => <button class="link" key={id} onClick={() => pick(id)}>{id}</button>)}</p>}
    </div>
  );
}

const most_at_once = 600;
const beyond = 300; // Drawn around what is seen, so that scrolling finds something there.

interface Seen {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/// The visible part of the picture; null: all of it is drawn.
function useSeen(box: { current: HTMLDivElement | null }, laid: Laid | null, zoom: number, large: boolean): Seen | null {
  const [seen, set_seen] = useState<Seen | null>(null);
  useEffect(() => {
    const holder = box.current;
    if (!holder || !large) return set_seen(null);
    const look = (): void => {
      // A picture that is narrower than its box is centred.
      const aside = Math.max(0, holder.clientWidth - (laid?.width ?? 0) * zoom) / 2;
      const left = (holder.scrollLeft - aside) / zoom;
      const top = holder.scrollTop / zoom;
      set_seen({ left: left - beyond, right: left + holder.clientWidth / zoom + beyond, top: top - beyond, bottom: top + holder.clientHeight / zoom + beyond });
    };
    look();
    holder.addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      holder.removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [laid, zoom, large]);
  return large ? (seen ?? { left: 0, right: 0, top: 0, bottom: 0 }) : null;
}

/// `first`: the node that is selected at first.
export function Graph({ nodes, first }: { nodes: GraphNode[]; first: string | null }) {
  const [laid, set_laid] = useState<Laid | null>(null);
  const [picked, set_picked] = useState<string | null>(first);
  const [wanted, set_wanted] = useState("");
  const [zoom, set_zoom] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const seen = useSeen(box, laid, zoom, nodes.length > most_at_once);
  const worker = useRef<Worker | null>(null);
  const turn = useRef(0);
  const shape = nodes.map((n) => `${n.id}<${n.parents.join()}`).join(";");
  useEffect(() => {
    const own = layout_worker();
    worker.current = own;
    own.onmessage = (answer: MessageEvent<Laid>) => {
      if (answer.data.turn === turn.current) set_laid(answer.data);
    };
    return () => own.terminate();
  }, []);
  useEffect(() => {
    const ids = new Set(nodes.map((n) => n.id));
    const edges = nodes.flatMap((n) => n.parents.filter((p) => ids.has(p)).map((p): [string, string] => [p, n.id]));
    worker.current?.postMessage({ turn: ++turn.current, nodes: nodes.map((n) => ({ id: n.id, width, height })), edges });
  }, [shape]);
  const found = useMemo(
    () => new Set(nodes.filter((n) => wanted && `${n.id} ${n.title} ${plain(n.type)}`.toLowerCase().includes(wanted.toLowerCase())).map((n) => n.id)),
    [nodes, wanted],
  );
  /// The node may not be drawn yet, because only the visible part is drawn.
  const go_to = (id: string): void => {
    const place = laid?.places[id];
    const holder = box.current;
    if (!place || !holder) return;
    const drawn = document.getElementById(`node-${id}`);
    if (drawn) return drawn.focus();
    holder.scrollTo(place.x * zoom - holder.clientWidth / 2, place.y * zoom - holder.clientHeight / 2);
    requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(`node-${id}`)?.focus()));
  };
  const move = (event: KeyboardEvent, node: GraphNode): void => {
    const to = event.key === "ArrowUp" ? node.parents[0]
      : event.key === "ArrowDown" ? nodes.find((n) => n.parents.includes(node.id))?.id
      : event.key === "ArrowRight" || event.key === "ArrowLeft" ? beside(nodes, node, event.key === "ArrowRight" ? 1 : -1) : undefined;
    if (event.key === "Enter" || event.key === " ") set_picked(node.id);
    else if (to) go_to(to);
    else return;
    event.preventDefault();
  };
  const near = (x: number, y: number): boolean => !seen || (x > seen.left && x < seen.right && y > seen.top && y < seen.bottom);
  const shown = laid && nodes.filter((node) => {
    const place = laid.places[node.id];
    return place && near(place.x, place.y);
  });
  const chosen = nodes.find((n) => n.id === picked);
  return (
    <div>
      <div class="tools">
        <label>Search <input type="search" value={wanted} onInput={(e) => set_wanted(e.currentTarget.value)} /></label>
        {found.size > 0 && <button onClick={() => { const [one] = found; set_picked(one!); go_to(one!); }}>Go there</button>}
        <span class="muted" role="status">{wanted ? `${found.size} found` : `${nodes.length} nodes`}</span>
        <button onClick={() => set_zoom(zoom * 1.25)} aria-label="Larger">+</button>
        <button onClick={() => set_zoom(zoom / 1.25)} aria-label="Smaller">−</button>
        <button onClick={() => set_zoom(1)}>100 %</button>
      </div>
      <div class="graph" ref={box} role="region" aria-label="Exploration graph; arrow keys go from node to node" tabIndex={0}>
        {laid && (
          <svg width={laid.width * zoom} height={laid.height * zoom} viewBox={`0 0 ${laid.width} ${laid.height}`} role="group" aria-label="Exploration graph">
            {laid.edges.map((points, i) => points.some((p) => near(p.x, p.y)) && <polyline class="edge" key={i} points={points.map((p) => `${p.x},${p.y}`).join(" ")} />)}
            {shown?.map((node) => {
              const place = laid.places[node.id]!;
              return (
                <g key={node.id} id={`node-${node.id}`} role="button" tabindex={0} aria-label={`${plain(node.type)} ${node.id}: ${node.title}`}
                  class={`node ${node.type} ${found.has(node.id) ? "found" : ""} ${picked === node.id ? "picked" : ""}`}
                  transform={`translate(${place.x},${place.y})`} onClick={() => set_picked(node.id)} onKeyDown={(e) => move(e, node)}>
                  <Shape type={node.type} />
                  <text class="type" y={-14}>{node.type === "dead_end" ? "✕ " : ""}{plain(node.type)} {node.id}</text>
                  {lines(node.title).map((line, i) => <text key={i} y={3 + i * 14}>{line}</text>)}
                </g>
              );
            })}
          </svg>
        )}
      </div>
      {chosen && <Details node={chosen} pick={set_picked} />}
    </div>
  );
}

function beside(nodes: GraphNode[], node: GraphNode, step: number): string | undefined {
  const siblings = nodes.filter((n) => n.parents[0] === node.parents[0]);
  return siblings[siblings.indexOf(node) + step]?.id;
}
