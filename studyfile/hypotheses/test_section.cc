#include "studyfile/hypotheses/test_section.h"

#include "studyfile/draft/crossed_levels.h"
#include "studyfile/hypotheses/judgement.h"
#include "studyfile/hypotheses/margin.h"
#include "studyfile/hypotheses/steps.h"
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
  for (const auto& [factor, level] : hypothesis.treatment)
    if (hypothesis.control.count(factor) == 0)
      return control.refuse("it says nothing of `" + factor + "`, which the treatment sets",
                            "set it in both arms, or in `where`"),
             false;
  for (const auto& [factor, level] : hypothesis.control)
    if (hypothesis.treatment.count(factor) == 0)
      return treatment.refuse("it says nothing of `" + factor + "`, which the control sets",
                              "set it in both arms, or in `where`"),
             false;
  if (hypothesis.treatment == hypothesis.control)
    return control.refuse("treatment and control are equal", "let them differ in at least one factor"), false;
  return true;
}

bool check_crossing(const Value& test, const kernel::Cell& fixed, const Draft& draft) {
  if (crossed_cells(draft.spec, fixed, max_cells + 1) <= max_cells) return true;
  test.refuse("the factors named nowhere in it cross to more than 100000 cells", "fix some of them in `where`");
  return false;
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
    if (hypothesis.slope_scale == kernel::SlopeScale::loglog && *level.value.number <= 0)
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
  using Scale = kernel::SlopeScale;
  if (const auto scale = test.find("scale")) {
    const auto read =
        scale->choice<Scale>({{"linear", Scale::linear}, {"loglog", Scale::loglog}, {"semilog", Scale::semilog}});
    if (!read) return false;
    hypothesis.slope_scale = *read;
  }
  if (const auto value = test.find("value")) {
    const auto read = value->number(-largest, largest);
    if (!read) return false;
    hypothesis.slope_value = *read;
  }
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
  const auto test = value.fields({{"kind"},
                                  {"metric"},
                                  {"treatment"},
                                  {"control"},
                                  {"where"},
                                  {"direction"},
                                  {"margin"},
                                  {"along"},
                                  {"scale"},
                                  {"value"},
                                  {"smallest_effect"},
                                  {"method"},
                                  {"over"},
                                  {"requires"}});
  if (!test || !test->complete()) return false;
  using Kind = kernel::HypothesisKind;
  if (const auto kind = test->find("kind")) {
    const auto read = kind->choice<Kind>({{"compare", Kind::compare},
                                          {"slope", Kind::slope},
                                          {"interaction", Kind::interaction},
                                          {"crossover", Kind::crossover}});
    if (!read) return false;
    hypothesis.kind = *read;
  }
  const bool slope = hypothesis.kind == Kind::slope;
  const JudgementKeys keys(item, *test);
  const auto name = test->need("metric", "name the metric that decides");
  const kernel::Metric* metric = name ? find_metric(*name, draft) : nullptr;
  if (metric != nullptr) hypothesis.metric = metric->name;
  bool sound = metric != nullptr;
  if (const auto where = test->find("where")) {
    const auto cell = read_cell(*where, draft);
    if (cell) hypothesis.where = *cell;
    sound = sound && cell;
  }
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
