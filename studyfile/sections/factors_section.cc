#include "studyfile/draft/levels.h"
#include "studyfile/sections/extend_section.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

bool is_reserved(const std::string& name) {
  for (const char* ours : {"seed", "run_dir", "cpus", "gpus", "port", "data"})
    if (name == ours) return true;
  return false;
}

bool read_factor(const Value& entry, kernel::StudyKind kind, kernel::Factor& factor) {
  const std::optional<Fields> fields = entry.fields({"levels", "baseline", "type", "range", "scale"});
  if (!fields) return false;
  if (const auto range = fields->find("range")) return read_range(*fields, *range, kind, factor);
  if (const auto scale = fields->find("scale")) {
    scale->refuse_key("a scale is for a `range`", "leave it out");
    return false;
  }
  const std::optional<Value> levels = fields->need("levels", "list them: `levels: [a, b]`");
  if (!levels || !read_levels(*levels, fields->find("type"), factor)) return false;
  const auto baseline = fields->find("baseline");
  if (baseline) factor.baseline = find_level(*baseline, factor);
  return !baseline || factor.baseline;
}

}  // namespace

void read_factors(const Value& value, Draft& draft) {
  const std::optional<std::vector<Value>> entries = value.entries("factors");
  if (!entries) return;
  if (entries->empty()) return value.refuse("there are no factors", "name at least one thing that varies");
  draft.all_factors = true;
  for (const Value& entry : *entries) {
    kernel::Factor factor;
    factor.name = entry.name();
    bool sound = check_name(entry);
    if (is_reserved(entry.name())) {
      entry.refuse_key("`{" + entry.name() + "}` is a placeholder of its own", "give the factor another name");
      sound = false;
    }
    if (!read_factor(entry, draft.spec.kind, factor) || !sound || !adopt_control(entry, draft, factor))
      draft.unsure.insert(factor.name);
    draft.spec.factors.push_back(std::move(factor));
  }
}

void read_constants(const Value& value, Draft& draft) {
  const std::optional<std::vector<Value>> entries = value.entries("constants");
  draft.all_constants = entries.has_value();
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (is_reserved(entry.name()))
      entry.refuse_key("`{" + entry.name() + "}` is a placeholder of its own", "give the constant another name");
    else if (draft.spec.factor(entry.name()) != nullptr)
      entry.refuse_key("a factor has the same name", "rename one of the two");
    else
      check_name(entry);
    draft.spec.constants[entry.name()] = read_scalar(entry).value_or(kernel::Scalar{});
  }
}

void read_constraints(const Value& value, Draft& draft) {
  draft.constraints = value;
  const std::optional<std::vector<Value>> items = value.list("constraints");
  if (!items) return;
  for (const Value& item : *items) {
    const std::optional<Fields> fields = item.fields({"exclude"});
    const auto exclude = fields ? fields->need("exclude", "write `{exclude: {factor: level}}`") : std::nullopt;
    const auto entries = exclude ? exclude->entries("factors and levels") : std::nullopt;
    if (!entries) continue;
    if (entries->empty()) exclude->refuse("it names no factor", "write `{exclude: {factor: level}}`");
    std::map<std::string, std::vector<std::string>> cells;
    for (const Value& entry : *entries) {
      const kernel::Factor* factor = find_factor(entry, draft);
      if (factor == nullptr) continue;
      if (factor->range) {
        entry.refuse_key("a constraint excludes levels, and `" + factor->name + "` is a range",
                         "narrow the range instead");
        continue;
      }
      std::vector<Value> levels = {entry};
      if (entry.is_list()) levels = *entry.list("levels");
      if (levels.empty()) entry.refuse("an empty list", "name the levels to exclude");
      for (const Value& level : levels)
        if (const auto name = find_level(level, *factor)) cells[factor->name].push_back(*name);
    }
    if (!cells.empty()) draft.spec.excludes.push_back(std::move(cells));
  }
}

}  // namespace studyfile
