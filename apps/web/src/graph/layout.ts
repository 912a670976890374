// The messages to and from the worker that computes the layout.

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

const rules: Policy = {
  createScriptURL: (url) => {
    if (url !== "/layout.js") throw new TypeError("only the layout is a worker");
    return url;
  },
};
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory ? factory.createPolicy("etude", rules) : rules;

export function layout_worker(): Worker {
  return new Worker(policy.createScriptURL("/layout.js"), { type: "module" });
}
