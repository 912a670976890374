#include "tests/kernel/calibration/calibration_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "tests/kernel/search/search_driver.h"

namespace calibration {

using kernel::Cell;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Pairing;
using kernel::Verdict;
using simulated::Outcome;

namespace {

double student3(Xoshiro& random) {
  const double z = random.normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double n = random.normal();
    squares += n * n;
  }
  return z / std::sqrt(squares / 3);
}

/// One draw around 0, not always with variance 1.
double draw(Noise noise, Xoshiro& random, int started) {
  switch (noise) {
    case Noise::log_normal:
      return std::exp(0.8 * random.normal()) - std::exp(0.32);
    case Noise::heavy:
      return student3(random);
    case Noise::drifting:
      return random.normal() + 0.1 * started;
    default:
      return random.normal();
  }
}

/// The results of one study.
std::vector<HypothesisResult> results(const kernel::StudySpec& spec, Noise noise, const Truth& truth, Xoshiro& random,
                                      int batches) {
  std::map<std::uint64_t, double> shared;
  simulated::Simulation simulation([&](const kernel::Run& run, const Cell& cell, int started) {
    const auto [seed, fresh] = shared.try_emplace(run.seed, 0);
    if (fresh) seed->second = random.normal();
    const double own = draw(noise, random, started);
    Outcome outcome = truth(cell.at("arm") != "c", own, seed->second, random);
    if (noise == Noise::failing && random.uniform() < 0.1) outcome = {};
    return outcome;
  });
  std::vector<HypothesisResult> list;
  for (const kernel::HypothesisRecord& record : simulation.conclude(spec, batches).hypotheses)
    list.push_back(*record.result);
  return list;
}

bool any(const std::vector<HypothesisResult>& list, Verdict verdict) {
  return std::any_of(list.begin(), list.end(), [&](const HypothesisResult& r) { return r.verdict == verdict; });
}

/// Whether the other studies of a test need not be simulated: after a quarter of them the rate is within its gate, or
/// after half of them within a standard error of it. Of 200 studies at a true rate of 5 % this leaves out 115; a rate
/// of 12 % or 15 % is then found in 67 % or 94 % of tests, instead of 70 % or 96 %.
bool clearly_holds(const Row& row, int all) {
  return all >= 100 && ((row.studies == all / 4 && row.holds(0)) || (row.studies == all / 2 && row.holds(1)));
}

}  // namespace

const char* name(Noise noise) {
  static constexpr const char* names[] = {"normal", "log-normal", "heavy-tailed (t, 3 df)", "drifting", "10 % failing"};
  return names[static_cast<int>(noise)];
}

kernel::StudySpec spec_of(const Design& design, const Hypothesis& pattern) {
  std::vector<std::string> levels{"c"};
  for (int i = 1; i <= design.arms; ++i) levels.push_back(fmt::format("t{}", i));
  kernel::StudySpec spec = synthetic::study(std::max(2, design.replicates));
  spec.title = "Simulated";
  spec.design.rule = kernel::VerdictRule::one_interval;
  spec.question = "Is it?";
  spec.factors = {synthetic::factor("arm", levels)};
  spec.design.pairing = design.pairing;
  spec.design.family = design.family;
  if (design.replicates == 0) {
    spec.design.replicates_min = 2;
    spec.design.replicates_max = 2000;
  }
  for (int i = 1; i <= design.arms; ++i) {
    Hypothesis h = pattern;
    h.id = kernel::HypothesisId(fmt::format("H{}", i));
    h.statement = "It is.";
    h.treatment = {{"arm", levels[static_cast<std::size_t>(i)]}};
    spec.hypotheses.push_back(std::move(h));
  }
  return spec;
}

Truth shifted(double by) {
  return [by](bool treatment, double noise, double shared, Xoshiro&) {
    return Outcome{10 + (treatment ? by : 0) + noise + shared};
  };
}

Event with(Verdict verdict) {
  return [verdict](const std::vector<HypothesisResult>& list) { return any(list, verdict); };
}

Found confirmed(Verdict verdict) {
  return [verdict](const std::vector<Confirmed>& list) {
    return std::any_of(list.begin(), list.end(), [&](const Confirmed& c) { return c.result.verdict == verdict; });
  };
}

bool covers(std::optional<double> low, std::optional<double> high, double truth) {
  return (!low || *low <= truth) && (!high || *high >= truth);
}

std::string words(const Design& design, const char* test) {
  return fmt::format("{}, {}", test, design.pairing == Pairing::seed ? "paired" : "unpaired");
}

void Table::add(Row row, int studies, One one) {
  if (is_quick() && row.gate == Gate::reported) return;
  row.studies = studies;
  lines_.push_back({std::move(row), std::move(one)});
}

void Table::fill(int threads, const std::function<void(const Row&)>& each) {
  std::vector<std::promise<double>> rates(lines_.size());
  std::atomic<std::size_t> next = 0;
  const auto rate = [&](std::size_t at) {
    Xoshiro random(0x9e3779b97f4a7c15ULL + at + 1);
    Row& row = lines_[at].row;
    const int all = row.studies;
    int count = 0;
    for (int i = 0; i < all; ++i) {
      count += lines_[at].one(random, static_cast<std::uint64_t>(i) + 1) ? 1 : 0;
      row.studies = i + 1;
      row.rate = static_cast<double>(count) / row.studies;
      if (is_quick() && clearly_holds(row, all)) break;
    }
    return row.rate;
  };
  const auto work = [&] {
    for (std::size_t at = next++; at < lines_.size(); at = next++) try {
        rates[at].set_value(rate(at));
      } catch (...) {
        rates[at].set_exception(std::current_exception());
      }
  };
  std::vector<std::jthread> others;
  for (int i = 0; i < threads; ++i) others.emplace_back(work);
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    lines_[at].row.rate = rates[at].get_future().get();
    each(lines_[at].row);
  }
}

void Table::add(Row row, const kernel::StudySpec& spec, Noise noise, const Truth& truth, const Event& event,
                int batches) {
  // Of families, whose one false verdict is seldom, never fewer.
  const int studies = spec.hypotheses.size() > 1 ? std::max(studies_, 200) : studies_;
  add(std::move(row), studies, [=](Xoshiro& random, std::uint64_t seed) {
    kernel::StudySpec own = spec;
    own.seed = seed;
    return event(results(own, noise, truth, random, batches));
  });
}

void Table::add_blocks(Row row, const kernel::StudySpec& spec, double mean, double between, double failing) {
  add(std::move(row), studies_, [=](Xoshiro& random, std::uint64_t seed) {
    kernel::StudySpec own = spec;
    own.seed = seed;
    std::map<std::string, double> level, effect;
    for (const kernel::Level& set : own.factors.back().levels) {
      level[set.name] = 3 * random.normal();
      effect[set.name] = mean + between * random.normal();
    }
    simulated::Simulation simulation([&](const kernel::Run&, const Cell& cell, int) {
      const std::string& set = cell.at("set");
      const double value = 10 + level[set] + (cell.at("arm") == "c" ? 0 : effect[set]) + random.normal();
      return random.uniform() < failing ? Outcome{} : Outcome{value};
    });
    return simulation.conclude(own).hypotheses[0].result->verdict == Verdict::supported;
  });
}

void Table::add_slopes(Row row, const kernel::StudySpec& spec, double intercepts, double slopes, const Event& event) {
  add(std::move(row), studies_, [=](Xoshiro& random, std::uint64_t seed) {
    kernel::StudySpec own = spec;
    own.seed = seed;
    std::map<std::uint64_t, std::pair<double, double>> lines;
    simulated::Simulation simulation([&](const kernel::Run& run, const Cell& cell, int) {
      const auto [line, fresh] = lines.try_emplace(run.seed);
      if (fresh) line->second = {intercepts * random.normal(), slopes * random.normal()};
      return Outcome{10 + line->second.first + line->second.second * (std::stod(cell.at("x")) - 2.5) + random.normal()};
    });
    return event({*simulation.conclude(own).hypotheses[0].result});
  });
}

void Table::add_items(Row row, const kernel::StudySpec& spec, int items, bool share) {
  add(std::move(row), studies_, [=](Xoshiro& random, std::uint64_t seed) {
    kernel::StudySpec own = spec;
    own.seed = seed;
    std::vector<double> ease, effect;
    for (int i = 0; i < items; ++i) ease.push_back(random.normal()), effect.push_back(random.normal());
    simulated::Simulation simulation([&](const kernel::Run&, const Cell& cell, int) {
      Outcome outcome{0.0};
      for (int i = 0; i < items; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double value = ease[at] + (cell.at("arm") == "c" ? 0 : effect[at]) + random.normal();
        outcome.items[fmt::format("q{}", i)] = share ? (value > 0 ? 1 : 0) : value;
        *outcome.value += outcome.items[fmt::format("q{}", i)] / items;
      }
      return outcome;
    });
    return simulation.conclude(own).hypotheses[0].result->verdict == Verdict::supported;
  });
}

void Table::add_search(Row row, const kernel::StudySpec& spec, const std::function<double(const Cell&)>& truth,
                       const Found& found) {
  add(std::move(row), studies_, [=](Xoshiro&, std::uint64_t seed) {
    kernel::StudySpec own = spec;
    own.seed = seed;
    driver::Driver search(own, [&](const Cell& cell, std::uint64_t run_seed, kernel::Purpose) {
      return truth(cell) + driver::noise({}, run_seed, seed) + driver::noise(cell, run_seed, seed);
    });
    std::vector<Confirmed> list;
    for (const kernel::HypothesisRecord& record : search.run().hypotheses) {
      Cell treatment = record.hypothesis.where, control = treatment;
      treatment.insert(record.hypothesis.treatment.begin(), record.hypothesis.treatment.end());
      control.insert(record.hypothesis.control.begin(), record.hypothesis.control.end());
      list.push_back({*record.result, truth(treatment) - truth(control)});
    }
    return found(list);
  });
}

}  // namespace calibration
