#pragma once
// The sections of a study file. Each reads one key into the draft and records what is wrong.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/domain/study_spec.h"
#include "studyfile/draft/draft.h"

namespace studyfile {

void read_workspace(const Value&, Draft&);
void read_environment(const Value&, Draft&);
void read_data(const Value&, Draft&);
void read_setup(const Value& environment, Draft&);  ///< After data, constants and resources.
void read_factors(const Value&, Draft&);
void read_constants(const Value&, Draft&);
void read_constraints(const Value&, Draft&);  ///< After factors.
void read_run(const Value&, Draft&);          ///< After factors, constants and data.
void read_stages(const Value&, Draft&);       ///< Instead of `run`; after resources, too.
void read_metrics(const Value&, Draft&);
/// A metric's `from`; none, with a problem recorded, if it cannot be read.
std::optional<kernel::MetricSource> read_source(const Value&);
void read_guards(const Value&, Draft&);             ///< After metrics.
void check_derived(const Draft&);                   ///< After hypotheses: whether the runs that they need exist.
void read_design(const Value&, Draft&);             ///< After hypotheses.
void check_units(const Value& hypotheses, Draft&);  ///< In place of it, if there is no design.
void read_evaluator(const Value&, Draft&);          ///< After data, run, metrics and design.
void check_evaluated(Draft&);                       ///< After the evaluator, if there is one.
void refuse_hypotheses(const Value&, Draft&);       ///< For a screening or an optimisation.
void read_objectives(const Value&, Draft&);         ///< After metrics, before the design.
void read_fidelity(const Value&, Draft&);           ///< After factors and objectives.
void read_code(const Value&, Draft&);               ///< After factors and constants, the evaluator and resources.
/// Checks what a screening or an optimisation needs, after all other sections.
void check_search(const std::optional<Value>& factors, const std::optional<Value>& metrics, Draft&);
/// `{top, replicates}`
void read_confirm(const Value&, Draft&);
void read_search_rule(const Value&, Draft&);
/// Reads a factor's `range`, with its `scale`, `type` and `baseline`; returns whether all of it could be read.
bool read_range(const Fields& factor, const Value& range, kernel::StudyKind, kernel::Factor&);
void read_resources(const Value&, Draft&);
void read_outputs(const Value&, Draft&);
void read_budget(const Value&, Draft&);
void read_gates(const Value&, Draft&);
void read_authors(const Value&, Draft&);
void read_license(const Value&, Draft&);

/// What the command of one stage may name in addition to the common placeholders; a pair is a placeholder and a path.
struct InSight {
  std::vector<std::string> factors;  ///< Its own factors, and those of the stages that it needs.
  std::vector<std::string> own;      ///< Those that the command should name.
  std::vector<std::pair<std::string, std::string>> outputs,
      elsewhere;            ///< Of the stages that it needs, and of the other stages.
  bool before_all = false;  ///< The set-up of the environment, which is not a stage.
};
std::optional<kernel::CommandTemplate> read_command(const Value&);
/// Whether each placeholder is known; warns of own factors that none names, if it `acts` on them. `sight` is none for a
/// study without stages.
bool check_command(const Value&, const kernel::CommandTemplate&, const Draft&,
                   const std::optional<InSight>& sight = std::nullopt, bool acts = true);
/// The keys of `resources`; after factors.
void read_limits_of_run(const Value&, const Draft&, kernel::Resources&);

}  // namespace studyfile
