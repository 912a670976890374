// Lays the exploration graph out in a worker thread.

import dagre from "@dagrejs/dagre";

import { lay_in_layers } from "./layers";
import type { Laid, ToLay } from "./layout";

const most_for_dagre = 400; // Nodes: it takes about a second for so many.

onmessage = (message: MessageEvent<ToLay>) => {
  if (message.data.nodes.length > most_for_dagre) return postMessage(lay_in_layers(message.data));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 44, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of message.data.nodes) graph.setNode(node.id, { width: node.width, height: node.height });
  for (const [from, to] of message.data.edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const laid: Laid = { turn: message.data.turn, places: {}, edges: [], width: graph.graph().width ?? 0, height: graph.graph().height ?? 0 };
  for (const id of graph.nodes()) laid.places[id] = { x: graph.node(id).x, y: graph.node(id).y };
  for (const edge of graph.edges()) laid.edges.push(graph.edge(edge).points);
  postMessage(laid);
};
