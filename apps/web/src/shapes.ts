// The parts of the API's answers that the page reads (docs/http.md), by the names of the description.

import type { components } from "./api_types";

type Api = components["schemas"];

export type Levels = Api["levels"];
export type Number_ = number | string | null;

export type Ledger = Api["ledger"];
export type Entry = Ledger["runs"];
export type Amounts = Pick<Ledger, "runs" | "wall_s" | "usd" | "tokens" | "gpu_hours" | "energy_j">;
export type ModelUse = NonNullable<Ledger["models"]>[number];
/// What replies state of their origin; null: they do not.
export type ModelAnswer = ModelUse["answers"][number];

export type Gate = Api["gate"];

export type Hypothesis = Api["hypothesis"];

export type Left = Api["left"];

export type Study = Api["study"];
/// Without its long lists; in place of the hypotheses it has how many have which verdict, are withdrawn or open.
export type ListedStudy = Api["listed_study"];
export type AnyStudy = Study | ListedStudy;

export type Search = Api["search"];

/// A setting that a search tried, the best first.
export type Candidate = Api["record_Candidate"];

export type FactorEffect = Api["record_FactorEffect"];

export type Gain = NonNullable<Api["gain"]>;

/// A version of the code that was compared with its base.
export type Idea = NonNullable<Api["searched_code"]["ideas"]>[number];

export type Result = Api["compared_result"];

export type Reproduction = Api["reproduction"];

export type Run = Api["run"];

export type FailureList = Api["failures"];

/// A metric by cell.
export type CellList = Api["cells"];

/// One metric of many runs, as columns over one x. The page asks for at most 1000 runs at a time.
export type CurveAnswer = Api["curves"];

/// When and on what runs ran, as columns. Of a measurement that is not known: null.
export type TimelineAnswer = Api["timeline"];

export type Health = Api["health"];

/// The type is unknown in an artifact of another program, and its fields hold what its authors wrote.
export type GraphNode = Omit<Api["node"], "type" | "fields"> & { type: Api["node"]["type"] | "unknown"; fields: Record<string, unknown> };

export type Claim = Api["claim"];

export type Experiment = Api["experiment"];

/// An event of a study that belongs neither to a run nor to a model's call.
export type Moment = Api["moment"];

/// A study's state after an event, with its last runs.
export type Past = Api["past"];

export type Recollection = Api["recollection"];

/// The inputs with which a study was opened.
export type Opening = Api["opening"];

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export type Findings = Api["findings"];

/// What can be read of an artifact.
export type Contents = Api["contents"];

/// A claim or an experiment as an artifact states it, in Markdown.
export type StatedEntry = Contents["claims"][number];

/// What the chosen part of an artifact took when it was recorded.
export type AgainCost = Api["cost_of_again"];

export type Count = Api["count"];

export type PlannedTime = Api["planned_time"];

export type PlannedHypothesis = Api["planned_hypothesis"];

export type PlannedCell = Api["planned_cell"];

/// What approving a gate allows.
export type Allowed = NonNullable<Api["allowed"]>;

/// The design of a study file.
export type Plan = Api["plan"];

export type BegunFolder = Api["begun_folder"];

export type Tried = Api["tried"];

export type ListedConversation = Api["conversation_summary"];

export type ShownConversation = Api["conversation"];

export type Step = ShownConversation["steps"][number];
