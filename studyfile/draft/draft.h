#pragma once
// A study while it is being read, and what its sections look up in it: factors, levels, metrics, paths. A section whose
// names could not all be read says so in the draft, so that others do not call them unknown.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

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

/// The enumerator of that name.
template <typename E>
std::optional<E> choice_of(const Value& value) {
  const std::optional<std::size_t> chosen = value.choice(kernel::EnumNames<E>::all);
  return chosen ? std::optional(static_cast<E>(*chosen)) : std::nullopt;
}

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
