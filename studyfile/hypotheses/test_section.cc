#include <algorithm>

#include "studyfile/draft/draft.h"
#include "studyfile/hypotheses/hypotheses.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

constexpr std::size_t max_cells = 100000;

kernel::Cell joined(kernel::Cell cell, const kernel::Cell& other) {
  cell.insert(other.begin(), other.end());
  return cell;
}

/// `where` fixes factors that the arms leave open.
bool check_where(const Value& where, const kernel::Cell& arms, bool slope) {
  const auto entries = where.entries("factors and levels");
  for (const Value& entry : *entries) {
    if (arms.count(entry.name()) == 0) continue;
    if (slope)
      entry.refuse_key("the slope runs along `" + entry.name() + "`", "leave it out of `where`");
    else
      entry.refuse_key("an arm sets `" + entry.name() + "` too",
                       "name a factor in the arms or in `where`, not in both");
    return false;
  }
  return true;
}

bool check_arms(const Fields& test, const kernel::Hypothesis& hypothesis) {
  const Value treatment = *test.find("treatment"), control = *test.find("control");
  if (hypothesis.treatment.empty())
    return treatment.refuse("it names no factor", "name what is compared: `{factor: level}`"), false;
  const auto refuse_silence = [](const Value& arm, const std::string& factor, const std::string& other) {
    arm.refuse("it says nothing of `" + factor + "`, which the " + other + " sets",
               "set it in both arms, or in `where`");
    return false;
  };
  for (const auto& [factor, level] : hypothesis.treatment)
    if (!hypothesis.control.contains(factor)) return refuse_silence(control, factor, "treatment");
  for (const auto& [factor, level] : hypothesis.control)
    if (!hypothesis.treatment.contains(factor)) return refuse_silence(treatment, factor, "control");
  if (hypothesis.treatment == hypothesis.control)
    return control.refuse("treatment and control are equal", "let them differ in at least one factor"), false;
  return true;
}

bool check_crossing(const Value& test, const kernel::Cell& fixed, const Draft& draft) {
  if (crossed_cells(draft.spec, fixed, max_cells + 1) <= max_cells) return true;
  test.refuse("the factors named nowhere in it cross to more than 100000 cells", "fix some of them in `where`");
  return false;
}

bool read_listed(const Value& entry, const kernel::Factor& factor, std::vector<std::string>& steps) {
  const auto items = entry.list("levels");
  if (!items) return false;
  for (const Value& item : *items) {
    const std::optional<std::string> level = find_level(item, factor);
    if (!level) return false;
    if (is_among(steps, *level))
      return item.refuse("the level `" + *level + "` is there twice", "name each once"), false;
    steps.push_back(*level);
  }
  return true;
}

/// Fills `along` and `steps`, the levels that an interaction or a crossover compares: `along: FACTOR` means all its
/// levels, `along: {FACTOR: [level, level]}` these; an interaction has exactly two.
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
    if (interaction && factor->baseline == hypothesis.steps.back()) std::ranges::reverse(hypothesis.steps);
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

bool read_compare(const Fields& test, kernel::Hypothesis& hypothesis, const Draft& draft) {
  const bool compare = hypothesis.kind == kernel::HypothesisKind::compare;
  for (const char* key : {"along", "scale", "value"}) {
    const auto extra = compare || key != std::string_view("along") ? test.find(key) : std::nullopt;
    if (extra) return extra->refuse_key("it belongs to `kind: slope`", "leave it out, or add `kind: slope`"), false;
  }
  const auto treatment = test.need("treatment", "name the arm that should differ: `{factor: level}`");
  const auto control = test.need("control", "name the arm to compare with: `{factor: level}`");
  const auto treated = treatment ? read_cell(*treatment, draft) : std::nullopt;
  const auto compared = control ? read_cell(*control, draft) : std::nullopt;
  if (!treated || !compared) return false;
  hypothesis.treatment = *treated;
  hypothesis.control = *compared;
  if (!check_arms(test, hypothesis)) return false;
  if (const auto where = test.find("where"))
    if (!check_where(*where, hypothesis.treatment, false)) return false;
  if (!compare && !read_steps(test, hypothesis, draft)) return false;
  const kernel::Cell arm = joined(hypothesis.treatment, hypothesis.where);
  if (!check_crossing(test.value(), arm, draft)) return false;
  if (!draft.unsure.empty()) return true;
  std::vector<kernel::Cell> needed = {arm, joined(hypothesis.control, hypothesis.where)};
  if (!compare) {
    // Every level in both arms.
    std::vector<kernel::Cell> at_levels;
    for (const std::string& level : hypothesis.steps)
      for (const kernel::Cell& cell : needed) at_levels.push_back(joined({{hypothesis.along, level}}, cell));
    needed = std::move(at_levels);
  }
  if (leaves_a_cell(draft.spec, needed)) return true;
  treatment->refuse_key("`constraints` leave no cell in which both arms can run",
                        "relax a constraint, or choose other arms");
  return false;
}

/// The factor along which a slope runs: its levels are numbers, all above 0 if their logarithm is taken.
const kernel::Factor* read_axis(const Value& along, const kernel::Hypothesis& hypothesis, const Draft& draft) {
  const kernel::Factor* factor = named_factor(along, draft);
  if (factor == nullptr) return nullptr;
  for (const kernel::Level& level : factor->levels) {
    if (!level.value.number)
      return along.refuse("the level `" + shown(level.name) + "` of `" + factor->name + "` is no number",
                          "a slope needs a factor whose levels are numbers, without quotes"),
             nullptr;
    if (log_of_factor(hypothesis.slope_scale) && *level.value.number <= 0)
      return along.refuse("the level " + level.name + " of `" + factor->name + "` has no logarithm",
                          "use `scale: semilog` or `scale: linear`"),
             nullptr;
  }
  return factor;
}

bool read_slope(const Fields& test, kernel::Hypothesis& hypothesis, const Draft& draft) {
  for (const char* key : {"treatment", "control"})
    if (const auto extra = test.find(key))
      return extra->refuse_key("it belongs to `kind: compare`", "a slope names `along` and `where`"), false;
  if (const auto scale = test.find("scale"))
    if (!keep(choice_of<kernel::SlopeScale>(*scale), hypothesis.slope_scale)) return false;
  if (const auto value = test.find("value"))
    if (!keep(value->number(-largest, largest), hypothesis.slope_value)) return false;
  const auto along = test.need("along", "name the factor that the slope runs along");
  const kernel::Factor* factor = along ? read_axis(*along, hypothesis, draft) : nullptr;
  if (factor == nullptr) return false;
  hypothesis.along = factor->name;
  const kernel::Cell axis = {{factor->name, factor->levels.front().name}};
  if (const auto where = test.find("where"))
    if (!check_where(*where, axis, true)) return false;
  if (!check_crossing(test.value(), hypothesis.where, draft)) return false;
  if (!draft.unsure.empty()) return true;
  int left = 0;
  for (const kernel::Level& level : factor->levels)
    if (leaves_a_cell(draft.spec, {joined({{factor->name, level.name}}, hypothesis.where)})) ++left;
  if (left >= 2) return true;
  along->refuse("`constraints` leave fewer than two levels of `" + factor->name + "`", "relax a constraint");
  return false;
}

}  // namespace

bool read_test(const Fields& item, const Value& value, kernel::Hypothesis& hypothesis, const Draft& draft) {
  const auto test = value.fields({"kind", "metric", "treatment", "control", "where", "direction", "margin", "along",
                                  "scale", "value", "smallest_effect", "method", "over", "unit", "requires"});
  if (!test || !test->complete()) return false;
  using Kind = kernel::HypothesisKind;
  if (const auto kind = test->find("kind"))
    if (!keep(choice_of<Kind>(*kind), hypothesis.kind)) return false;
  const bool slope = hypothesis.kind == Kind::slope;
  const JudgementKeys keys(item, *test);
  const auto name = test->need("metric", "name the metric that decides");
  const kernel::Metric* metric = name ? find_metric(*name, draft) : nullptr;
  if (metric != nullptr) hypothesis.metric = metric->name;
  bool sound = metric != nullptr;
  if (const auto where = test->find("where")) sound = keep(read_cell(*where, draft), hypothesis.where) && sound;
  const auto direction = read_direction(*test, slope);
  const auto given = test->find("margin");
  const auto margin = given ? read_margin(*given) : std::nullopt;
  if (direction) hypothesis.direction = *direction;
  hypothesis.margin = margin;
  sound = read_judgement(keys, hypothesis, draft) && sound && direction && (!given || margin);
  const bool arms = slope ? read_slope(*test, hypothesis, draft) : read_compare(*test, hypothesis, draft);
  if (sound) check_judgement(*test, keys, hypothesis, *metric, draft);
  return sound && arms;
}

}  // namespace studyfile
