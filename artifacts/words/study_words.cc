#include "artifacts/words/study_words.h"

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisKind;

namespace {

std::string levels_text(const kernel::Cell& cell) {
  return joined_text(cell, ", ", &kernel::Cell::value_type::second);
}

std::string crossover_text(const Hypothesis& h, bool newer) {
  static constexpr const char* turns[] = {"turns from negative to positive", "turns from positive to negative", "",
                                          "changes its sign"};
  if (newer)
    return fmt::format("treatment minus control in {} {} along {}", h.metric,
                       turns[static_cast<std::size_t>(h.direction)], h.along);
  static constexpr const char* changes[] = {"from lower to higher", "from higher to lower", "", "its side"};
  return fmt::format("{} under treatment changes {}, against control, along {}", h.metric,
                     changes[static_cast<std::size_t>(h.direction)], h.along);
}

std::string evaluator_lines(const kernel::StudySpec& spec) {
  std::string lines;
  for (const kernel::Tier tier : {kernel::Tier::validation, kernel::Tier::test})
    if (const kernel::TierSpec* own = spec.evaluator.tier(tier))
      lines += fmt::format("- **Evaluator, {}**: {}\n", kernel::name(tier), in_code(command_text(own->command)));
  return lines;
}

std::string steps_text(const Hypothesis& h) {
  if (h.kind == HypothesisKind::interaction)
    return fmt::format("from {} = {} to {}", h.along, h.steps.front(), h.steps.back());
  return fmt::format("along {} ({})", h.along, joined_text(h.steps, ", "));
}

struct SourceText {
  std::string operator()(const kernel::FromMetricsFile&) { return "the metrics file that the job appends to"; }
  std::string operator()(const kernel::FromStdout& from) { return "standard output, pattern " + from.pattern; }
  std::string operator()(const kernel::FromJsonFile& at) { return "file " + at.file + ", value at " + at.pointer; }
  std::string operator()(const kernel::FromJsonLines& from) {
    return "JSON lines of " + from.file + ", key " + from.key;
  }
  std::string operator()(const kernel::FromEvaluator&) { return "what the evaluator writes"; }
  std::string operator()(const kernel::FromCsv& from) { return "table " + from.file + ", column " + from.key; }
};

const kernel::Claim* claim_on(const kernel::Exploration& study, const kernel::HypothesisId& hypothesis) {
  for (const kernel::Claim& claim : study.claims)
    if (claim.hypothesis == hypothesis) return &claim;
  return nullptr;
}

}  // namespace

std::string assigned(const kernel::Cell& cell) {
  return joined_text(cell, ", ", [](const auto& one) { return one.first + "=" + one.second; });
}

std::string value_in(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto at = values.find(key);
  return at == values.end() ? "" : at->second;
}

const kernel::Cell& cell_of(const kernel::RunBoard& study, const kernel::Run& run) {
  return study.cells[static_cast<std::size_t>(run.cell)];
}

std::string exact(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

std::string contrast_text(const Hypothesis& h) {
  if (h.kind == HypothesisKind::slope) {
    kernel::Cell fixed = h.treatment;
    fixed.insert(h.where.begin(), h.where.end());
    return fmt::format("slope along {}{}", h.along, fixed.empty() ? "" : ": " + levels_text(fixed));
  }
  std::string where = h.where.empty() ? "" : " (" + levels_text(h.where) + ")";
  if (!h.steps.empty()) where = fmt::format(", {}{}", steps_text(h), where);
  return fmt::format("{} vs. {}{}", levels_text(h.treatment), levels_text(h.control), where);
}

std::string direction_text(const kernel::StudySpec& spec, const Hypothesis& h, bool newer) {
  if (h.kind == HypothesisKind::crossover) return crossover_text(h, newer);
  const bool interaction = h.kind == HypothesisKind::interaction;
  const bool slope = h.kind == HypothesisKind::slope || interaction;
  const std::string what =
      interaction && newer ? fmt::format("the difference in {} between treatment and control at {} = {} is", h.metric,
                                         h.along, h.steps.back())
      : interaction
          ? fmt::format("what treatment and control differ by in {} at {} = {} is", h.metric, h.along, h.steps.back())
      : slope ? fmt::format("the slope of {} along {} is", h.metric, h.along)
              : h.metric + " is";
  const std::string than = interaction ? fmt::format("at {} = {}", h.along, h.steps.front())
                           : slope     ? "the registered value"
                                       : "control";
  const std::string under = slope ? "" : " under treatment";
  switch (h.direction) {
    case Direction::less:
      return fmt::format("{} lower{} than {}{}", what, under, slope ? "" : "under ", than);
    case Direction::greater:
      return fmt::format("{} higher{} than {}{}", what, under, slope ? "" : "under ", than);
    case Direction::equal:
      return fmt::format("{} the same{} as {}{}, within the registered margin", what, under, slope ? "" : "under ",
                         than);
    case Direction::different:
      return fmt::format("{} different{} from {}", what, under, than);
    case Direction::not_worse: {
      const kernel::Metric* metric = spec.metric(h.metric);
      const bool maximize = metric && metric->goal == kernel::Goal::maximize;
      return fmt::format("{} not {}{} than {}{}, within the registered margin", what, maximize ? "lower" : "higher",
                         under, slope ? "" : "under ", than);
    }
  }
  return "";
}

std::string command_lines(const kernel::StudySpec& spec) {
  std::string lines = evaluator_lines(spec);
  if (spec.setup)
    lines += "- **Set-up of the environment**: " + in_code(command_text(spec.setup->run)) +
             (spec.setup->resources.network ? "; with network" : "; without network") + "\n";
  if (spec.stages.empty()) return lines + "- **Command**: " + in_code(command_text(spec.run)) + "\n";
  for (const kernel::StageSpec& stage : spec.stages) {
    lines += fmt::format("- **Command of the stage {}**: {}", stage.name, in_code(command_text(stage.run)));
    for (const kernel::StageOutput& output : stage.outputs)
      lines += fmt::format("; leaves {} as `{{{}.{}}}`", in_code(output.path), stage.name, output.name);
    lines += "\n";
  }
  return lines;
}

std::string command_text(const kernel::CommandTemplate& command) {
  return joined_text(command.words, " ");
}

std::string origin_text(const kernel::Metric& metric) {
  if (!metric.derived)
    return fmt::format("{}, read from {}", summary_text(metric), std::visit(SourceText{}, metric.source));
  return fmt::format("{} {} that of the run with the same seed at {}", metric.derived->from,
                     metric.derived->ratio ? "divided by" : "minus", assigned(metric.derived->relative_to));
}

std::string summary_text(const kernel::Metric& metric) {
  static constexpr const char* names[] = {"last", "mean", "median", "minimum", "maximum", "99th percentile"};
  std::string text;
  switch (metric.summary.kind) {
    case kernel::SummaryKind::mean_last:
      text = fmt::format("mean of the last {} values", metric.summary.last_k);
      break;
    case kernel::SummaryKind::time_to:
      text = fmt::format("first step at which {} reaches {}", metric.summary.target_metric,
                         prose::rounded(metric.summary.target));
      break;
    default:
      text = fmt::format("{} of a run's values", names[static_cast<std::size_t>(metric.summary.kind)]);
  }
  if (metric.warmup > 0)
    text +=
        metric.warmup == 1 ? ", after dropping the first" : fmt::format(", after dropping the first {}", metric.warmup);
  return text;
}

const kernel::Node* node_of(const kernel::Exploration& study, const kernel::ExperimentId& experiment) {
  for (const kernel::Node& node : study.nodes)
    if (node.experiment == experiment && !experiment.empty()) return &node;
  return nullptr;
}

std::string claim_id(const kernel::Exploration& study, const kernel::HypothesisId& hypothesis) {
  const kernel::Claim* claim = claim_on(study, hypothesis);
  return claim ? claim->id : "";
}

std::vector<std::string> claims_of(const kernel::Exploration& study, const kernel::ExperimentId& experiment) {
  std::vector<std::string> ids;
  for (const kernel::Claim& claim : study.claims)
    if (claim.experiment == experiment) ids.push_back(claim.id);
  return ids;
}

std::vector<kernel::HypothesisId> hypotheses_with(const kernel::Hypotheses& study, kernel::Verdict verdict) {
  std::vector<kernel::HypothesisId> ids;
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    if (record.result && record.withdrawn.empty() && !record.exploratory && record.result->verdict == verdict)
      ids.push_back(record.hypothesis.id);
  return ids;
}

std::vector<const kernel::HypothesisRecord*> withdrawn(const kernel::Hypotheses& study) {
  std::vector<const kernel::HypothesisRecord*> records;
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    if (!record.withdrawn.empty()) records.push_back(&record);
  return records;
}

PurposeCounts counts_of_purpose(const kernel::RunBoard& study, kernel::Purpose purpose) {
  PurposeCounts counts;
  for (const kernel::RunState state : kernel::enumerators<kernel::RunState>())
    if (kernel::is_end(state)) counts.ended[state] = 0;
  for (const kernel::Run& run : study.runs) {
    if (run.purpose != purpose) continue;
    ++counts.total;
    counts.superseded += run.superseded ? 1 : 0;
    if (run.ended()) ++counts.ended[run.state];
  }
  return counts;
}

std::string in_brackets(const std::string& unit) {
  return unit.empty() || unit == "1" ? "" : " (" + unit + ")";
}

std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

std::string with_stop(std::string text, int wording) {
  text = without_stop(std::move(text));
  const bool asks = text.ends_with('?') && (wording >= 6 || wording == kernel::codes_only);
  return asks ? text : text + ".";
}

std::string hardware_words(const kernel::StudyTerms& terms) {
  std::vector<std::string> parts;
  if (const std::string cpu = value_in(terms.environment.machine, "cpu"); !cpu.empty()) parts.push_back(cpu);
  if (const std::string cores = value_in(terms.environment.machine, "cores"); !cores.empty())
    parts.push_back(cores + " cores");
  if (const std::string memory = value_in(terms.environment.machine, "memory"); !memory.empty())
    parts.push_back(memory + " memory");
  return parts.empty() ? "not recorded" : listed(parts);
}

std::vector<std::string> keywords(const kernel::StudySpec& spec) {
  std::vector<std::string> words;
  for (const kernel::Metric& metric : spec.metrics) words.push_back(metric.name);
  for (const kernel::Factor& factor : spec.factors) words.push_back(factor.name);
  return words;
}

}  // namespace artifacts
