// The parts of the API's answers that the page reads (docs/http.md).

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
  /// Sentences that say where another model answered than the one that was asked.
  other_models?: string[];
  /// Sentences that say where a provider states fewer tokens than the texts of its calls can be.
  understated?: string[];
}

export interface Gate {
  id: string;
  on: string;
  what: string;
  opened: string | null;
  decision: string | null;
  why: string | null;
  by: string | null;
  tool: string | null;
  arguments: string | null;
}

export interface Hypothesis {
  id: string;
  statement: string;
  mechanism: string | null;
  by: string;
  kind: string;
  metric: string;
  treatment: Levels;
  control: Levels;
  where: Levels;
  direction: string;
  margin: { relative?: number; absolute?: number } | null;
  value?: number;
  status: string;
  verdict: string | null;
  effect: number | null;
  effect_relative: number | null;
  interval: [number | null, number | null] | null;
  interval_relative: [number | null, number | null] | null;
  level: number | null;
  p: number | null;
  p_corrected: number | null;
  n: [number, number] | null;
  reading?: { runs: [number, number]; text: string[] };
  failed: [number, number] | null;
  experiment: string | null;
  reason: string | null;
  withdrawn: string | null;
  warnings?: string[];
}

export interface Left {
  runs: [number, number];
  open: boolean;
  wall_s: { expected: number; low: number; high: number } | null;
  gpu_hours: number | null;
}

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
  integrity?: { metric: string; message: string }[];
  search?: Search;
  runs: Record<string, number>;
  ledger: Ledger;
  gates: Gate[];
  /// What its runs still take; absent where no run is left.
  left?: Left;
  steering: unknown[];
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
  claims: { id: string; hypothesis: string; outcome: string; reason: string; recorded: Result; observed: Result }[];
  seeds: string;
  sample: { drawn: number; of: number; text: string } | null;
  runs: { recorded: string; observed: string | null; outcome: string; reason: string }[];
  run_counts: Record<string, number>;
  untrue: { what: string }[];
  run_s: { recorded: number; observed: number };
  environment: { what: string; recorded: string; observed: string }[];
}

export interface Run {
  id: string;
  number: number;
  study: string;
  experiment: string | null;
  purpose: string;
  retry_of: string | null;
  launch: string | null;
  factors: Levels;
  seed: number;
  state: string;
  evidence: boolean;
  withheld: boolean;
  metrics: Record<string, Number_>;
  points: number;
  started: string | null;
  ended: string | null;
  exit: number | null;
  signal: number | null;
  /// Equal for failures of one cause.
  fingerprint: string | null;
  reason: string | null;
  /// Of the file or folder that stays in the home, under its hash.
  kept: { name: string | null; path: string; sha256: string; bytes: number }[];
  outputs_left_out: { count: number };
  stage: string | null;
  sandboxed: boolean;
  cached_from: string | null;
  node?: string;
  lease: { cpus: number; memory_bytes: number; gpus: string[]; gpu_share?: number };
  usage: {
    cpu_s: number;
    wall_s: number;
    rss_peak_bytes: number;
    read_bytes: number;
    written_bytes: number;
    energy: { joules: number; source: string } | null;
    gpu: { utilisation_mean: number | null; utilisation_max: number | null; memory_peak_bytes: number | null } | null;
  } | null;
}

/// One metric of many runs, as columns over one x. The page asks for at most 1000 runs at a time.
export interface CurveAnswer {
  metric: string;
  /// All that these runs reported more than once.
  metrics: string[];
  axis: "step" | "time";
  /// "extremes": each pair of `x` has the smallest and the greatest value around it.
  reduced: "extremes" | null;
  withheld: number;
  runs: {
    id: string[];
    experiment: (string | null)[];
    purpose: string[];
    state: string[];
    evidence: boolean[];
    seed: number[];
    factors: Record<string, (string | number | boolean | null)[]>;
    points: number[];
  };
  x: number[];
  y: Number_[][];
  mean_x: number[];
  mean: Number_[][];
  cursor: string | null;
}

export interface OutputFile {
  path: string;
  sha256: string;
  bytes: number;
}

export interface Health {
  process: number;
  studies: string[];
  machine: { cpus: number; memory_bytes: number; gpus: { id: string; memory_bytes: number }[] };
}

export interface GraphNode {
  id: string;
  type: "question" | "experiment" | "decision" | "dead_end" | "pivot" | "insight";
  title: string;
  parents: string[];
  fields: Record<string, unknown>;
  alternatives: string[];
  evidence: string[];
  experiment: string | null;
  hypothesis: string | null;
}

export interface Claim {
  id: string;
  title: string;
  statement: string;
  conditions: string;
  falsification: string;
  status: string;
  hypothesis: string;
  experiment: string | null;
}

export interface Experiment {
  id: string;
  hash: string;
  registered: string;
  analysed: boolean;
}

/// An event of a study that belongs neither to a run nor to a model's call.
export interface Moment {
  seq: number;
  time: string;
  actor: string;
  type: string;
  id: string | null;
  title: string | null;
}

/// A study's state after an event, with its last runs.
export interface Past {
  at: number;
  study: Study;
  nodes: GraphNode[];
  runs: Run[];
}

export interface Recollection {
  address: string;
  study: string;
  kind: string;
  verdict: string | null;
  title: string;
  excerpt: string;
}

/// The inputs with which a study was opened.
export interface Opening {
  spec: Record<string, unknown>;
  text: string;
  data: unknown;
  jobs: number;
  /// Hash of the frozen code.
  workspace: string | null;
  environment: {
    machine: Record<string, string> | null;
    programs: Record<string, string>[] | null;
    libraries: Record<string, Record<string, string>> | null;
  };
}

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export interface Findings {
  artifact: string;
  ok: boolean;
  errors: number;
  warnings: number;
  findings: { rule: string; severity: string; file: string | null; line: number | null; message: string; published: boolean; same_as?: string }[];
  not_verified: string[];
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

export interface ShownGate extends Gate {
  study: string;
  allows: Allowed | null;
}

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

export interface BegunFolder {
  folder: string;
  study: string;
  text: string;
  files: string[];
}

export interface Conversation {
  line: string;
  role: string;
  tokens: number;
  usd: number;
  unanswered: number;
  ended: string | null;
  ending: string;
}

export interface ListedConversation extends Conversation {
  steps: number;
}

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

export interface ShownConversation extends Conversation {
  /// The number of the first step listed.
  from: number;
  steps: Step[];
}

export interface CodeOfAgents {
  text: string;
  by: string;
  model: string;
  diff: string;
  files: string[];
  mends: string[];
}
