#pragma once
// A study while it is being read, and its sections. Each reads one key of the file into the draft and records what is
// wrong; a section whose names could not all be read says so, so that others do not call them unknown.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"
#include "studyfile/load.h"
#include "studyfile/value.h"

namespace studyfile {

struct Draft {
  kernel::StudySpec spec;
  std::filesystem::path folder;  ///< The study file's; relative paths start here.
  bool all_factors = false, all_constants = true, all_data = true, all_metrics = false;  ///< Every name was read.
  std::set<std::string> unsure;                 ///< Factors whose levels could not all be read.
  std::set<std::string> with_goal;              ///< Metrics whose goal the author gave.
  std::map<std::string, Value> derived;         ///< Metric → its `derive`.
  std::map<std::string, Value> from_evaluator;  ///< Metric → its `from`, where that is the evaluator.
  std::optional<Value> replicates;              ///< Where the author gave them.
  std::optional<Value> constraints;
  bool sound_hypotheses = true;  ///< Everything listed could be read.
  bool has_tiers = false;        ///< The evaluator has a command, or what could be meant as one.
};

/// `own_code`: the study has a workspace of its own.
void read_extend(const Value&, bool own_code, const LookAtParent&, Draft&);
/// The control of what the study extends, where the factor has no baseline; false: it has no such level.
bool adopt_control(const Value& entry, const Draft&, kernel::Factor&);
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
void read_guards(const Value&, Draft&);      ///< After metrics.
void check_derived(const Draft&);            ///< After hypotheses: do the runs exist that they need?
void read_hypotheses(const Value&, Draft&);  ///< After factors, constraints and metrics.
/// One of them, added to the draft; false where it could not all be read, with problems recorded.
bool read_hypothesis(const Value& item, Draft&);
void check_derivable(const Value& factors, Draft&);  ///< With no hypothesis listed: are there any to derive?
void read_design(const Value&, Draft&);              ///< After hypotheses.
void read_blocks(const Value&, Draft&);              ///< `design.blocks`
void read_evaluator(const Value&, Draft&);           ///< After data, run, metrics and design.
void check_evaluated(Draft&);                        ///< After the evaluator, if there is one.
void refuse_hypotheses(const Value&, Draft&);        ///< Of a screening or an optimisation.
void read_fidelity(const Value&, Draft&);            ///< After factors.
void read_code(const Value&, Draft&);                ///< After factors and constants, the evaluator and resources.
/// What a screening or an optimisation needs, after all else.
void check_search(const std::optional<Value>& factors, const std::optional<Value>& metrics, Draft&);
/// `{top, replicates}`
void read_confirm(const Value&, Draft&);
/// A factor's `range`, with its `scale`, `type` and `baseline`; whether all of it is sound.
bool read_range(const Fields& factor, const Value& range, kernel::StudyKind, kernel::Factor&);
void read_resources(const Value&, Draft&);
void read_outputs(const Value&, Draft&);
void read_budget(const Value&, Draft&);
void read_gates(const Value&, Draft&);
void read_corpus(const Value&, Draft&);
void read_references(const Value&, Draft&);

/// What one stage's command may name beside what every command may: pairs are a placeholder and a path.
struct InSight {
  std::vector<std::string> factors;  ///< Its own, and those of what it needs.
  std::vector<std::string> own;
  std::vector<std::pair<std::string, std::string>> outputs, elsewhere;  ///< Of what it needs, and of other stages.
  bool before_all = false;  ///< The set-up of the environment, which is no stage.
};
std::optional<kernel::CommandTemplate> read_command(const Value&);
/// Whether each placeholder is known; warns of own factors that none names, if it `acts` on them. `sight`: none for a
/// study without stages.
bool check_command(const Value&, const kernel::CommandTemplate&, const Draft&,
                   const std::optional<InSight>& sight = std::nullopt, bool acts = true);
/// The keys of `resources`.
void read_limits_of_run(const Value&, kernel::Resources&);

/// A name that may be a placeholder, a path and an id, and is none of ours.
bool check_name(const Value& entry);

/// The factor that a mapping's key names; null, with a problem recorded, when there is none; null without one where
/// the factor's own problems stand in the way.
const kernel::Factor* find_factor(const Value& entry, const Draft&);
/// The same of a value.
const kernel::Factor* named_factor(const Value&, const Draft&);
/// The name of the factor's level that `value` spells; by text, or by number (`1e3` for `1000`).
std::optional<std::string> find_level(const Value& value, const kernel::Factor&);
/// Factor → level, each known.
std::optional<kernel::Cell> read_cell(const Value&, const Draft&);
/// The metric that a value names.
const kernel::Metric* find_metric(const Value& value, const Draft&);

/// Whether it is there and readable; records a problem.
bool check_present(const Value&, const std::string& path);
/// An absolute path, `.` and `..` resolved by name.
std::string absolute_path(const std::string& path, const Draft&);

}  // namespace studyfile
