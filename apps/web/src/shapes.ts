// The parts of the API's answers that the page reads (docs/http.md). Types of `Api` are those of the description.

import type { components } from "./api_types";

type Api = components["schemas"];

export type Levels = Record<string, string | number>;
export type Number_ = number | string | null;

export interface Entry {
  limit: number | null;
  reserved: number | null;
  spent: number | null;
}

export type Amounts = Record<"runs" | "wall_s" | "usd" | "tokens" | "gpu_hours" | "energy_j", Entry>;

/// What replies state of their origin; null: they do not.
export interface ModelAnswer {
  asked: string | null;
  effort: string | null;
  answered_by: string | null;
  tier: string | null;
  fingerprint: string | null;
  calls: number;
}

export interface ModelUse {
  role: string;
  model: string;
  calls: number;
  tokens_in: number;
  tokens_cached: number;
  tokens_out: number;
  /// Null: the price of a call is not known.
  usd: number | null;
  answers: ModelAnswer[];
}

export interface Ledger extends Amounts {
  models?: ModelUse[];
  answers?: Api["paid_answers"][];
  /// Sentences that say where another model answered than the one that was asked.
  other_models?: string[];
  /// Sentences that say where a provider states fewer tokens than the texts of its calls can be.
  understated?: string[];
}

export type Gate = Api["gate"];

export type Hypothesis = Api["hypothesis"];

export type Left = Api["left"];

export interface Study {
  id: string;
  title: string;
  question: string;
  kind: string;
  state: string;
  stage: string;
  reason: string | null;
  detail: string | null;
  /// The limit that paused it.
  limit?: string;
  outcome: string | null;
  head: string;
  opened: string;
  ended: string | null;
  jobs: number;
  study_file: string;
  /// The head of the log that it reproduces.
  reproduces: string | null;
  metrics: { name: string; unit: string | null; goal: string; primary: boolean }[];
  hypotheses?: Hypothesis[];
  /// In lists, in place of the hypotheses: how many have which verdict, are withdrawn or open.
  verdicts?: Record<string, number>;
  /// Comparisons of a cell with itself, and effects that were planted.
  aa?: { differs: boolean; text: string }[];
  planted?: { found: boolean; text: string }[];
  /// What the check of factors and seed found wrong.
  manipulation_check?: { subject: string; message: string; serious: boolean }[];
  integrity?: { metric: string; message: string }[];
  search?: Search;
  runs: Record<string, number>;
  ledger: Ledger;
  gates: Gate[];
  /// What its runs still take; absent where no run is left.
  left?: Left;
  steering: unknown[];
  /// Absent in a copy of the page and in the past.
  tags?: string[];
  archived?: boolean;
  /// What agents changed of the code that the results rest on.
  agents_code?: { text: string; read_by_person: boolean; diff?: string };
  /// For what outside it waits, and goes on by itself. Of a batch: since when, and until when at most.
  waiting?: { on: string; line?: string; why: string; since?: string; until?: string }[];
  artifact: string | null;
  report: string | null;
}

/// A setting that a search tried, the best first.
export interface Candidate {
  cell: Levels;
  n: number;
  failed: number;
  mean: Number_;
  sd: Number_;
  baseline: boolean;
  refined: boolean;
  kept: boolean;
  /// What the model of a search expects, and the standard deviation of that; of a metric on a log scale, of its logarithm.
  estimate?: Number_;
  estimate_sd?: Number_;
  /// The same of the second metric, in a search for two at once.
  second_mean?: Number_;
  second_estimate?: Number_;
}

export interface FactorEffect {
  factors: string[];
  low: string;
  high: string;
  effect: Number_;
  interval_low: Number_;
  interval_high: Number_;
  kept: boolean;
}

export interface Search {
  design: string;
  metric: string;
  goal: string;
  fidelity: string | null;
  /// Two, the metric above first, in a search for two metrics at once.
  objectives?: { metric: string; goal: string; limit: Number_; margin: Number_; reference?: Number_ }[];
  /// What the settings tried up to each ranking cover of both.
  hypervolume?: number[];
  rungs: { candidates: number; replicates: number; fidelity: string | null }[];
  confirm: { top: number; replicates: number };
  rule: string;
  ranked: { rung: number; candidates: Candidate[]; effects: FactorEffect[]; last: boolean }[];
  advice?: string[];
  /// Of a search over versions of the code; `ideas` where they are kept or discarded one after another.
  code?: { noise?: { runs: number; sd: number } | null; ideas?: Idea[] };
}

export interface Gain {
  gain: number | null;
  floor: number;
}

/// A version of the code that was compared with its base.
export interface Idea {
  version: string;
  base: string | null;
  first: Gain | null;
  retest: Gain | null;
  kept: boolean;
  lines: number;
  memory_bytes: number | null;
}

export interface Result {
  verdict?: string;
  effect?: number | null;
  effect_relative?: number | null;
  interval?: [number | null, number | null];
  p?: number | null;
  n?: [number, number];
}

export interface Reproduction {
  artifact: string;
  study: string | null;
  state: string;
  outcome: string;
  recorded: { study: string; head: string };
  claims: { id: string; hypothesis: string; outcome: string; reason: string; recorded: Result | null; observed: Result | null }[];
  seeds: string;
  sample: { drawn: number; of: number; text: string } | null;
  runs: { recorded: string; observed: string | null; outcome: string; reason: string }[];
  run_counts: Record<string, number>;
  untrue: { what: string }[];
  run_s: { recorded: number; observed: number };
  environment: { what: string; recorded: string; observed: string }[];
}

export type Run = Api["run"];

export type FailureList = Api["failures"];

/// One metric of many runs, as columns over one x. The page asks for at most 1000 runs at a time.
export type CurveAnswer = Api["curves"];

/// When and on what runs ran, as columns. Of a measurement that is not known: null.
export interface TimelineAnswer {
  opened: string;
  runs: {
    number: number[];
    experiment: (string | null)[];
    purpose: string[];
    state: string[];
    seed: number[];
    started: string[];
    ended: (string | null)[];
    node: (string | null)[];
    cpus: number[];
    gpus: string[][];
    factors: Record<string, (string | number | boolean | null)[]>;
  } & Record<"cpu_s" | "wall_s" | "rss_peak_bytes" | "gpu_utilisation" | "gpu_memory_bytes" | "energy_j", (number | null)[]>;
  cursor: string | null;
}

export interface OutputFile {
  path: string;
  sha256: string;
  bytes: number;
}

export type Health = Api["health"];

/// The type is unknown in an artifact of another program.
export type GraphNode = Omit<Api["node"], "type"> & { type: Api["node"]["type"] | "unknown" };

export type Claim = Api["claim"];

export type Experiment = Api["experiment"];

/// An event of a study that belongs neither to a run nor to a model's call.
export type Moment = Api["moment"];

/// A study's state after an event, with its last runs.
export interface Past {
  at: number;
  study: Study;
  nodes: GraphNode[];
  runs: Run[];
}

export type Recollection = Api["recollection"];

/// The inputs with which a study was opened.
export type Opening = Api["opening"];

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export type Findings = Api["findings"];

export interface ImportedArtifact {
  id: string;
  title: string;
  source: string;
  errors: number;
  warnings: number;
}

/// A claim or an experiment as an artifact states it, in Markdown.
export interface StatedEntry {
  id: string;
  title: string;
  line: number;
  fields: { name: string; text: string }[];
}

/// What can be read of an artifact.
export interface Contents {
  source: string;
  title: string;
  authors: string[];
  year: string;
  abstract: string;
  /// Its design can be run again.
  recorded: boolean;
  claims: StatedEntry[];
  experiments: StatedEntry[];
  evidence: { path: string; text: string }[];
  nodes: Pick<GraphNode, "id" | "type" | "title" | "parents" | "fields" | "evidence">[];
  files: { path: string; bytes: number }[];
  whole: boolean;
}

/// What the chosen part of an artifact took when it was recorded.
export interface AgainCost {
  claims: { id: string; title: string; hypothesis: string }[];
  runs: number;
  of: number;
  run_s: number;
  longest_s: number;
  wall_s: number;
  gpu_hours: number;
  jobs: number;
  budget: { runs: number | null; wall_s: number | null };
  notes: string[];
  untrue: string[];
}

export interface Count {
  min: number;
  max: number;
}

interface Estimated {
  expected: number;
  low: number;
  high: number;
}

export interface PlannedTime {
  jobs: number;
  wall_s: Estimated | null;
  gpu_hours: Estimated | null;
  energy_j: number | null;
  basis: string;
  usd?: number | null;
  note?: string;
}

export interface PlannedHypothesis {
  id: string;
  statement: string;
  derived?: boolean;
  treatment: Levels;
  control: Levels;
  where: Levels;
  replicates: Count;
  power: { min: number | null; max: number | null };
  note: string;
}

export interface PlannedCell {
  stage: string | null;
  factors: Levels;
  command: string[];
}

/// What approving a gate allows.
export interface Allowed {
  cells: number;
  replicates: Count;
  runs: Count;
  parts: { purpose: string; runs: Count }[];
  hypotheses: PlannedHypothesis[];
  command: string | string[];
  commands: PlannedCell[];
  cost: PlannedTime;
  shortfall: string | null;
}

export type ShownGate = Api["shown_gate"];

/// The design of a study file.
export interface Plan {
  title: string;
  question: string;
  kind: string;
  family: number;
  alpha: number;
  hypotheses: PlannedHypothesis[];
  cells: PlannedCell[];
  runs: { smoke: number; pilot: number; aa: Count; repeat: number; warmup: number; search: number; registered: Count; total: Count };
  cost: PlannedTime;
  budget: { runs: number | null; wall_s: number | null; shortfall: string | null };
  left_out: { count: number; bytes: number };
  warnings: string[];
}

/// A study to start from.
export interface Template {
  name: string;
  text: string;
  files: string[];
}

export type BegunFolder = Api["begun_folder"];

export type Tried = Api["tried"];

export interface Conversation {
  line: string;
  role: string;
  tokens: number;
  usd: number;
  unanswered: number;
  ended: string | null;
  ending: string;
}

export type ListedConversation = Api["conversation_summary"];

export interface Step {
  by: "system" | "user" | "agent";
  seq: number;
  text: string;
  /// The conversation begins anew here: it had filled the model's context.
  anew: boolean;
  model?: string;
  thoughts?: string;
  tokens?: number;
  usd?: number | null;
  calls?: { tool: string; arguments: string; answer: string | null; refused: boolean }[];
}

export type ShownConversation = Api["conversation"];

export type CodeOfAgents = Api["code_of_agents"];

/// Refuses, when it is compiled, a type of the page that says other things than the description of the API.
type PartOf<Answer extends Shape, Shape> = Answer;
export type Checked = [
  PartOf<Api["study"], Omit<Study, "search">>,
  PartOf<Api["listed_study"], Omit<Study, "search" | "metrics">>,
  PartOf<Api["ledger"], Ledger>,
  PartOf<Api["plan"], Plan>,
  PartOf<NonNullable<Api["allowed"]>, Allowed>,
];
