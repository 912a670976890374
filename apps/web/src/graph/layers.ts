// A layout for graphs that are too large for dagre: each node is one layer below its lowest parent, and in its layer
// near where its parents are. Linear in nodes and edges.

import type { Laid, ToLay } from "./layout";

const gap_x = 24;
const gap_y = 44;
const margin = 12;
const widest = 40; // Nodes side by side; a wider layer goes on in another row.

function depths(asked: ToLay): { depth: Map<string, number>; parents: Map<string, string[]> } {
  const parents = new Map<string, string[]>();
  const children = new Map<string, string[]>();
  for (const { id } of asked.nodes) {
    parents.set(id, []);
    children.set(id, []);
  }
  for (const [from, to] of asked.edges) {
    parents.get(to)!.push(from);
    children.get(from)!.push(to);
  }
  const waits_for = new Map([...parents].map(([id, of]) => [id, of.length]));
  const depth = new Map<string, number>();
  let free = asked.nodes.filter(({ id }) => waits_for.get(id) === 0).map(({ id }) => id);
  for (let layer = 0; free.length > 0; ++layer) {
    const next: string[] = [];
    for (const id of free) {
      depth.set(id, layer);
      for (const child of children.get(id)!) {
        const left = waits_for.get(child)! - 1;
        waits_for.set(child, left);
        if (left === 0) next.push(child);
      }
    }
    free = next;
  }
  // Nodes on a circle get a layer, too; no record of an exploration has a circle.
  for (const { id } of asked.nodes) if (!depth.has(id)) depth.set(id, 0);
  return { depth, parents };
}

export function lay_in_layers(asked: ToLay): Laid {
  const { depth, parents } = depths(asked);
  const layers: string[][] = [];
  for (const { id } of asked.nodes) (layers[depth.get(id)!] ??= []).push(id);
  const size = new Map(asked.nodes.map((node) => [node.id, node]));
  const places: Laid["places"] = {};
  let y = margin;
  let width = 0;
  for (const layer of layers.filter(Boolean)) {
    const near = new Map(layer.map((id) => {
      const above = parents.get(id)!.map((parent) => places[parent]?.x ?? 0);
      return [id, above.reduce((sum, x) => sum + x, 0) / Math.max(1, above.length)];
    }));
    layer.sort((a, b) => near.get(a)! - near.get(b)!);
    for (let from = 0; from < layer.length; from += widest) {
      let x = margin;
      let height = 0;
      for (const id of layer.slice(from, from + widest)) {
        const node = size.get(id)!;
        places[id] = { x: x + node.width / 2, y: y + node.height / 2 };
        x += node.width + gap_x;
        height = Math.max(height, node.height);
      }
      width = Math.max(width, x - gap_x + margin);
      y += height + gap_y;
    }
  }
  const edges = asked.edges.map(([from, to]) => {
    const [a, b] = [places[from]!, places[to]!];
    return [{ x: a.x, y: a.y + size.get(from)!.height / 2 }, { x: b.x, y: b.y - size.get(to)!.height / 2 }];
  });
  return { turn: asked.turn, places, edges, width, height: y - gap_y + margin };
}
