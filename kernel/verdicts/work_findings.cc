#include "kernel/verdicts/work_findings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "kernel/domain/cells.h"
#include "kernel/verdicts/cautions.h"
#include "stats/basics/descriptive.h"
#include "stats/diagnostics/equal_values.h"

namespace kernel {

namespace {

constexpr std::size_t fewest_runs = 3;
/// How often less work is worth a question.
constexpr double much_less = 5;
/// The probability of a finding by chance.
constexpr double rare = 1e-4;

double median_of(std::vector<double> values) {
  return stats::median(values).value_or(0);
}

/// The step of the values in standard deviations; of a root, a logarithm or an inverse of what has steps, that of it.
double relative_step(const std::vector<double>& values) {
  double largest = 0;
  for (double (*inverse)(double) : {+[](double v) { return v; }, +[](double v) { return v * v; },
                                    +[](double v) { return std::exp(v); }, +[](double v) { return 1 / v; }}) {
    std::vector<double> list;
    for (const double value : values) list.push_back(inverse(value));
    const auto sd = std::ranges::all_of(list, [](double v) { return std::isfinite(v); })
                        ? stats::standard_deviation(list)
                        : std::nullopt;
    if (sd && *sd > 0) largest = std::max(largest, stats::value_step(list) / *sd);
  }
  return largest;
}

/// The successful runs of one arm at one setting, with their values of a metric.
struct ArmRuns {
  std::vector<const Run*> runs;
  std::vector<double> values;  ///< Of the same runs.
};

struct TwoSides {
  ArmRuns treatment, control;
};

using Settings = std::map<Cell, TwoSides>;

/// What one arm measured, over all settings.
std::vector<double> figures(const Settings& settings, ArmRuns TwoSides::*arm, double (*figure)(const Run&)) {
  std::vector<double> list;
  for (const auto& [levels, setting] : settings)
    for (const Run* run : (setting.*arm).runs) list.push_back(figure(*run));
  return list;
}

double wall_of(const Run& run) {
  return run.outcome.usage.wall_s;
}
double cpu_of(const Run& run) {
  return run.outcome.usage.cpu_s;
}
double idle_of(const Run& run) {
  return std::max(0.0, wall_of(run) - cpu_of(run));
}
double idle_per_cpu(const Run& run) {
  return idle_of(run) / std::max(cpu_of(run), 0.001);
}
double moved_bytes(const Run& run) {
  return static_cast<double>(run.outcome.usage.read_bytes + run.outcome.usage.written_bytes);
}
double written_bytes(const Run& run) {
  return static_cast<double>(run.outcome.usage.written_bytes);
}
double points_of(const Run& run) {
  return static_cast<double>(run.measurement.points);
}

/// One contrast of the experiment and the runs of its arms.
class ContrastWork {
 public:
  ContrastWork(const Study& study, const Hypothesis& h, Settings settings)
      : study_(study), h_(h), settings_(std::move(settings)) {
    for (const auto& [levels, setting] : settings_)
      for (const ArmRuns* side : {&setting.treatment, &setting.control})
        for (const Run* run : side->runs) {
          const Cell& cell = study.cells[static_cast<std::size_t>(run->cell)];
          by_agent_ = by_agent_ || !study.workspace_of(cell).by.empty();
        }
  }

  std::vector<IntegrityFound> findings(const ExperimentId& experiment) {
    experiment_ = experiment;
    const Metric* metric = study_.spec.metric(h_.metric);
    if (!metric || metric->deterministic) return {};
    if (is_timing(study_.spec, *metric)) waits();
    if (by_agent_) less_work(is_timing(study_.spec, *metric));
    counts_fewer();
    from_a_table();
    if (study_.spec.design.pairing == Pairing::seed) constant_difference();
    return std::move(found_);
  }

 private:
  void find(Reason message, CodeRead doing, bool averted) {
    std::string lines;
    for (const CodeLine& line : study_.workspace.reads)
      if (line.reads == doing) lines += (lines.empty() ? "" : "; ") + line.place;
    message.values["hypothesis"] = h_.id.text();
    if (!lines.empty()) message.values["lines"] = std::vector{Reason{ReasonCode::lines_to_read, {{"lines", lines}}}};
    found_.push_back({experiment_, h_.metric, std::move(message), {}, averted});
  }
  /// `first`: the treatment.
  std::string arm(bool first) const {
    return (first ? "treatment (" : "control (") + words_of(first ? h_.treatment : h_.control) + ")";
  }

  /// Sleeping shows as time without processor time, and only in one arm.
  void waits() {
    // Studies that older programs judged keep their findings.
    constexpr int first_wording = 6;
    const bool newer = study_.wording >= first_wording;
    bool busy = false;
    for (const auto& [levels, setting] : settings_)
      for (const ArmRuns* side : {&setting.treatment, &setting.control})
        for (const Run* run : side->runs) {
          if (!run->lease.gpus.empty()) return;  // It waits for its devices.
          // The load of the machine is unknown for the shortest runs.
          busy = busy || (newer && !run->outcome.usage.machine) || was_busy(run->outcome.usage);
        }
    for (const bool first : {true, false}) {
      const auto one = first ? &TwoSides::treatment : &TwoSides::control;
      const auto other = first ? &TwoSides::control : &TwoSides::treatment;
      const std::vector<double> idle = figures(settings_, one, idle_of), usual = figures(settings_, other, idle_of);
      if (idle.size() < fewest_runs || usual.size() < fewest_runs) return;
      const double took = median_of(figures(settings_, one, wall_of));
      const double others = median_of(figures(settings_, other, wall_of));
      const auto [low, high] = std::ranges::minmax(usual);
      const double waited = median_of(idle), excess = waited - median_of(usual);
      const auto below = std::ranges::count_if(idle, [top = high](double s) { return s <= top; });
      const bool apart = static_cast<double>(below) <= 0.1 * static_cast<double>(idle.size());
      constexpr double least_s = 0.005;
      if (!apart || excess < 3 * std::max(high - low, least_s) || excess < 0.2 * took || excess < 0.5 * (took - others))
        continue;
      // On a busy machine a job waits the longer for a processor the more it computes; a short one may not wait at all.
      const double waited_per_cpu = median_of(figures(settings_, one, idle_per_cpu));
      const bool computes_more =
          median_of(figures(settings_, one, cpu_of)) > 2 * median_of(figures(settings_, other, cpu_of));
      constexpr double much_waiting = 10;
      if (busy && (waited_per_cpu < 3 * std::ranges::max(figures(settings_, other, idle_per_cpu)) ||
                   (newer && computes_more && waited_per_cpu < much_waiting)))
        continue;
      // Waiting for the disk or the network is work; an agent's code must show that it is.
      constexpr double much_bytes = 1 << 20;
      const double more_bytes =
          median_of(figures(settings_, one, moved_bytes)) - median_of(figures(settings_, other, moved_bytes));
      if (!by_agent_ && (more_bytes > much_bytes || study_.spec.resources.network)) continue;
      find({ReasonCode::arm_waits,
            {{"arm", arm(first)},
             {"waited", waited},
             {"took", took},
             {"other", median_of(usual)},
             {"other_took", others}}},
           CodeRead::sleep, !by_agent_);
    }
  }

  /// Fewer values or bytes from one arm. Processor time alone may differ for good reason, so it only raises a question.
  void less_work(bool about_time) {
    const auto less = [&](double (*figure)(const Run&), double least) -> std::optional<bool> {
      const std::vector<double> t = figures(settings_, &TwoSides::treatment, figure),
                                c = figures(settings_, &TwoSides::control, figure);
      if (t.size() < fewest_runs || c.size() < fewest_runs) return std::nullopt;
      const auto [t_low, t_high] = std::ranges::minmax(t);
      const auto [c_low, c_high] = std::ranges::minmax(c);
      if (c_low >= least && c_low > t_high && median_of(c) >= much_less * median_of(t)) return true;
      if (t_low >= least && t_low > c_high && median_of(t) >= much_less * median_of(c)) return false;
      return std::nullopt;
    };
    const auto tell = [&](ReasonCode code, double (*figure)(const Run&), bool first, bool averted) {
      const double t = median_of(figures(settings_, &TwoSides::treatment, figure)),
                   c = median_of(figures(settings_, &TwoSides::control, figure));
      find({code, {{"arm", arm(first)}, {"few", std::min(t, c)}, {"many", std::max(t, c)}}}, CodeRead::parameters,
           averted);
    };
    constexpr double least_points = 5, least_bytes = 1 << 16, least_s = 0.1;
    if (const auto first = less(points_of, least_points))
      return tell(ReasonCode::arm_reports_less, points_of, *first, false);
    if (const auto first = less(written_bytes, least_bytes))
      return tell(ReasonCode::arm_writes_less, written_bytes, *first, false);
    if (about_time) return;
    if (const auto first = less(cpu_of, least_s)) tell(ReasonCode::work_unchecked, cpu_of, *first, true);
  }

  std::vector<double> values(ArmRuns TwoSides::*one) const {
    std::vector<double> list;
    for (const auto& [levels, setting] : settings_)
      list.insert(list.end(), (setting.*one).values.begin(), (setting.*one).values.end());
    return list;
  }

  /// The values of an arm that counts fewer cases are multiples of a larger share.
  void counts_fewer() {
    const std::vector<double> t = values(&TwoSides::treatment), c = values(&TwoSides::control);
    const auto of_t = stats::common_denominator(t), of_c = stats::common_denominator(c);
    const auto is_share = [](double value) { return value >= 0 && value <= 1; };
    if (!of_t || !of_c || *of_t == *of_c || !std::ranges::all_of(t, is_share) || !std::ranges::all_of(c, is_share))
      return;
    // Values that were rounded to decimals say nothing of cases.
    const auto of_decimals = [](std::int64_t cases) {
      while (cases % 10 == 0) cases /= 10;
      return cases == 1;
    };
    if (of_decimals(*of_t) && of_decimals(*of_c)) return;
    const bool first = *of_t < *of_c;
    const std::vector<double>& coarse = first ? t : c;
    const double few = static_cast<double>(std::min(*of_t, *of_c)), many = static_cast<double>(std::max(*of_t, *of_c));
    const auto distinct = std::set<double>(coarse.begin(), coarse.end()).size();
    // By chance, a value of the finer arm is such a multiple with probability few / many.
    if (few < 2 || distinct < 3 || many < much_less * few || std::pow(few / many, static_cast<double>(distinct)) > rare)
      return;
    find({ReasonCode::arm_counts_fewer, {{"arm", arm(first)}, {"metric", h_.metric}, {"few", few}, {"many", many}}},
         CodeRead::parameters, !by_agent_);
  }

  /// Equal values on different seeds, more often than the metric's resolution explains.
  void from_a_table() {
    double expected = 0;
    std::int64_t repeats = 0, all = 0;
    for (const auto& [levels, setting] : settings_)
      for (const ArmRuns* side : {&setting.treatment, &setting.control}) {
        std::vector<double> sorted = side->values;
        std::ranges::sort(sorted);
        const auto n = static_cast<double>(sorted.size());
        all += std::ssize(sorted);
        // A metric may reach its least or its greatest value often.
        const auto inner_begin = std::ranges::upper_bound(sorted, sorted.empty() ? 0 : sorted.front());
        const auto inner_end = std::ranges::lower_bound(sorted, sorted.empty() ? 0 : sorted.back());
        if (inner_begin >= inner_end) continue;
        const std::set<double> distinct(inner_begin, inner_end);
        const auto own = (inner_end - inner_begin) - std::ssize(distinct);
        if (own == 0) continue;
        repeats += own;
        // Of n normal values in steps of d, n(n−1)/2 · d/(2σ√π) pairs are expected to be equal; more for others.
        constexpr double for_other_shapes = 3;
        expected += for_other_shapes * n * (n - 1) / 2 * relative_step(sorted) / (2 * std::sqrt(std::numbers::pi));
      }
    if (repeats < 2) return;
    // P(Poisson(expected) ≥ repeats)
    double term = std::exp(-expected), below = 0;
    for (std::int64_t k = 0; k < repeats; ++k) {
      below += term;
      term *= expected / static_cast<double>(k + 1);
    }
    if (1 - below > rare) return;
    find({ReasonCode::values_repeat, {{"metric", h_.metric}, {"repeats", repeats}, {"values", all}}}, CodeRead::seed,
         !by_agent_);
  }

  /// Treatment − control, or treatment / control, that is the same on every seed though the metric varies.
  void constant_difference() {
    for (const auto& [levels, setting] : settings_) {
      std::map<std::uint64_t, double> control;
      for (std::size_t i = 0; i < setting.control.runs.size(); ++i)
        control[setting.control.runs[i]->seed] = setting.control.values[i];
      std::vector<double> t, c;
      for (std::size_t i = 0; i < setting.treatment.runs.size(); ++i) {
        const auto partner = control.find(setting.treatment.runs[i]->seed);
        if (partner == control.end()) continue;
        t.push_back(setting.treatment.values[i]);
        c.push_back(partner->second);
      }
      if (t.size() < fewest_runs) continue;
      std::vector<double> differences, logarithms, ratios;
      for (std::size_t i = 0; i < t.size(); ++i) {
        differences.push_back(t[i] - c[i]);
        if (t[i] > 0 && c[i] > 0) {
          logarithms.push_back(std::log(c[i]));
          ratios.push_back(std::log(t[i] / c[i]));
        }
      }
      // About a difference without any variation, the test itself says that it decides nothing.
      if (const auto moments = stats::moments(differences); !moments || moments->variance == 0) continue;
      if (is_constant(differences, c))
        return find({ReasonCode::constant_difference,
                     {{"metric", h_.metric},
                      {"difference", median_of(differences)},
                      {"noise", stats::standard_deviation(c).value_or(0)},
                      {"pairs", std::ssize(t)}}},
                    CodeRead::parameters, !by_agent_);
      if (ratios.size() == t.size() && is_constant(ratios, logarithms))
        return find({ReasonCode::constant_ratio,
                     {{"metric", h_.metric}, {"ratio", std::exp(median_of(ratios))}, {"pairs", std::ssize(t)}}},
                    CodeRead::parameters, !by_agent_);
    }
  }
  static bool is_constant(const std::vector<double>& differences, const std::vector<double>& values) {
    constexpr double share_of_noise = 1e-6;
    const auto [low, high] = std::ranges::minmax(differences);
    const double noise = stats::standard_deviation(values).value_or(0);
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * largest;
    return noise > 2 * rounding && high - low <= std::max(share_of_noise * noise, rounding) &&
           std::max(std::abs(low), std::abs(high)) > 0;
  }

  const Study& study_;
  const Hypothesis& h_;
  Settings settings_;
  ExperimentId experiment_;
  bool by_agent_ = false;
  std::vector<IntegrityFound> found_;
};

}  // namespace

std::vector<IntegrityFound> work_findings(const Study& study, const Experiment& experiment) {
  std::vector<IntegrityFound> found;
  const ExperimentId& id = experiment.registration.experiment;
  if (study.spec.design.rule != VerdictRule::one_interval) return found;
  std::map<int, std::vector<const Run*>> by_cell;
  for (const Run& run : study.runs)
    if (run.experiment == id && run.evidence() && run.state == RunState::succeeded && run.cached_from.empty())
      by_cell[run.cell].push_back(&run);
  std::set<std::tuple<std::string, Cell, Cell, Cell>> seen;
  for (const Hypothesis& h : experiment.registration.hypotheses) {
    if (h.kind != HypothesisKind::compare || !seen.emplace(h.metric, h.treatment, h.control, h.where).second) continue;
    const Metric* metric = study.spec.metric(h.metric);
    const std::string& base = metric && metric->derived ? metric->derived->from : h.metric;
    Settings settings;
    for (const Cell& cell : cells_of(study.spec, h)) {
      const auto number = study.cell_numbers.find(cell);
      const auto runs = number == study.cell_numbers.end() ? by_cell.end() : by_cell.find(number->second);
      if (runs == by_cell.end()) continue;
      Cell levels = cell;
      for (const auto& [factor, level] : h.treatment) levels.erase(factor);
      for (const auto& [factor, level] : h.control) levels.erase(factor);
      TwoSides& setting = settings[levels];
      ArmRuns& side = matches(cell, h.control) ? setting.control : setting.treatment;
      for (const Run* run : runs->second) {
        const auto value = run->measurement.values.find(base);
        if (value == run->measurement.values.end() || value->second.censored || value->second.worst ||
            !std::isfinite(value->second.value))
          continue;
        side.runs.push_back(run);
        side.values.push_back(value->second.value);
      }
    }
    for (IntegrityFound& one : ContrastWork(study, h, std::move(settings)).findings(id))
      found.push_back(std::move(one));
  }
  return found;
}

}  // namespace kernel
