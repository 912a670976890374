#pragma once
// A study that is being read, and look-ups for its sections: factors, levels, metrics, the cells that constraints
// leave, and paths. A section that could not read all of its names marks that in the draft, so that other sections do
// not report them as unknown.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/study_spec.h"
#include "studyfile/yaml/value.h"

namespace studyfile {

struct Draft {
  kernel::StudySpec spec;
  std::filesystem::path folder;  ///< The study file's folder, where relative paths start.
  bool all_factors = false, all_constants = true, all_data = true,
       all_metrics = false;                     ///< Whether every name was read.
  std::set<std::string> unsure;                 ///< Factors whose levels could not all be read.
  std::set<std::string> with_goal;              ///< Metrics with a goal in the file.
  std::map<std::string, Value> derived;         ///< Metric → its `derive`.
  std::map<std::string, Value> from_evaluator;  ///< Metric → its `from`, if that is the evaluator.
  std::optional<Value> constraints;
  bool sound_hypotheses = true;  ///< Whether every listed hypothesis could be read.
  bool searches_code = false;    ///< Whether there is a `code` section.
  bool has_tiers = false;        ///< Whether the evaluator has a command, or something that may be meant as one.
};

/// The enumerator of that name, one of the first `count`.
template <typename E>
std::optional<E> choice_of(const Value& value, std::size_t count = kernel::EnumNames<E>::all.size()) {
  const std::optional<std::size_t> chosen = value.choice(std::span(kernel::EnumNames<E>::all).first(count));
  return chosen ? std::optional(static_cast<E>(*chosen)) : std::nullopt;
}

/// The names of factors, levels or metrics.
template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}

/// A name that may be a placeholder, a path and an id, and is none of ours.
bool check_name(const Value& entry);

/// The factor that a mapping's key names. Null if there is none, with a problem recorded unless the factor itself has
/// problems.
const kernel::Factor* find_factor(const Value& entry, const Draft&);
/// The factor that a value names. Null as for `find_factor`.
const kernel::Factor* named_factor(const Value&, const Draft&);
/// The name of the factor's level that `value` spells, by text or by number (`1e3` for `1000`).
std::optional<std::string> find_level(const Value& value, const kernel::Factor&);
/// Factor → level, each known.
std::optional<kernel::Cell> read_cell(const Value&, const Draft&);
/// The metric that a value names.
const kernel::Metric* find_metric(const Value& value, const Draft&);

/// Whether the path exists and is readable; records a problem otherwise.
bool check_present(const Value&, const std::string& path);
bool is_among(const std::vector<std::string>& names, const std::string& name);

/// Whether the path is the folder or inside it, by name.
bool lies_below(const std::string& path, const std::string& folder);
/// The absolute path, with `.` and `..` resolved by name.
std::string absolute_path(const std::string& path, const Draft&);

/// Whether some choice of levels for the open factors of `arms` makes a cell that no constraint excludes in any arm.
/// Returns true if the answer would take more than about 10^5 steps.
bool leaves_a_cell(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& arms);

/// The number of cells that the factors outside `fixed` make, ignoring constraints; `limit` if there are more.
std::size_t crossed_cells(const kernel::StudySpec& spec, const kernel::Cell& fixed, std::size_t limit);

}  // namespace studyfile
