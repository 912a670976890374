// What of an exploration graph is shown: nodes of hidden types are left out, and what a search dropped becomes one node.

import type { GraphNode, Study } from "../shapes";

/// What the graph says of its study; of an artifact only the nodes are known.
export type Explored = Pick<Study, "id" | "kind" | "search"> & Partial<Pick<Study, "hypotheses">>;

/// A node of the picture. `hides`: the nodes that it stands for; empty: it is the node itself.
export interface ShownNode {
  id: string;
  type: GraphNode["type"] | "dropped";
  title: string;
  parents: string[];
  hides: string[];
}

const fewest_folded = 4; // Fewer are shown as they are.

function children_of(nodes: readonly GraphNode[]): Map<string, GraphNode[]> {
  const children = new Map<string, GraphNode[]>();
  for (const node of nodes)
    for (const parent of node.parents) {
      const known = children.get(parent);
      if (known) known.push(node);
      else children.set(parent, [node]);
    }
  return children;
}

/// The nodes below which only dead ends of a search lie: a dead end without children, or a version of the code that ended so.
function dropped_nodes(nodes: readonly GraphNode[], children: Map<string, GraphNode[]>): Set<string> {
  const dropped = new Set<string>();
  // Children come after their parents.
  for (const node of [...nodes].reverse()) {
    const below = children.get(node.id) ?? [];
    const dead_end = node.type === "dead_end" && below.length === 0 && node.hypothesis === null;
    const version = "version" in node.fields && below.length > 0 && below.every((child) => dropped.has(child.id));
    if (dead_end || version) dropped.add(node.id);
  }
  return dropped;
}

/// How many candidates the search did not keep in the end; the record names only the first of each rung.
function dropped_by({ kind, search }: Explored): number {
  const last = search?.ranked.at(-1);
  if (!search || !last) return 0;
  if (kind === "screen") return last.effects.filter((e) => !e.kept && e.factors.length === 1).length;
  const name = (one: { cell: Record<string, unknown> }): string => JSON.stringify(Object.entries(one.cell).filter(([factor]) => factor !== search.fidelity).sort());
  // A rung ranks some of those of earlier ones again.
  const tried = new Set(search.ranked.flatMap((ranking) => ranking.candidates.filter((c) => !c.baseline).map(name)));
  for (const one of last.candidates) if (one.kept) tried.delete(name(one));
  return tried.size;
}

function below(id: string, children: Map<string, GraphNode[]>): string[] {
  return [id, ...(children.get(id) ?? []).flatMap((child) => below(child.id, children))];
}

/// `open`: the nodes whose dropped children are shown. `hidden`: the types that are left out; children of such a node
/// hang on its parents.
export function folded(nodes: readonly GraphNode[], study: Explored, open: ReadonlySet<string>, hidden: ReadonlySet<string>): ShownNode[] {
  const children = children_of(nodes);
  const dropped = dropped_nodes(nodes, children);
  const gone = new Set<string>();
  const folds: ShownNode[] = [];
  const searches = nodes.filter((node) => node.type === "experiment" && node.fields.status === "selection");
  for (const node of nodes) {
    if (gone.has(node.id) || dropped.has(node.id)) continue;
    const lost = (children.get(node.id) ?? []).filter((child) => dropped.has(child.id));
    if (lost.length < fewest_folded || open.has(node.id)) continue;
    const hides = lost.flatMap((child) => below(child.id, children));
    for (const id of hides) gone.add(id);
    const whole = study.search && searches.length === 1 && searches[0]!.id === node.id && lost.every((child) => child.type === "dead_end");
    folds.push({ id: `${node.id}~dropped`, type: "dropped", title: `${whole ? Math.max(lost.length, dropped_by(study)) : lost.length} dropped`, parents: [node.id], hides });
  }
  const left = nodes.filter((node) => !gone.has(node.id)).map((node): ShownNode => ({ ...node, hides: [] }));
  const all = [...left, ...folds];
  if (hidden.size === 0) return all;
  const by_id = new Map(all.map((node) => [node.id, node]));
  const shown_parents = new Map<string, string[]>();
  const parents_of = (node: ShownNode): string[] => {
    const known = shown_parents.get(node.id);
    if (known) return known;
    shown_parents.set(node.id, []); // A circle ends here.
    const found = node.parents.flatMap((id) => {
      const parent = by_id.get(id);
      return !parent ? [] : hidden.has(parent.type) ? parents_of(parent) : [id];
    });
    const unique = [...new Set(found)];
    shown_parents.set(node.id, unique);
    return unique;
  };
  return all.filter((node) => !hidden.has(node.type)).map((node) => ({ ...node, parents: parents_of(node) }));
}
