// A screening or an optimisation for readers: the tried settings, aliased effects, and the ranking of every rung.
// Everything is labelled as selection.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/evidence.h"
#include "artifacts/write/report.h"
#include "kernel/search/advice.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/race.h"
#include "kernel/search/search.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::RungRanked;
using kernel::SearchPlan;
using kernel::Study;

namespace {

/// Rows of a rung in the report; the page has all rows.
constexpr std::size_t most_report_rows = 15;

std::string unit_of(const kernel::StudySpec& spec, const std::string& metric) {
  const kernel::Metric* known = spec.metric(metric);
  return known ? in_brackets(known->unit) : "";
}

PlainTable effects_table(const kernel::StudySpec& spec, const SearchPlan& plan, const RungRanked& ranked) {
  PlainTable shown;
  const kernel::Metric* metric = spec.metric(plan.metric);
  const bool log = metric && metric->scale == kernel::Scale::log;
  shown.header = {"Factor",
                  "From",
                  "To",
                  log ? "Effect on the logarithm" : "Effect" + unit_of(spec, plan.metric),
                  "Standard error",
                  fmt::format("{} interval (selection)", prose::percent(1 - spec.design.alpha)),
                  "Runs",
                  "Failed",
                  "Carried forward"};
  shown.right = {false, false, false, true, true, false, true, true, false};
  for (const kernel::FactorEffect& e : ranked.effects) {
    const auto half = prose::half_width(e.interval_low, e.effect, e.interval_high);
    const bool counts = e.n[0] + e.n[1] + e.failed[0] + e.failed[1] > 0;
    shown.rows.push_back(
        {joined_text(e.factors, " × "), e.low, e.high,
         e.effect ? prose::rounded(*e.effect, half) : "not available: a level without a run that succeeded",
         e.se ? prose::rounded(*e.se) : "not available",
         e.interval_low ? prose::interval_text(e.interval_low, e.interval_high, half) : "not available",
         counts ? fmt::format("{} and {}", e.n[0], e.n[1]) : "all",
         counts ? fmt::format("{} and {}", e.failed[0], e.failed[1]) : "",
         e.kept                 ? "yes"
         : e.factors.size() > 1 ? "no: estimated only"
                                : "no"});
  }
  return shown;
}

/// Where the second of two metrics stands in a row, and what it says of a candidate.
constexpr std::ptrdiff_t second_column = 5;
std::vector<std::string> second_columns(const kernel::Candidate& c) {
  return {c.second_estimate ? prose::rounded(*c.second_estimate, std::abs(*c.second_estimate) / 1000) : "none",
          c.second_mean ? prose::rounded(*c.second_mean, c.second_sd.value_or(0) > 0 ? c.second_sd : std::nullopt)
                        : "none"};
}

PlainTable candidates_table(const kernel::StudySpec& spec, const SearchPlan& plan, const RungRanked& ranked,
                            std::size_t most, int wording) {
  // Since wording 7 a negative estimate has as many digits as a positive one.
  const bool of_size = wording >= 7 || wording == kernel::codes_only;
  PlainTable shown;
  shown.header = {"Rank", "Candidate", "Mean " + plan.metric + unit_of(spec, plan.metric),         "Standard deviation",
                  "Runs", "Failed",    plan.kind == kernel::StudyKind::screen ? "Note" : "Goes on"};
  shown.right = {true, false, true, true, true, true, false};
  const bool modelled = plan.design == kernel::SearchDesign::model && ranked.last;
  if (modelled) {
    shown.header.insert(shown.header.begin() + 2, "Model's estimate" + unit_of(spec, plan.metric));
    shown.right.insert(shown.right.begin() + 2, true);
  }
  const bool two = modelled && plan.objectives.size() == 2;
  if (two) {
    const std::string& second = plan.objectives[1].metric;
    const std::string unit = unit_of(spec, second);
    shown.header[2] = "Estimate of " + plan.metric + unit_of(spec, plan.metric);
    shown.header.insert(shown.header.begin() + second_column,
                        {"Estimate of " + second + unit, "Mean " + second + unit});
    shown.right.insert(shown.right.begin() + second_column, 2, true);
  }
  std::size_t rank = 0;
  // One that was dropped before may be among those.
  const bool rejoins = plan.rule.code == kernel::ReasonCode::rule_of_race;
  for (const kernel::Candidate& c : ranked.candidates) {
    const std::string place = c.baseline ? "–" : std::to_string(++rank);
    if (shown.rows.size() >= most && !c.baseline && !c.kept) continue;
    const char* came = !c.refined ? "" : rejoins ? " (joined in this rung)" : " (new in this rung)";
    shown.rows.push_back({place, cell_text(c.cell) + came,
                          c.mean ? prose::rounded(*c.mean, c.sd.value_or(0) > 0 ? c.sd : std::nullopt) : "none",
                          c.sd.value_or(0) > 0 ? prose::rounded(*c.sd, *c.sd / 2) : "not available",
                          std::to_string(c.n + c.failed), std::to_string(c.failed),
                          c.baseline ? "the baseline"
                          : c.kept   ? "yes"
                                     : ""});
    if (modelled)
      shown.rows.back().insert(
          shown.rows.back().begin() + 2,
          c.estimate ? prose::rounded(*c.estimate, (of_size ? std::abs(*c.estimate) : *c.estimate) / 1000) : "none");
    const std::vector<std::string> second = second_columns(c);
    if (two) shown.rows.back().insert(shown.rows.back().begin() + second_column, second.begin(), second.end());
  }
  return shown;
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "- " + in_markdown(line) + "\n";
  return text;
}

std::string words_of_cells(const std::vector<kernel::Cell>& cells) {
  std::string text;
  for (const kernel::Cell& cell : cells) text += (text.empty() ? "" : "; ") + in_markdown(cell_text(cell));
  return text;
}

/// The plan, as registered before the first run.
std::string plan_text(const SearchPlan& plan, int wording) {
  if (plan.code)
    return fmt::format("{}: {}, on {}. {}\n", plan.registered.experiment, in_markdown(kernel::design_words(plan)),
                       in_markdown(plan.metric), in_markdown(sentence(plan.rule, wording)));
  if (plan.design == kernel::SearchDesign::model) {
    std::string metrics = in_markdown(plan.metric);
    if (plan.objectives.size() == 2) metrics += " and " + in_markdown(plan.objectives[1].metric);
    return fmt::format("{}: {} of {}. {}\n", plan.registered.experiment, in_markdown(kernel::design_words(plan)),
                       metrics, in_markdown(sentence(plan.rule, wording)));
  }
  std::string text =
      fmt::format("{}: {} of {}, on {}. {}\n", plan.registered.experiment, in_markdown(kernel::design_words(plan)),
                  prose::counted(static_cast<long long>(plan.registered.cells.size()), "cell"),
                  in_markdown(plan.metric), in_markdown(sentence(plan.rule, wording)));
  if (!plan.generators.empty()) text += "\nGenerators:\n\n" + list_of(plan.generators);
  const bool newer = wording >= 11 || wording == kernel::codes_only;
  if (!plan.aliases.empty())
    text += fmt::format("\nAliases: {}\n\n{}",
                        newer ? "effects on one line cannot be told apart; nothing is claimed about them."
                              : "what stands in one line cannot be told apart, and nothing is claimed of it.",
                        list_of(plan.aliases));
  else if (plan.design == kernel::SearchDesign::fraction)
    text += newer ? "\nMain effects and two-way interactions are not aliased with each other.\n"
                  : "\nMain effects and two-way interactions are aliased with neither of each other.\n";
  return text;
}

std::string rung_title(const SearchPlan& plan, const RungRanked& ranked) {
  if (plan.design == kernel::SearchDesign::keep_or_discard)
    return "All versions, by the means of all their runs, which are on different seeds";
  if (plan.code) return "All versions, by their means";
  if (plan.objectives.size() == 2)
    return "All candidates: the chosen ones, then by how many others beat them in both metrics";
  if (plan.design == kernel::SearchDesign::model) return "All candidates, by the model's estimates";
  std::string title = fmt::format("Rung {}", ranked.rung);
  const auto index = static_cast<std::size_t>(ranked.rung) - 1;
  if (index >= plan.rungs.size()) return title;
  const kernel::Rung& rung = plan.rungs[index];
  title += ": " + prose::counted(rung.replicates, "replicate") + " of each";
  if (!rung.fidelity.empty()) title += fmt::format(" at {} = {}", plan.fidelity, rung.fidelity);
  const bool race = kernel::ranking_of(plan) == kernel::RungRanking::all_runs;
  if (rung.refines && race) title += ", with candidates that join";
  if (rung.refines && !race) title += ", with new candidates around the best";
  if (race && ranked.rung > 1)
    title += std::string("; means are of all runs so far") + (rung.fidelity.empty() ? "" : " at that level");
  return title;
}

std::string rung_text(const Study& study, const RungRanked& ranked, std::size_t most) {
  const kernel::StudySpec& spec = study.spec;
  const SearchPlan& plan = study.search->plan;
  std::string text;
  if (!ranked.effects.empty())
    text += "Main effects, the largest for its standard error first:\n\n" +
            markdown_table(effects_table(spec, plan, ranked)) + "\n";
  if (plan.kind == kernel::StudyKind::screen && most < ranked.candidates.size()) return text;
  text += in_markdown(rung_title(plan, ranked)) + ".\n\n" +
          markdown_table(candidates_table(spec, plan, ranked, most, study.wording));
  if (!ranked.thawed.empty())
    text += fmt::format("\nOf earlier rounds, these go on, too: {}.\n", words_of_cells(ranked.thawed));
  if (ranked.candidates.size() > most)
    text += fmt::format("\nAll {} stand in evidence/results/{}.md.\n", ranked.candidates.size(), ranked.experiment);
  return text + "\n";
}

PlainTable versions_table(const kernel::StudyTerms& terms) {
  PlainTable shown;
  shown.header = {"Version", "Step", "Of", "What it does differently", "Diff"};
  shown.right = {false, false, false, false, false};
  for (const kernel::CodeVersion& version : terms.code.versions)
    shown.rows.push_back({version.id, version.step, fmt::format("{}", fmt::join(version.parents, " and ")), version.why,
                          version_path(version.id)});
  return shown;
}

/// Versions of the code, and steps that made none.
std::string versions_text(const Study& study) {
  if (!study.spec.code) return "";
  std::string text = fmt::format("Versions of the code, in {}:\n\n", prose::counted(study.code.round, "round"));
  text += markdown_table(versions_table(study));
  std::string none;
  for (const kernel::CodeStep& step : study.code.steps) {
    const kernel::LineOfWork* line = study.thinking.line(step.id);
    if (std::ranges::none_of(study.code.versions,
                             [&](const kernel::CodeVersion& version) { return version.step == step.id; }))
      none += fmt::format("- {}: {}\n", step.id,
                          in_markdown(line ? sentence(line->ending, study.wording) : "it was not begun"));
  }
  if (!none.empty()) text += "\nSteps without a version:\n\n" + none;
  if (!study.code.over.empty())
    text += "\nThe search ended: " + in_markdown(sentence(study.code.over, study.wording)) + ".\n";
  return text + "\n";
}

std::string gain_text(const RungRanked* ranked) {
  if (!ranked) return "not run";
  const kernel::NoiseFloor& floor = *ranked->floor;
  const std::optional<double> digits = floor.least > 0 ? std::optional(floor.least) : std::nullopt;
  return floor.gain ? prose::rounded(*floor.gain, digits) : "none";
}

std::string floor_text(const RungRanked* ranked) {
  if (!ranked) return "not run";
  const kernel::NoiseFloor& floor = *ranked->floor;
  return floor.compared > 0 ? prose::rounded(floor.least, floor.least > 0 ? std::optional(floor.least) : std::nullopt)
                            : "none";
}

/// What became of each version that was kept or discarded; lines and memory decide nothing.
PlainTable ideas_table(const Study& study, const std::vector<kernel::Idea>& ideas) {
  const std::string unit = study.spec.primary().scale == kernel::Scale::log
                               ? " (of the logarithm)"
                               : unit_of(study.spec, study.search->plan.metric);
  PlainTable shown;
  shown.header = {"Version",     "Base",      "Gain of one run" + unit, "Noise floor",     "Gain when repeated" + unit,
                  "Noise floor", "Became it", "Lines changed",          "Peak memory (MB)"};
  shown.right = {false, false, true, true, true, true, false, true, true};
  for (const kernel::Idea& idea : ideas)
    shown.rows.push_back({idea.version->id, idea.base.empty() ? "none" : idea.base, gain_text(idea.first),
                          floor_text(idea.first), gain_text(idea.second), floor_text(idea.second),
                          idea.kept() ? "the base" : "discarded", std::to_string(idea.version->lines),
                          idea.memory ? prose::rounded(*idea.memory / 1e6) : "not measured"});
  return shown;
}

/// The noise floor and the decisions that it made. Empty for other searches.
std::string ideas_text(const Study& study) {
  if (study.search->plan.design != kernel::SearchDesign::keep_or_discard) return "";
  const auto noise = kernel::measured_noise(study);
  if (!noise) return "The noise was not measured.\n\n";
  const std::string& unit = study.spec.primary().unit;
  const bool log = study.spec.primary().scale == kernel::Scale::log;
  std::string text = fmt::format(
      "The noise, measured before the first version: s = {}{} between {} of the person's own code, and t = {}. A gain "
      "is "
      "positive where the version is better{}.\n\n",
      prose::rounded(noise->sd, noise->sd > 0 ? std::optional(noise->sd) : std::nullopt),
      log ? " (of the logarithm)" : in_brackets(unit), prose::counted(noise->runs, "run"),
      prose::rounded(noise->quantile), log ? ", as a difference of logarithms" : "");
  const std::vector<kernel::Idea> ideas = kernel::ideas_of(study);
  if (ideas.empty()) return text;
  return text + "Decisions, in the order of the versions. Lines and memory decided nothing:\n\n" +
         markdown_table(ideas_table(study, ideas)) + "\n";
}

}  // namespace

std::string version_path(const std::string& version) {
  return "evidence/code/" + version + ".diff";
}

std::string search_page(const Study& study) {
  const SearchPlan& plan = study.search->plan;
  const kernel::ExperimentId& id = plan.registered.experiment;
  const std::string node = kernel::search_node_id(study);
  std::string page = fmt::format("# {}: selection\n\n", id);
  page += fmt::format("**Trace node**: {}\n**Claim**: none\n", node.empty() ? "none" : node);
  page += fmt::format("**Registration**: {}, registered {}\n", study.search->hash,
                      kernel::iso8601(study.search->registered_ms));
  page += fmt::format("**Records**: [{0}.csv]({0}.csv) holds every run with every digit\n\n", id);
  page +=
      "Selection, never a verdict: the best of many looks better than it is. What goes on is confirmed on fresh seeds, "
      "with a fresh control beside it, and none of these runs counts there.\n\n";
  page += plan_text(plan, study.wording) + "\n" + versions_text(study) + ideas_text(study);
  const bool modelled = plan.design == kernel::SearchDesign::model;
  for (const RungRanked& ranked : study.search->ranked)
    if ((!modelled && !ranked.floor) || ranked.last)
      page += (plan.code || modelled ? std::string("## Ranking\n\n") : fmt::format("## Rung {}\n\n", ranked.rung)) +
              rung_text(study, ranked, ranked.candidates.size());
  if (study.search->ranked.empty() || (modelled && !study.search->done())) page += "No rung had ended.\n";
  return page;
}

std::string search_section(const Study& study) {
  if (!study.search) return "";
  std::string text = fmt::format("\n## What was selected\n\n");
  text += fmt::format(
      "Selection, never a verdict: registered under `{}`, charged to the budget, and no evidence. The confirmation "
      "below "
      "ran on seeds of its own.\n\n",
      study.search->hash);
  text += plan_text(study.search->plan, study.wording) + "\n" + versions_text(study) + ideas_text(study);
  for (const RungRanked& ranked : study.search->ranked)
    if ((study.search->plan.design != kernel::SearchDesign::model && !ranked.floor) || ranked.last)
      text += rung_text(study, ranked, most_report_rows);
  std::string best;
  if (study.search->done())
    for (const kernel::Candidate& c : study.search->ranked.back().candidates)
      if (c.kept) best += "- " + in_markdown(cell_text(c.cell)) + "\n";
  if (!best.empty()) text += "Carried into the confirmation:\n\n" + best;
  if (const auto advice = kernel::sentences(kernel::search_advice(study), study.wording); !advice.empty())
    text += "\n" + list_of(advice);
  return text;
}

}  // namespace artifacts
