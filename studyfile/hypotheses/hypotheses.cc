#include "studyfile/hypotheses/hypotheses.h"

#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

constexpr std::size_t max_hypotheses = 1000;

bool read_id(const Value& value, kernel::Hypothesis& hypothesis, const Draft& draft) {
  const std::optional<std::string> id = value.text();
  if (!id) return false;
  if (!is_name(*id))
    return value.refuse("`" + shown(*id) + "` cannot be an id",
                        "use letters, digits, `_` and `-`, a letter first, such as `H1`"),
           false;
  for (const kernel::Hypothesis& earlier : draft.spec.hypotheses)
    if (earlier.id.text() == *id)
      return value.refuse("the hypothesis of line " + std::to_string(earlier.line) + " has the same id",
                          "give each its own"),
             false;
  hypothesis.id = kernel::HypothesisId(*id);
  return true;
}

bool read_item(const Value& item, kernel::Hypothesis& hypothesis, const Draft& draft) {
  const auto fields =
      item.fields({"id", "statement", "mechanism", "test", "smallest_effect", "method", "over", "unit", "requires",
                   elsewhere("kind", "test"), elsewhere("metric", "test"), elsewhere("treatment", "test"),
                   elsewhere("control", "test"), elsewhere("where", "test"), elsewhere("direction", "test"),
                   elsewhere("margin", "test"), elsewhere("along", "test")});
  if (!fields || !fields->complete()) return false;
  hypothesis.line = item.place().line;
  bool sound = true;
  if (const auto id = fields->need("id", "give it one, such as `H1`")) sound = read_id(*id, hypothesis, draft);
  if (const auto statement = fields->need("statement", "say in a sentence what should hold"))
    hypothesis.statement = statement->sentence().value_or("");
  if (const auto mechanism = fields->find("mechanism")) hypothesis.mechanism = mechanism->sentence().value_or("");
  const auto test = fields->need(
      "test", "say what is measured and compared: `test: {metric: …, treatment: …, control: …, direction: …}`");
  return test && read_test(*fields, *test, hypothesis, draft) && sound;
}

}  // namespace

void read_hypotheses(const Value& value, Draft& draft) {
  draft.sound_hypotheses = false;
  const auto items = value.list("hypotheses");
  if (!items) return;
  if (items->size() > max_hypotheses)
    return value.refuse(std::to_string(items->size()) + " hypotheses",
                        "a study tests at most " + std::to_string(max_hypotheses));
  draft.sound_hypotheses = true;
  for (const Value& item : *items)
    if (!read_hypothesis(item, draft)) draft.sound_hypotheses = false;
}

bool read_hypothesis(const Value& item, Draft& draft) {
  kernel::Hypothesis hypothesis;
  const bool sound = read_item(item, hypothesis, draft);
  draft.spec.hypotheses.push_back(std::move(hypothesis));
  return sound;
}

void check_derivable(const Value& factors, Draft& draft) {
  if (!draft.all_factors || !draft.unsure.empty()) return;
  bool derivable = false;
  for (const kernel::Factor& factor : draft.spec.factors) {
    if (!factor.baseline) continue;
    derivable = true;
    for (const kernel::Level& level : factor.levels) {
      if (level.name == *factor.baseline) continue;
      if (leaves_a_cell(draft.spec, {{{factor.name, level.name}}, {{factor.name, *factor.baseline}}})) continue;
      return draft.constraints->refuse_key("they leave no cell in which `" + level.name + "` and the baseline `" +
                                               *factor.baseline + "` of `" + factor.name + "` can both run",
                                           "relax one, or list the hypotheses to test");
    }
    if (crossed_cells(draft.spec, {{factor.name, *factor.baseline}}, 100001) > 100000)
      return factors.refuse_key("the factors cross to more than 100000 cells",
                                "list hypotheses that fix some of them in `where`");
  }
  if (!derivable)
    factors.refuse_key("no hypothesis is listed and no factor has a baseline to derive one from",
                       "add `baseline:` to a factor, or list `hypotheses`");
}

}  // namespace studyfile
