#include "studyfile/hypotheses/steps.h"

#include <algorithm>

#include "studyfile/draft/levels.h"

namespace studyfile {
namespace {

bool read_listed(const Value& entry, const kernel::Factor& factor, std::vector<std::string>& steps) {
  const auto items = entry.list("levels");
  if (!items) return false;
  for (const Value& item : *items) {
    const std::optional<std::string> level = find_level(item, factor);
    if (!level) return false;
    if (std::find(steps.begin(), steps.end(), *level) != steps.end())
      return item.refuse("the level `" + *level + "` is there twice", "name each once"), false;
    steps.push_back(*level);
  }
  return true;
}

}  // namespace

bool read_steps(const Fields& test, kernel::Hypothesis& hypothesis, const Draft& draft) {
  const bool interaction = hypothesis.kind == kernel::HypothesisKind::interaction;
  const auto along = test.need("along", interaction ? "name the factor between two levels of which the effect changes"
                                                    : "name the factor along which the effect changes its sign");
  if (!along) return false;
  const kernel::Factor* factor = nullptr;
  if (along->is_mapping()) {
    const auto entries = along->entries("a factor and its levels");
    if (!entries) return false;
    if (entries->size() != 1)
      return along->refuse("it names " + std::to_string(entries->size()) + " factors", "name one: `{factor: [a, b]}`"),
             false;
    factor = find_factor(entries->front(), draft);
    if (factor == nullptr || !read_listed(entries->front(), *factor, hypothesis.steps)) return false;
  } else {
    factor = named_factor(*along, draft);
    if (factor == nullptr) return false;
    for (const kernel::Level& level : factor->levels) hypothesis.steps.push_back(level.name);
    // An interaction starts from the baseline.
    if (interaction && factor->baseline == hypothesis.steps.back())
      std::reverse(hypothesis.steps.begin(), hypothesis.steps.end());
  }
  hypothesis.along = factor->name;
  for (const kernel::Cell* named : {&hypothesis.treatment, &hypothesis.where})
    if (named->count(factor->name) > 0)
      return along->refuse("`" + factor->name + "` is set by an arm or by `where`", "leave it out there"), false;
  const std::size_t count = hypothesis.steps.size();
  if (interaction && count != 2)
    return along->refuse("an interaction is between two levels, not " + std::to_string(count),
                         "name them: `along: {" + factor->name + ": [from, to]}`"),
           false;
  if (count < 2) return along->refuse("one level has no other to change to", "name two levels or more"), false;
  return true;
}

}  // namespace studyfile
