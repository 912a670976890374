#include "tests/kernel/calibration_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tests/kernel/search_driver.h"

namespace calibration {

using kernel::Cell;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Pairing;
using kernel::Verdict;
using simulated::Outcome;
using stats::Xoshiro;

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
    h.id = fmt::format("H{}", i);
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

void Table::add(Row row, const kernel::StudySpec& spec, Noise noise, const Truth& truth, const Event& event,
                int batches) {
  Xoshiro random(0x9e3779b97f4a7c15ULL + ++rows_);
  // Of families, whose one false verdict is seldom, never fewer.
  row.studies = spec.hypotheses.size() > 1 ? std::max(studies_, 200) : studies_;
  int count = 0;
  for (int i = 0; i < row.studies; ++i) count += event(results(spec, noise, truth, random, batches)) ? 1 : 0;
  row.rate = static_cast<double>(count) / row.studies;
  each_(row);
}

void Table::add_blocks(Row row, const kernel::StudySpec& spec, double mean, double between, double failing) {
  Xoshiro random(0x9e3779b97f4a7c15ULL + ++rows_);
  row.studies = studies_;
  int count = 0;
  for (int i = 0; i < row.studies; ++i) {
    std::map<std::string, double> level, effect;
    for (const kernel::Level& set : spec.factors.back().levels) {
      level[set.name] = 3 * random.normal();
      effect[set.name] = mean + between * random.normal();
    }
    simulated::Simulation simulation([&](const kernel::Run&, const Cell& cell, int) {
      const std::string& set = cell.at("set");
      const double value = 10 + level[set] + (cell.at("arm") == "c" ? 0 : effect[set]) + random.normal();
      return random.uniform() < failing ? Outcome{} : Outcome{value};
    });
    count += simulation.conclude(spec).hypotheses[0].result->verdict == Verdict::supported ? 1 : 0;
  }
  row.rate = static_cast<double>(count) / row.studies;
  each_(row);
}

void Table::add_search(Row row, const kernel::StudySpec& spec, const std::function<double(const Cell&)>& truth,
                       const Found& found) {
  ++rows_;
  row.studies = studies_;
  int count = 0;
  for (int i = 0; i < row.studies; ++i) {
    kernel::StudySpec own = spec;
    own.seed = static_cast<std::uint64_t>(i) + 1;
    driver::Driver search(own, [&](const Cell& cell, std::uint64_t seed, kernel::Purpose) {
      return truth(cell) + driver::noise({}, seed, own.seed) + driver::noise(cell, seed, own.seed);
    });
    std::vector<Confirmed> list;
    for (const kernel::HypothesisRecord& record : search.run().hypotheses) {
      Cell treatment = record.hypothesis.where, control = treatment;
      treatment.insert(record.hypothesis.treatment.begin(), record.hypothesis.treatment.end());
      control.insert(record.hypothesis.control.begin(), record.hypothesis.control.end());
      list.push_back({*record.result, truth(treatment) - truth(control)});
    }
    count += found(list) ? 1 : 0;
  }
  row.rate = static_cast<double>(count) / row.studies;
  each_(row);
}

}  // namespace calibration
