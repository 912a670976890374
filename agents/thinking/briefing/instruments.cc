#include "agents/thinking/briefing/instruments.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace agents {

using kernel::Study;

namespace {

constexpr std::size_t most_dead_ends = 20, most_forecasts = 5;

/// From the newest A/A runs that were analysed, else from the pilot.
std::string noise_line(const kernel::StudySpec& spec, const kernel::Experiments& experiments,
                       const std::vector<kernel::SizeRecord>& sizes) {
  for (auto e = experiments.experiments.rbegin(); e != experiments.experiments.rend(); ++e)
    if (e->aa && e->aa->noise) {
      const kernel::Metric* metric = spec.metric(e->aa->metric);
      return fmt::format("- Noise: one run of `{}` varies by {} (standard deviation, by A/A runs of {}).\n",
                         e->aa->metric,
                         prose::with_unit(prose::rounded(*e->aa->noise), metric ? metric->unit : std::string()),
                         e->registration.experiment);
    }
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    if (size->sd)
      return fmt::format("- Noise: the pilot's standard deviation is {} per unit of the test of {}.\n",
                         prose::rounded(*size->sd), size->hypothesis);
  return "";
}

/// "n: 100 to 200 of 100 to 400", over the cells of judged experiments.
std::string varied_lines(const kernel::StudySpec& spec, const kernel::Experiments& experiments) {
  std::string lines;
  for (const kernel::Factor& factor : spec.factors) {
    std::set<std::string> ran;
    for (const kernel::Experiment& e : experiments.experiments)
      if (e.analysed)
        for (const kernel::Cell& cell : e.registration.cells)
          if (const auto level = cell.find(factor.name); level != cell.end()) ran.insert(level->second);
    if (ran.empty()) continue;
    std::vector<std::string> levels, left;
    for (const kernel::Level& level : factor.levels) (ran.contains(level.name) ? levels : left).push_back(level.name);
    lines += fmt::format("- Varied so far: {} over {}{}\n", factor.name, fmt::join(levels, ", "),
                         left.empty() ? "." : fmt::format("; never run as evidence: {}.", fmt::join(left, ", ")));
  }
  return lines;
}

std::string forecast_lines(const kernel::Hypotheses& study) {
  std::vector<std::string> lines;
  for (auto record = study.hypotheses.rbegin(); record != study.hypotheses.rend() && lines.size() < most_forecasts;
       ++record) {
    if (!record->result || !record->hypothesis.confidence || !record->withdrawn.empty()) continue;
    const double forecast = *record->hypothesis.confidence;
    const double bits = surprise_bits(forecast, record->result->verdict == kernel::Verdict::supported);
    const char* words = bits < 1 ? "as expected" : bits < 2 ? "not what was expected" : "a surprise";
    lines.push_back(fmt::format("- Forecast of {}: supported with {:.0f} %. It is {}: {} ({:.1f} bits).\n",
                                record->hypothesis.id, 100 * forecast, kernel::words_of(record->result->verdict), words,
                                bits));
  }
  std::ranges::reverse(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string room_lines(const Study& study) {
  std::string lines;
  if (study.family > 0)
    lines += fmt::format("- Family: {} of {} left.\n", study.family - static_cast<int>(study.hypotheses.size()),
                         prose::counted(study.family, "hypothesis"));
  if (const auto& test = study.spec.evaluator.test)
    lines += fmt::format("- Looks at the test data: {} of {} left.\n", std::max(0, test->looks - looks_used(study)),
                         test->looks);
  return lines;
}

struct Plan {
  std::set<std::string> metrics, factors;
};

/// Metrics and factors of the hypotheses to be tested, else of the whole study.
Plan plan_of(const kernel::StudySpec& spec, const kernel::Hypotheses& study) {
  Plan plan;
  for (const kernel::HypothesisRecord* record : study.open_batch()) {
    plan.metrics.insert(record->hypothesis.metric);
    for (const kernel::Cell* cell : {&record->hypothesis.treatment, &record->hypothesis.control})
      for (const auto& [factor, level] : *cell) plan.factors.insert(factor);
    if (!record->hypothesis.along.empty()) plan.factors.insert(record->hypothesis.along);
  }
  if (!plan.metrics.empty()) return plan;
  for (const kernel::Metric& metric : spec.metrics) plan.metrics.insert(metric.name);
  for (const kernel::Factor& factor : spec.factors) plan.factors.insert(factor.name);
  return plan;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(text[at - 1])) && (at + word.size() == text.size() || !inside(text[at + word.size()])))
      return true;
  return false;
}

/// What a dead end shares with the plan: "metric cost, factor arm". By its hypothesis if it has one, else by its words.
std::string shared(const kernel::Node& node, const kernel::HypothesisRecord* record, const Plan& plan) {
  std::string text = node.title;
  for (const auto& [field, words] : node.fields) text += "\n" + words;
  std::vector<std::string> found;
  const auto add = [&](const std::set<std::string>& names, const char* what, const auto& of_record) {
    for (const std::string& name : names)
      if (record ? of_record(name) : has_word(text, name)) found.push_back(fmt::format("{} {}", what, name));
  };
  add(plan.metrics, "metric", [&](const std::string& name) { return record->hypothesis.metric == name; });
  add(plan.factors, "factor", [&](const std::string& name) {
    return record->hypothesis.treatment.contains(name) || record->hypothesis.along == name;
  });
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

double surprise_bits(double forecast, bool supported) {
  constexpr double least = 0.01;  // No forecast is taken as certain.
  return -std::log2(std::clamp(supported ? forecast : 1 - forecast, least, 1.0));
}

std::string instruments_note(const Study& study) {
  const std::string lines = noise_line(study.spec, study, study.all_sizes()) + varied_lines(study.spec, study) +
                            forecast_lines(study) + room_lines(study);
  return lines.empty() ? "" : "## Instruments\n\n" + quoted("the kernel's record", lines, 8000) + "\n";
}

std::string past_note(const Study& study) {
  std::string past, touching, others;
  for (const kernel::Predecessor& p : study.predecessors)
    past += fmt::format("- {} of {}: {}. {}\n", p.hypothesis, p.study, kernel::words_of(p.verdict), p.reason);
  const Plan plan = plan_of(study.spec, study);
  std::size_t shown = 0;
  for (auto node = study.nodes.rbegin(); node != study.nodes.rend() && shown < most_dead_ends; ++node) {
    if (node->type != kernel::NodeType::dead_end) continue;
    const auto lesson = node->fields.find("lesson");
    const std::string same = shared(*node, study.hypothesis(node->hypothesis), plan);
    (same.empty() ? others : touching) +=
        fmt::format("- dead end {} {}: {}{}\n", node->id, node->title,
                    lesson == node->fields.end() ? "" : lesson->second, same.empty() ? "" : " [same " + same + "]");
    ++shown;
  }
  past += touching + others;
  return past.empty()
             ? ""
             : "## Results and dead ends that are known already\n\n" + quoted("the record", past, 20000) + "\n";
}

std::string budget_note(const kernel::StudyTerms& terms, const kernel::Ledger& ledger, const kernel::Thinking& thinking,
                        const kernel::WallClock& clock) {
  const kernel::Budget& limits = terms.spec.budget;
  const kernel::Account spent = kernel::spent(ledger);
  std::string list;
  const auto add = [&](const char* what, const auto& most, double used, const char* unit) {
    if (most)
      list +=
          fmt::format("- {}: {} of {}{} left\n", what, prose::rounded(std::max(0.0, static_cast<double>(*most) - used)),
                      prose::rounded(static_cast<double>(*most)), unit);
  };
  add("runs", limits.runs, static_cast<double>(spent.runs), "");
  add("time", limits.wall_s, clock.wall_spent_s(), " s");
  add("money", limits.usd, spent.usd + thinking.usd_aside, " USD");
  add("tokens", limits.tokens, static_cast<double>(spent.tokens + thinking.tokens_aside), "");
  add("GPU hours", limits.gpu_hours, spent.gpu_seconds / kernel::seconds_an_hour, "");
  return list.empty() ? "" : "## Budget\n\n" + list + "\n";
}

}  // namespace agents
