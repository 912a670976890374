// The worker that computes the layout, and the messages to and from it.

import { worker_source } from "../shared";

export interface ToLay {
  turn: number;
  nodes: { id: string; width: number; height: number }[];
  edges: [string, string][];
}

export interface Laid {
  turn: number;
  places: Record<string, { x: number; y: number }>;
  edges: { x: number; y: number }[][];
  width: number;
  height: number;
}

interface Policy {
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

// A copy of the page has the source as text, because browsers load no worker from a disk.
const address = worker_source === null ? "/layout.js" : URL.createObjectURL(new Blob([worker_source], { type: "text/javascript" }));

const rules: Policy = {
  createScriptURL: (url) => {
    if (url !== address) throw new TypeError("only the layout is a worker");
    return url;
  },
};
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory ? factory.createPolicy("etude", rules) : rules;

export function layout_worker(): Worker {
  return new Worker(policy.createScriptURL(address), worker_source === null ? { type: "module" } : {});
}
