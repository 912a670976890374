#include "kernel/design/code_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "kernel/design/seeds.h"
#include "kernel/domain/cells.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/wording/wording.h"
#include "stats/basics/distributions.h"

namespace kernel {

namespace {

constexpr std::array<const char*, comparison_parts> part_labels{"original", "amended", "original again"};

const std::string* text_in(const Reason& reason, const std::string& value) {
  const auto found = reason.values.find(value);
  return found == reason.values.end() ? nullptr : std::get_if<std::string>(&found->second);
}

/// True if the finding says something about this setting.
bool touches(const Study& study, const CheckFinding& finding, const Cell& cell) {
  if (finding.message.code == ReasonCode::level_changes_nothing ||
      finding.message.code == ReasonCode::level_changes_no_metric) {
    const auto level = cell.find(finding.subject);
    const std::string* from = text_in(finding.message, "from");
    const std::string* to = text_in(finding.message, "to");
    return level == cell.end() || !from || !to || level->second == *from || level->second == *to;
  }
  const auto number = finding.message.values.find("run");
  const auto* run = number == finding.message.values.end() ? nullptr : std::get_if<std::int64_t>(&number->second);
  const Run* about = run ? study.run(static_cast<int>(*run)) : nullptr;
  return !about || study.cells[static_cast<std::size_t>(about->cell)] == cell;
}

/// The settings to compare: those of the manipulation check, and further levels of factors that had no effect.
std::vector<Cell> settings_of(const Study& study) {
  const CodeAmendment& change = *study.amendment();
  std::vector<Cell> all;
  std::size_t checks = 0;
  const auto add = [&](const Cell& cell) {
    if (!is_excluded(study.spec, cell) && std::ranges::find(all, cell) == all.end()) all.push_back(cell);
  };
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::smoke || !run.stage.empty() || run.number <= study.batch.amended_at || run.retry_of)
      continue;
    ++checks;
    add(study.cells[static_cast<std::size_t>(run.cell)]);
  }
  for (const CheckFinding& finding : change.mends)
    if (const Factor* factor = study.spec.factor(finding.subject))
      for (const Level& level : factor->levels) {
        Cell other = reference_cell(study.spec);
        other[factor->name] = level.name;
        add(other);
      }
  std::erase_if(all, [&](const Cell& cell) {
    return std::ranges::any_of(change.mends,
                               [&](const CheckFinding& finding) { return touches(study, finding, cell); });
  });
  const std::size_t most = std::max<std::size_t>(1, 2 * checks / comparison_parts);
  if (all.size() > most) all.resize(most);
  return all;
}

/// The newest attempts of one part, in the order of the settings.
std::vector<const Run*> part_of(const Study& study, int part) {
  std::vector<const Run*> runs;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::comparison && run.number > study.batch.amended_at && run.retry_of == 0 &&
        run.label == part_labels.at(static_cast<std::size_t>(part)))
      runs.push_back(&study.latest(run));
  return runs;
}

std::optional<double> value_in(const Run& run, const std::string& metric) {
  const auto found = run.measurement.values.find(metric);
  const bool usable =
      run.state == RunState::succeeded && found != run.measurement.values.end() && std::isfinite(found->second.value);
  return usable ? std::optional(found->second.value) : std::nullopt;
}

/// The interval of the mean shift over the settings, with the noise of one run from the original's two runs of each.
std::optional<NoisyShift> shift_of(const std::string& metric, const std::vector<ComparedValue>& values) {
  double shift = 0, squares = 0, n = 0;
  bool repeats = true;
  for (const ComparedValue& value : values) {
    if (value.metric != metric || !value.original || !value.again) continue;
    repeats = repeats && value.repeats();
    if (!value.amended) continue;
    const double difference = *value.original - *value.again;
    shift += *value.amended - (*value.original + *value.again) / 2;
    squares += difference * difference / 2;
    ++n;
  }
  if (repeats || n == 0) return std::nullopt;
  constexpr double confidence = 0.95, power = 0.8;
  // Var(amended − (original + again) / 2) = 3/2 σ², and σ² is estimated with one degree of freedom per setting.
  const double se = std::sqrt(1.5 * squares / n / n);
  const double reach = stats::t_quantile((1 + confidence) / 2, n) * se;
  return NoisyShift{metric, shift / n, shift / n - reach, shift / n + reach, reach + stats::t_quantile(power, n) * se};
}

std::vector<Reason> shown_value(const std::optional<double>& value) {
  return {value ? as_said(fmt::format("{:.6g}", *value)) : Reason{ReasonCode::no_value}};
}

}  // namespace

std::vector<CheckFinding> findings_to_mend(const Study& study) {
  if (const CodeAmendment* before = study.amendment()) return before->mends;
  std::vector<CheckFinding> found;
  if (study.check && study.workspace.by.empty())
    std::ranges::copy_if(study.check->findings, std::back_inserter(found), &CheckFinding::serious);
  return found;
}

Reason not_comparable(const Study& study) {
  ETUDE_ASSERT(study.comparison_due());
  if (!study.spec.stages.empty()) return {ReasonCode::runs_of_stages};
  return settings_of(study).empty() ? Reason{ReasonCode::nothing_untouched} : Reason{};
}

RunsQueued comparison_runs(const Study& study, int part, const Draw& fresh) {
  RunsQueued queued;
  queued.purpose = Purpose::comparison;
  queued.tier = tier_of(study.spec, Purpose::comparison);
  queued.cells = settings_of(study);
  std::vector<std::uint64_t> seeds;
  if (study.spec.seeds != SeedRule::derived)
    queued.draw = draw_for(study.spec, fresh, fmt::format("comparison {}", study.batch.amended_at));
  if (study.comparison_parts > 0) {
    for (const Run* run : part_of(study, 0)) seeds.push_back(run->seed);
  } else if (study.spec.seeds == SeedRule::derived) {
    for (std::size_t i = 0; i < queued.cells.size(); ++i)
      seeds.push_back(derived_seed(study.spec, Purpose::comparison, static_cast<int>(i)));
  } else {
    FreshSeeds series(study, queued.draw, "comparison");
    for (std::size_t i = 0; i < queued.cells.size(); ++i) seeds.push_back(series.next());
  }
  const std::size_t before = study.runs.size() + static_cast<std::size_t>(part - study.comparison_parts) * seeds.size();
  for (std::size_t i = 0; i < queued.cells.size(); ++i) {
    PlannedRun run;
    run.number = static_cast<int>(before + i) + 1;
    run.cell = static_cast<int>(i);
    run.seed = seeds.at(i);
    run.replicate = 1;
    run.label = part_labels.at(static_cast<std::size_t>(part));
    queued.runs.push_back(std::move(run));
  }
  if (part != 1) {
    ScratchOrder& order = queued.order.emplace();
    order.workspace = study.scoring;
    order.resources = study.spec.resources;
    order.cell = queued.cells.front();
  }
  return queued;
}

CodeCompared judge_comparison(const Study& study) {
  const CodeAmendment* change = study.amendment();
  CodeCompared compared;
  if (!change) return compared;
  compared.original = change->original;
  compared.amended = change->amended;
  if (study.comparison_parts == 0) {
    compared.unchecked = not_comparable(study);
    return compared;
  }
  const std::vector<const Run*> first = part_of(study, 0), amended = part_of(study, 1), again = part_of(study, 2);
  if (first.size() != again.size() || first.size() != amended.size()) return compared;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (const Metric& metric : study.spec.metrics)
      if (!metric.derived)
        compared.values.push_back({study.cells[static_cast<std::size_t>(first[i]->cell)], metric.name,
                                   value_in(*first[i], metric.name), value_in(*again[i], metric.name),
                                   value_in(*amended[i], metric.name)});
  if (std::ranges::none_of(compared.values, [](const ComparedValue& value) { return value.original || value.again; }))
    compared.unchecked = {ReasonCode::originals_fail};
  for (const Metric& metric : study.spec.metrics)
    if (const auto shift = shift_of(metric.name, compared.values)) compared.noisy.push_back(*shift);
  return compared;
}

std::vector<Reason> compared_words(const CodeCompared& compared) {
  std::vector<Reason> words, moved;
  std::set<Cell> settings;
  for (const ComparedValue& value : compared.values) {
    settings.insert(value.cell);
    if (compared.moved(value))
      moved.push_back({ReasonCode::value_moved,
                       {{"metric", value.metric},
                        {"cell", words_of(value.cell)},
                        {"original", shown_value(value.original)},
                        {"amended", shown_value(value.amended)}}});
  }
  if (!compared.unchecked.empty())
    words.push_back({ReasonCode::compared_not, {{"why", std::vector{compared.unchecked}}}});
  else if (!moved.empty())
    words.push_back({ReasonCode::compared_moved, {{"moved", moved}}});
  else if (compared.noisy.empty())
    words.push_back({ReasonCode::compared_equal, {{"settings", std::ssize(settings)}}});
  for (const NoisyShift& one : compared.noisy)
    words.push_back({ReasonCode::compared_noisy,
                     {{"metric", one.metric},
                      {"shift", one.shift},
                      {"low", one.low},
                      {"high", one.high},
                      {"smallest", one.smallest}}});
  return words;
}

StudyRequirement requirement_on_change(const Study& study, const CodeCompared& compared) {
  const CodeAmendment& change = *study.amendment();
  std::vector<Reason> what;
  for (const CheckFinding& finding : change.mends) what.push_back(finding.message);
  if (what.empty()) what.push_back({ReasonCode::mends_requirements});
  StudyRequirement required;
  required.id = "K1";  // There is one, about the newest change; those of agents are R1, R2 and so on.
  required.stated = {ReasonCode::only_mends, {{"what", what}, {"compared", compared_words(compared)}}};
  required.text = newest_words(required.stated);
  required.by = kernel_actor;
  if (!change.places.empty()) {
    required.file = change.places.front().file;
    required.from = change.places.front().from;
    required.to = change.places.front().to;
  }
  required.workspace = change.amended;
  return required;
}

}  // namespace kernel
