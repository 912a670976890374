#include "artifacts/forms/registration_answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/test_method.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/views/finding.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {
namespace {

using kernel::Hypothesis;
using kernel::Metric;
using kernel::Registration;

constexpr std::size_t most_cells = 100, most_seeds = 100;

std::string quoted(const std::string& text) {
  return "“" + in_markdown(without_stop(text)) + "”";
}

std::string hypothesis_item(const FrozenDesign& frozen, const Hypothesis& h) {
  std::string text = fmt::format("- **{}**: {}", in_markdown(h.id.text()), quoted(h.statement));
  text += fmt::format("\n  - Tested statement: {}.",
                      in_markdown(kernel::tested_words(frozen.terms.spec, h, frozen.wording)));
  text += "\n  - Mechanism: " + (h.mechanism.empty() ? "none was stated" : quoted(h.mechanism)) + ".";
  text += "\n  - Author: " + in_markdown(h.by) + ".";
  if (h.confidence) text += fmt::format(" Its author's probability of support: {}.", prose::rounded(*h.confidence));
  if (const auto proposed = frozen.proposed.find(h.id); proposed != frozen.proposed.end())
    text += "\n  - Proposed: " + proposed->second;
  const kernel::HypothesisRecord* record = frozen.hypotheses.hypothesis(h.id);
  if (record && record->exploratory)
    text += "\n  - **Exploratory**: it has no place in the family, so its verdict decides nothing.";
  if (!h.difference.empty()) text += "\n  - Difference from an earlier dead end: " + quoted(h.difference) + ".";
  return text + "\n";
}

std::string hypotheses_text(const FrozenDesign& frozen) {
  std::string text = in_markdown(frozen.terms.spec.question) + "\n\n";
  for (const Hypothesis& h : frozen.registration.hypotheses) text += hypothesis_item(frozen, h);
  return text;
}

std::string nan_words(const Metric& metric) {
  static constexpr const char* words[] = {"fails the run", "ranks as the worst outcome", "is cut off there"};
  return fmt::format("A value that is not finite {}.", words[static_cast<std::size_t>(metric.on_nan)]);
}

std::string metric_item(const Metric& metric) {
  std::string text = fmt::format("- **{}**{}{}: {}.", in_markdown(metric.name), in_markdown(in_brackets(metric.unit)),
                                 metric.primary ? ", the primary metric" : "", in_markdown(origin_text(metric)));
  text += fmt::format(" It is {}, and {} is better. {}", kernel::name(metric.type),
                      metric.goal == kernel::Goal::minimize ? "lower" : "higher", nan_words(metric));
  if (metric.censor_right) text += " Values may be cut off, and time-outs are.";
  if (metric.deterministic) text += " It was declared deterministic.";
  return text + "\n";
}

std::string metrics_text(const Registration& r) {
  std::string text;
  for (const bool primary : {true, false})
    for (const Metric& metric : r.metrics)
      if (metric.primary == primary) text += metric_item(metric);
  return text;
}

std::string factor_item(const kernel::Factor& factor) {
  const std::string levels = joined_text(factor.levels, ", ", &kernel::Level::name);
  return fmt::format("- **{}**: {}{}\n", in_markdown(factor.name), in_markdown(levels),
                     factor.baseline ? ", baseline " + in_markdown(*factor.baseline) : "");
}

std::string conditions_text(const FrozenDesign& frozen) {
  const Registration& r = frozen.registration;
  std::string text = fmt::format("{}, of these factors and levels:\n\n", prose::counted(std::ssize(r.cells), "cell"));
  for (const kernel::Factor& factor : r.terms ? r.terms->factors : frozen.terms.spec.factors)
    text += factor_item(factor);
  if (r.terms)
    for (const auto& [name, value] : r.terms->constants)
      text += fmt::format("- **{}**, held constant: {}\n", in_markdown(name), in_markdown(value.text));
  PlainTable table;
  table.header = {"Cell", "Replicates"};
  table.right = {false, true};
  for (std::size_t i = 0; i < std::min(r.cells.size(), most_cells); ++i)
    table.rows.push_back({cell_text(r.cells[i]), std::to_string(r.replicates[i])});
  text += "\n" + markdown_table(table);
  if (r.cells.size() > most_cells)
    text += fmt::format("\n{} more are in the registration.\n",
                        prose::counted(std::ssize(r.cells) - std::ssize(table.rows), "cell"));
  text += r.pairing == kernel::Pairing::seed
              ? "\nAll cells of a replicate run on the same seed, so that arms are compared in pairs."
              : "\nEach run has a seed of its own, and nothing is paired.";
  text +=
      r.order == kernel::Order::random ? " The order of the runs is random.\n" : " The runs follow the listed order.\n";
  if (r.stages.empty()) return text + "\nCommand of a run: " + in_code(command_text(r.command)) + "\n";
  text += "\nCommands of a run, by stage:\n\n";
  for (const kernel::StageSpec& stage : r.stages)
    text += fmt::format("- {}: {}\n", in_markdown(stage.name), in_code(command_text(stage.run)));
  return text;
}

/// The method in words; the study file and the design choose it, never the values.
std::string method_words(const kernel::StudySpec& spec, const kernel::TestMethod& method) {
  if (const auto words = method.words(spec)) return without_stop(*words);
  const std::string_view name = method.name();
  if (name == "exact") return "Exact comparison of deterministic values, without a p-value";
  return name == "log_t" ? "Student's t on logarithms" : "Student's t";
}

std::string test_item(const FrozenDesign& frozen, const Hypothesis& h) {
  const kernel::StudySpec& spec = frozen.terms.spec;
  const kernel::TestMethod& method = kernel::method_of(spec, h);
  std::string text = fmt::format("- **{}**: {}; unit: {}.", in_markdown(h.id.text()),
                                 in_markdown(method_words(spec, method)), kernel::unit_name(spec, h));
  if (&method.fallback() != &method)
    text += fmt::format(" If the values do not fit it: {}.", in_markdown(method_words(spec, method.fallback())));
  if (h.kind != kernel::HypothesisKind::compare)
    text += fmt::format(" A test of {} along {}.", kernel::words_of(h.kind), in_markdown(h.along));
  if (h.over == kernel::Over::every) text += " It must hold in every setting.";
  for (const kernel::Requirement& required : h.requirements)
    text +=
        fmt::format(" It also requires {}: {}.", in_markdown(required.metric), kernel::words_of(required.direction));
  return text + "\n";
}

std::string looks_text(const Registration& r) {
  if (r.terms && r.terms->design.looks && r.terms->design.looks->anytime)
    return "The verdicts are looked at after every replicate, by confidence sequences that hold at all of them.\n";
  const std::vector<double> shares = kernel::looks_of(r);
  if (shares.empty()) return "There is one analysis, after the last run.\n";
  return fmt::format(
      "Analyses before the last run, at these shares of every cell's replicates: {}. The boundary spends "
      "alpha over all of them.\n",
      joined_text(shares, ", ", [](double share) { return prose::share_text(share); }));
}

std::string controls_text(const Registration& r) {
  std::string text;
  if (r.aa)
    text += fmt::format("\nControl: {} of {} compare the control with itself.\n",
                        prose::counted(r.aa->replicates, "further replicate"), in_markdown(cell_text(r.aa->cell)));
  if (r.planted)
    text += fmt::format("\nControl: the planted effect {} must be found; it is outside the family.\n",
                        quoted(r.planted->statement));
  return text;
}

std::string analyses_text(const FrozenDesign& frozen) {
  const Registration& r = frozen.registration;
  const kernel::Design& design = r.terms ? r.terms->design : frozen.terms.spec.design;
  std::string text;
  for (const Hypothesis& h : r.hypotheses) text += test_item(frozen, h);
  text += fmt::format("\nA family of {} shares alpha {}. ", prose::counted(r.family, "slot"), prose::rounded(r.alpha));
  text += design.correction == kernel::Correction::holm
              ? "Holm's procedure corrects for them. "
              : "Benjamini and Hochberg's procedure bounds their false discovery rate. ";
  text +=
      "A hypothesis is supported if the whole interval lies inside the region that it claims, and refuted if it lies "
      "wholly outside. Otherwise it is inconclusive";
  text += design.rule == kernel::VerdictRule::one_interval
              ? ", or has no relevant effect where the interval excludes the smallest effect that was declared.\n"
              : ".\n";
  return text + "\n" + looks_text(r) + controls_text(r);
}

std::string guard_item(const kernel::Guard& guard) {
  std::string bound = guard.at_most ? "at most " + prose::rounded(*guard.at_most) : "";
  if (guard.at_least) bound += (bound.empty() ? "at least " : " and at least ") + prose::rounded(*guard.at_least);
  return fmt::format("- A run with {} that is not {} is invalid, which counts against its arm.\n",
                     in_markdown(guard.metric), bound);
}

std::string exclusions_text(const FrozenDesign& frozen) {
  const Registration& r = frozen.registration;
  const kernel::Design& design = r.terms ? r.terms->design : frozen.terms.spec.design;
  std::string text =
      "- No value is left out for being extreme. Values far from the median of their cell are named beside the "
      "verdict.\n"
      "- Only registered runs are evidence. Smoke, pilot, search and scratch runs never are.\n"
      "- A run that was lost by the machine is repeated under its seed, and the repetition replaces it.\n"
      "- A run that failed, timed out, was invalid or was cancelled counts against its arm.\n";
  text += fmt::format("- Where more than {} of an arm's runs failed, there is no verdict.\n",
                      prose::share_text(design.max_failed));
  text += frozen.terms.spec.retries ? "- A run that exits with 75 is repeated under its seed, at most twice.\n"
                                    : "- A run that exits with 75 has failed; it is not repeated.\n";
  for (const kernel::Guard& guard : r.guards) text += guard_item(guard);
  for (const Metric& metric : r.metrics)
    if (metric.warmup > 0)
      text += fmt::format("- Of each run, the first {} of {} are dropped.\n", prose::counted(metric.warmup, "value"),
                          in_markdown(metric.name));
  return text;
}

std::string stopping_words(const Registration& r) {
  if (!r.terms) return "The number of runs was fixed by the registration.";
  switch (r.terms->stopping) {
    case kernel::StoppingRule::fixed:
      return "The design fixes the number of replicates.";
    case kernel::StoppingRule::settled:
      return "An earlier study fixed the number of replicates, which this one reproduces.";
    case kernel::StoppingRule::sized:
      return fmt::format("The number was computed before, for a power of {} at alpha / family, within {} to {}.",
                         prose::rounded(r.terms->design.power), r.terms->design.replicates_min,
                         r.terms->design.replicates_max);
  }
  return "";
}

std::string size_text(const FrozenDesign& frozen) {
  const Registration& r = frozen.registration;
  long long runs = 0;
  for (const int n : r.replicates) runs += n;
  std::string text = fmt::format("{} in {}. {} No result of a run adds runs.\n", prose::counted(runs, "run"),
                                 prose::counted(std::ssize(r.cells), "cell"), stopping_words(r));
  PlainTable table;
  table.header = {"Hypothesis", "Replicates", "Power", "Standard deviation in the pilot", "How"};
  table.right = {false, true, true, true, false};
  for (const kernel::SizeRecord& s : r.sizes)
    table.rows.push_back({s.hypothesis.text(), std::to_string(s.replicates),
                          s.power ? fmt::format("{:.2f}", *s.power) : "not known",
                          s.sd ? prose::rounded(*s.sd, *s.sd / 2) : "no pilot", sentence(s.how, frozen.wording)});
  if (!table.rows.empty()) text += "\n" + markdown_table(table);
  return text;
}

std::string seeds_text(const Registration& r) {
  if (r.seeds.empty()) return "one for each run, in the registration";
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(r.seeds.size(), most_seeds); ++i) shown.push_back(std::to_string(r.seeds[i]));
  if (r.seeds.size() > most_seeds) shown.push_back(fmt::format("{} more", r.seeds.size() - most_seeds));
  return joined_text(shown, ", ");
}

std::string evaluator_text(const kernel::EvaluatorTerms& evaluator) {
  std::string text =
      fmt::format("- **Evaluator**, {}: {}.", kernel::name(evaluator.tier), in_code(command_text(evaluator.command)));
  if (evaluator.tier == kernel::Tier::test)
    text += fmt::format(" Look {} of {} at the test data.", evaluator.look, evaluator.looks);
  for (const kernel::SealedData& data : evaluator.data)
    text += fmt::format(" Data {}: {}.", in_markdown(data.place), in_code(data.identity));
  return text + "\n";
}

std::string other_text(const FrozenDesign& frozen) {
  const Registration& r = frozen.registration;
  std::string text = fmt::format("- **Code**: workspace {}\n- **Environment**: {}\n", in_code(r.workspace.text()),
                                 in_code(r.environment));
  for (const kernel::DataRecord& data : r.data)
    text += fmt::format("- **Data** {}: {}\n", in_markdown(data.name), in_code(data.identity));
  if (r.data.empty()) text += "- **Data**: none was declared; the code is the only input\n";
  text += "- **Seeds**: " + seeds_text(r) + "\n";
  if (r.terms) {
    const kernel::Resources& resources = r.terms->resources;
    text += fmt::format("- **Resources of a run**: {}, {}, time-out {}, {}\n",
                        prose::counted(resources.cpus, "processor"), prose::counted(resources.gpus, "GPU"),
                        resources.timeout_s ? prose::duration_text(*resources.timeout_s) : "none",
                        resources.network ? "with network" : "without network");
    for (const kernel::ProtectedFile& file : r.terms->protect)
      text += fmt::format("- **Protected file** {}: {}\n", in_markdown(file.path), in_code(file.sha256));
    if (r.terms->evaluator) text += evaluator_text(*r.terms->evaluator);
  }
  return text;
}

}  // namespace

std::vector<FormAnswer> registration_answers(const FrozenDesign& frozen) {
  return {{"What's the main question being asked or hypothesis being tested in this study?", hypotheses_text(frozen)},
          {"Describe the key dependent variable(s) specifying how they will be measured.",
           metrics_text(frozen.registration)},
          {"How many and which conditions will participants be assigned to?", conditions_text(frozen)},
          {"Specify exactly which analyses you will conduct to examine the main question/hypothesis.",
           analyses_text(frozen)},
          {"Describe exactly how outliers will be defined and handled, and your precise rule(s) for excluding "
           "observations.",
           exclusions_text(frozen)},
          {"How many observations will be collected or what will determine sample size?", size_text(frozen)},
          {"Anything else you would like to pre-register?", other_text(frozen)}};
}

}  // namespace artifacts
