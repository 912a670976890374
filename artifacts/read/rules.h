#pragma once
// The table of all rules of `check` and `audit`: id, default severity, and one sentence with the remedy. Knows nothing
// of how a rule is checked.

#include <span>
#include <string_view>

namespace artifacts {

enum class Severity { info, warning, error, critical };

std::string_view name_of(Severity severity);

enum class RuleId {
  missing_file,
  too_large,
  too_deep,
  outside_root,
  special_file,
  unreadable_file,
  secret_file,
  invalid_utf8,
  control_characters,
  bad_yaml,
  bad_json,
  ambiguous_root,
  legacy_root,
  empty_tree,
  bad_node,
  duplicate_id,
  duplicate_key,
  unknown_node_type,
  unknown_node_key,
  unknown_value,
  dialect_key,
  dialect_header,
  support_level,
  source_refs,
  dead_end_children,
  unknown_node,
  cycle,
  redundant_edge,
  unknown_claim,
  not_a_claim,
  unknown_experiment,
  unknown_observation,
  missing_field,
  no_proof,
  front_matter,
  no_layer_index,
  unindexed_file,
  count_mismatch,
  duplicate_stem,
  changed_file,
  unlisted_file,
  extra_file,
  broken_chain,
  log_mismatch,
  workspace_mismatch,
  broken_link,
  grounding,
  expected_numbers,
  bad_source,
  // Rules of audits only.
  no_record,
  lost_record,
  other_version,
  wrong_head,
  changed_line,
  added_line,
  added_prose,
  unrecorded_claim,
  unrecorded_experiment,
  unrecorded_node,
  missing_entry,
  changed_status,
  unrecorded_file,
  changed_evidence,
  metric_mismatch,
  score_mismatch,
  decision_mismatch,
  unread_points,
  late_registration,
  older_than_registration,
  out_of_order,
  registration_mismatch,
  unregistered_run,
  missing_run,
  illegal_retry,
  protected_changed,
  unknown_placeholder,
  missing_code,
  unused_factor,
  unnamed_parameter,
  constant_metric,
  copied_result,
  no_work,
  // Rules of audits of artifacts without a record, which are judged by their words.
  no_falsification,
  tautological_falsification,
  unbounded_claim,
  orphan_experiment,
  one_sided_proof,
  fallen_dependency,
  rejected_branch,
  source_mismatch,
  unsourced_number,
  label_mismatch,
  provenance,
};

struct Rule {
  RuleId rule;
  std::string_view id;  ///< Never changes, because scripts use it.
  Severity severity;    ///< The default; a single finding may have a lower one.
  std::string_view mend;
};

const Rule& rule_of(RuleId rule);
std::span<const Rule> all_rules();
std::span<const Rule> check_rules();
/// In addition to those of `check`, which an audit applies too.
std::span<const Rule> audit_rules();

}  // namespace artifacts
