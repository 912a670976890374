#include "studyfile/draft/draft.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

#include "kernel/domain/cells.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

namespace fs = std::filesystem;

/// A suggestion; none if the factor exists, or if not all factors could be read.
std::optional<std::string> unknown_factor(const std::string& name, const Draft& draft) {
  if (draft.spec.factor(name) != nullptr || !draft.all_factors) return std::nullopt;
  return suggestion(name, names_of(draft.spec.factors), "the factors are");
}

bool is_readable(const std::string& path) {
  std::error_code error;
  const int wanted = fs::is_directory(path, error) ? R_OK | X_OK : R_OK;
  return faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) == 0;
}

/// Looks for levels of the open factors with which no constraint excludes any arm.
class Search {
 public:
  Search(const kernel::StudySpec& spec, std::vector<kernel::Cell> arms) : spec_(spec), arms_(std::move(arms)) {
    std::set<std::string> open;
    for (const auto& exclude : spec_.excludes)
      for (const auto& [factor, levels] : exclude) open.insert(factor);
    for (const std::string& name : open)
      if (!arms_.front().contains(name)) open_.push_back(spec_.factor(name));
  }

  bool finds_one(std::size_t depth = 0) {
    if (++steps_ > 100000) return true;
    if (excluded()) return false;
    if (depth == open_.size()) return true;
    const kernel::Factor& factor = *open_[depth];
    for (const kernel::Level& level : factor.levels) {
      for (kernel::Cell& arm : arms_) arm[factor.name] = level.name;
      if (finds_one(depth + 1)) return true;
    }
    for (kernel::Cell& arm : arms_) arm.erase(factor.name);
    return false;
  }

 private:
  /// Whether a constraint already applies to the present choice, whatever the open factors become.
  bool excluded() const {
    return std::ranges::any_of(arms_, [&](const kernel::Cell& arm) { return kernel::is_excluded(spec_, arm); });
  }

  const kernel::StudySpec& spec_;
  std::vector<kernel::Cell> arms_;
  std::vector<const kernel::Factor*> open_;
  int steps_ = 0;
};

}  // namespace

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool check_name(const Value& entry) {
  if (is_name(entry.name())) return true;
  entry.refuse_key("`" + shown(entry.name()) + "` cannot be a name",
                   "use letters, digits, `_` and `-`, a letter first, at most 64");
  return false;
}

const kernel::Factor* find_factor(const Value& entry, const Draft& draft) {
  const std::optional<std::string> todo = unknown_factor(entry.name(), draft);
  if (todo) entry.refuse_key("no factor is called `" + shown(entry.name()) + "`", *todo);
  return todo || draft.unsure.contains(entry.name()) ? nullptr : draft.spec.factor(entry.name());
}

const kernel::Factor* named_factor(const Value& value, const Draft& draft) {
  const std::optional<std::string> name = value.text();
  if (!name) return nullptr;
  const std::optional<std::string> todo = unknown_factor(*name, draft);
  if (todo) value.refuse("no factor is called `" + shown(*name) + "`", *todo);
  return todo || draft.unsure.count(*name) > 0 ? nullptr : draft.spec.factor(*name);
}

std::optional<std::string> find_level(const Value& value, const kernel::Factor& factor) {
  if (!value.is_scalar()) return value.refuse_kind("one level of `" + factor.name + "`"), std::nullopt;
  const YamlNode& node = value.node();
  if (factor.level(node.text) != nullptr) return node.text;
  const std::optional<double> number = node.quoted ? std::nullopt : as_number(node.text);
  const std::vector<std::string> names = names_of(factor.levels);
  for (const kernel::Level& level : factor.levels)
    if (number && level.value.number && *number == *level.value.number) return level.name;
  value.refuse("`" + factor.name + "` has no level `" + shown(node.text) + "`",
               number ? "its levels are " + listed(names) : suggestion(node.text, names, "its levels are"));
  return std::nullopt;
}

std::optional<kernel::Cell> read_cell(const Value& value, const Draft& draft) {
  const std::optional<std::vector<Value>> entries = value.entries("factors and levels");
  if (!entries) return std::nullopt;
  kernel::Cell cell;
  bool sound = true;
  for (const Value& entry : *entries) {
    const kernel::Factor* factor = find_factor(entry, draft);
    const std::optional<std::string> level = factor != nullptr ? find_level(entry, *factor) : std::nullopt;
    sound = sound && level;
    if (level) cell[factor->name] = *level;
  }
  return sound ? std::optional(cell) : std::nullopt;
}

const kernel::Metric* find_metric(const Value& value, const Draft& draft) {
  const std::optional<std::string> name = value.text();
  if (!name) return nullptr;
  const kernel::Metric* metric = draft.spec.metric(*name);
  if (metric != nullptr || !draft.all_metrics) return metric;
  value.refuse("no metric is called `" + shown(*name) + "`",
               suggestion(*name, names_of(draft.spec.metrics), "the metrics are"));
  return nullptr;
}

bool check_present(const Value& value, const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    value.refuse("there is no `" + path + "`", "relative paths start at the study file's folder");
    return false;
  }
  if (is_readable(path)) return true;
  value.refuse("`" + path + "` is not readable", "give this user the right to read it");
  return false;
}

bool lies_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + "/");
}

std::string absolute_path(const std::string& path, const Draft& draft) {
  std::string out = (draft.folder / path).lexically_normal().string();
  if (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

bool leaves_a_cell(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& arms) {
  return Search(spec, arms).finds_one();
}

std::size_t crossed_cells(const kernel::StudySpec& spec, const kernel::Cell& fixed, std::size_t limit) {
  std::size_t cells = 1;
  for (const kernel::Factor& factor : spec.factors) {
    if (fixed.contains(factor.name)) continue;
    cells *= std::max<std::size_t>(1, factor.levels.size());
    if (cells > limit) return limit;
  }
  return cells;
}

}  // namespace studyfile
