#include "artifacts/read/rules.h"

#include <array>

namespace artifacts {
namespace {

using enum Severity;

constexpr std::array table{
    Rule{RuleId::missing_file, "missing-file", error, "add the file, or correct the path that names it"},
    Rule{RuleId::too_large, "too-large", error, "split it or move bulk data into files that are only referred to"},
    Rule{RuleId::too_deep, "too-deep", error, "flatten it: name the parent by id instead of nesting further"},
    Rule{RuleId::outside_root, "outside-root", error, "copy the target into the artifact and refer to the copy"},
    Rule{RuleId::special_file, "special-file", error, "replace it by a regular file, or remove it"},
    Rule{RuleId::unreadable_file, "unreadable-file", error, "give yourself permission to read it"},
    Rule{RuleId::secret_file, "secret-file", info, "keep it out of every copy that you share"},
    Rule{RuleId::invalid_utf8, "invalid-utf8", warning, "save the file as UTF-8"},
    Rule{RuleId::control_characters, "control-characters", warning, "remove the control characters"},
    Rule{RuleId::bad_yaml, "bad-yaml", error, "correct the YAML; nothing in it was checked"},
    Rule{RuleId::bad_json, "bad-json", error, "restore the file from where the artifact was made"},
    Rule{RuleId::ambiguous_root, "ambiguous-root", error, "keep exactly one top-level key `tree:` holding the nodes"},
    Rule{RuleId::legacy_root, "legacy-root", warning, "rename `root:` to `tree:`"},
    Rule{RuleId::empty_tree, "empty-tree", warning, "list at least one node under `tree:`"},
    Rule{RuleId::bad_node, "bad-node", warning, "write each node as a mapping with `id`, `type` and `title`"},
    Rule{RuleId::duplicate_id, "duplicate-id", error, "give each one an id of its own"},
    Rule{RuleId::duplicate_key, "duplicate-key", warning, "keep one of the two"},
    Rule{RuleId::unknown_node_type, "unknown-node-type", warning,
         "use question, experiment, decision, dead_end, pivot or insight"},
    Rule{RuleId::unknown_node_key, "unknown-node-key", warning, "use a key of the format, or put it in `description`"},
    Rule{RuleId::unknown_value, "unknown-value", warning, "use one of the values that the format knows"},
    Rule{RuleId::dialect_key, "dialect-key", warning, "rename the key to its canonical name"},
    Rule{RuleId::dialect_header, "dialect-header", warning, "write the header as `## ID: title`"},
    Rule{RuleId::support_level, "support-level", warning, "write `support_level: explicit` or `inferred`"},
    Rule{RuleId::source_refs, "source-refs", warning, "list the sources in `source_refs`, or call the node inferred"},
    Rule{RuleId::dead_end_children, "dead-end-children", warning, "move the children to the node that went on"},
    Rule{RuleId::unknown_node, "unknown-node", error, "name a node of the tree"},
    Rule{RuleId::cycle, "cycle", error, "remove one of the edges: a node cannot build on its own outcome"},
    Rule{RuleId::redundant_edge, "redundant-edge", warning, "drop the entry: the nesting or another entry says it"},
    Rule{RuleId::unknown_claim, "unknown-claim", error, "name a claim of logic/claims.md, or add it there"},
    Rule{RuleId::not_a_claim, "not-a-claim", warning, "name the claim (C01) that the node is evidence for"},
    Rule{RuleId::unknown_experiment, "unknown-experiment", error,
         "name an experiment of logic/experiments.md, or add it there"},
    Rule{RuleId::unknown_observation, "unknown-observation", warning,
         "name an observation or gap of logic/problem.md, or add it there"},
    Rule{RuleId::missing_field, "missing-field", warning, "write the field, or state that it is not known"},
    Rule{RuleId::no_proof, "no-proof", warning, "name in `Proof` the experiment (E01) or the file that shows it"},
    Rule{RuleId::front_matter, "front-matter", warning,
         "start PAPER.md with `---`, the keys title, authors, year and ara_version \"1.0\", and `---`"},
    Rule{RuleId::no_layer_index, "no-layer-index", warning,
         "add `## Layer Index` to PAPER.md with one table per layer that lists every file"},
    Rule{RuleId::unindexed_file, "unindexed-file", error, "add a row for it to the index"},
    Rule{RuleId::count_mismatch, "count-mismatch", error, "write the number that the file holds"},
    Rule{RuleId::duplicate_stem, "duplicate-stem", warning,
         "rename one: evidence is matched by its name without folder and suffix"},
    Rule{RuleId::changed_file, "changed-file", error, "restore the file: it is not the one that was recorded"},
    Rule{RuleId::unlisted_file, "unlisted-file", error, "move it out of evidence/ and src/: it was not recorded"},
    Rule{RuleId::extra_file, "extra-file", info, "nothing to mend: people may annotate an artifact"},
    Rule{RuleId::broken_chain, "broken-chain", error, "restore the log from where the artifact was made"},
    Rule{RuleId::log_mismatch, "log-mismatch", error, "restore etude.json from where the artifact was made"},
    Rule{RuleId::workspace_mismatch, "workspace-mismatch", error,
         "restore src/workspace: this is not the code that ran"},
    Rule{RuleId::broken_link, "broken-link", error, "add what the link leads to, or correct the link"},
    Rule{RuleId::grounding, "grounding", warning,
         "start the file with a comment that says `Grounding: transcribed` or `Grounding: reconstructed`"},
    Rule{RuleId::expected_numbers, "expected-numbers", warning,
         "say which way it should go, and leave the numbers to the evidence"},
    Rule{RuleId::bad_source, "bad-source", warning,
         "write `value ← reference «verbatim quote» [input]` or `[result]`, or `[pending: reason]`"},
    Rule{RuleId::no_record, "no-record", warning,
         "ask for an artifact with etude.json and its event log: only form, references and words were judged"},
    Rule{RuleId::lost_record, "lost-record", critical,
         "restore etude.json and trace/events.jsonl: nothing could be recomputed"},
    Rule{RuleId::other_version, "other-version", info,
         "audit it with the etude that wrote it before you judge by what differs"},
    Rule{RuleId::wrong_head, "wrong-head", critical,
         "believe the head that was printed when the study ended, not this log"},
    Rule{RuleId::changed_line, "changed-line", critical, "restore what the event log says"},
    Rule{RuleId::added_line, "added-line", critical, "remove it: the event log says nothing of the kind"},
    Rule{RuleId::added_prose, "added-prose", info,
         "nothing to mend: people may annotate, and nothing vouches for what they add"},
    Rule{RuleId::unrecorded_claim, "unrecorded-claim", critical, "remove it: no verdict stands behind it"},
    Rule{RuleId::unrecorded_experiment, "unrecorded-experiment", critical,
         "remove it: no such experiment was registered"},
    Rule{RuleId::unrecorded_node, "unrecorded-node", critical, "remove it: the event log knows no such step"},
    Rule{RuleId::missing_entry, "missing-entry", critical, "restore it: what was recorded may not be left out"},
    Rule{RuleId::changed_status, "changed-status", critical,
         "write what was recorded: the verdict decides, not the author"},
    Rule{RuleId::unrecorded_file, "unrecorded-file", critical, "remove it: nothing that was recorded gives this file"},
    Rule{RuleId::changed_evidence, "changed-evidence", critical,
         "restore the file: it does not hold what the run left"},
    Rule{RuleId::metric_mismatch, "metric-mismatch", critical,
         "do not use the value: what the run reported gives another"},
    Rule{RuleId::score_mismatch, "score-mismatch", critical, "do not use the result: the recorded runs give another"},
    Rule{RuleId::decision_mismatch, "decision-mismatch", critical,
         "do not rely on it: from the events before, the kernel decides otherwise"},
    Rule{RuleId::unread_points, "unread-points", info, "ask for the points: values were taken as recorded"},
    Rule{RuleId::late_registration, "late-registration", critical,
         "treat its runs as exploration: they were not registered beforehand"},
    Rule{RuleId::older_than_registration, "older-than-registration", warning,
         "ask whether the clock was set back in between; if not, the results came first"},
    Rule{RuleId::out_of_order, "out-of-order", critical,
         "do not rely on the order of events: it is not the one in which they happened"},
    Rule{RuleId::registration_mismatch, "registration-mismatch", critical,
         "do not take it for registered: something else was"},
    Rule{RuleId::unregistered_run, "unregistered-run", critical, "leave it out of the evidence: it was not registered"},
    Rule{RuleId::missing_run, "missing-run", critical,
         "ask for the run: a registered run is evidence whatever its end"},
    Rule{RuleId::illegal_retry, "illegal-retry", critical,
         "count the first attempt: only lost runs and those that ask for it are run again"},
    Rule{RuleId::protected_changed, "protected-changed", critical,
         "do not use the scores: what computes them is not what was registered"},
    Rule{RuleId::unknown_placeholder, "unknown-placeholder", error,
         "name a factor, a constant or a value that runs get"},
    Rule{RuleId::missing_code, "missing-code", warning,
         "ask for the file: the command names it, and the snapshot of the code lacks it"},
    Rule{RuleId::unused_factor, "unused-factor", warning,
         "show how the factor reaches the code: neither the command nor the code names it"},
    Rule{RuleId::unnamed_parameter, "unnamed-parameter", info, "look for it in the libraries that the code uses"},
    Rule{RuleId::constant_metric, "constant-metric", warning,
         "declare it `deterministic: true`, or show that the seed has an effect"},
    Rule{RuleId::copied_result, "copied-result", warning,
         "ask for the logs: independent runs do not agree in every digit"},
    Rule{RuleId::no_work, "no-work", warning,
         "look at its log: the value came without the work that the others needed"},
    Rule{RuleId::no_falsification, "no-falsification", warning, "say which observation would refute the claim"},
    Rule{RuleId::tautological_falsification, "tautological-falsification", warning,
         "name an observation that could be made; that the claim is false is none"},
    Rule{RuleId::unbounded_claim, "unbounded-claim", warning,
         "say of what was looked at, or bound the claim in its Conditions"},
    Rule{RuleId::orphan_experiment, "orphan-experiment", warning,
         "name it in the Proof of the claim that it bears on, or say why it bears on none"},
    Rule{RuleId::one_sided_proof, "one-sided-proof", warning,
         "add the claim to the experiment's Verifies, or name the experiment that does verify it"},
    Rule{RuleId::fallen_dependency, "fallen-dependency", warning,
         "show the claim without what fell, or withdraw it too"},
    Rule{RuleId::rejected_branch, "rejected-branch", critical,
         "ask what changed since that was given up; until then do not build on the claim"},
    Rule{RuleId::source_mismatch, "source-mismatch", error, "do not use the number: its source does not say it"},
    Rule{RuleId::unsourced_number, "unsourced-number", warning, "quote the evidence that holds it in Sources"},
    Rule{RuleId::label_mismatch, "label-mismatch", warning, "make name, heading, Source and index say the same"},
    Rule{RuleId::provenance, "provenance", info, "nothing to mend: it says who is said to have done what"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].rule) != i) return false;
  return true;
}
static_assert(in_order(), "rule_of() indexes the table by RuleId");

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case info:
      return "info";
    case warning:
      return "warning";
    case error:
      return "error";
    case critical:
      return "critical";
  }
  return "error";
}

const Rule& rule_of(RuleId rule) {
  return table[static_cast<std::size_t>(rule)];
}

std::span<const Rule> all_rules() {
  return table;
}

std::span<const Rule> check_rules() {
  return all_rules().first(static_cast<std::size_t>(RuleId::no_record));
}

std::span<const Rule> audit_rules() {
  return all_rules().subspan(static_cast<std::size_t>(RuleId::no_record));
}

}  // namespace artifacts
