#include "tests/kernel/calibration/calibration.h"

#include <cmath>

#include <fmt/format.h>

#include "tests/kernel/calibration/calibration_table.h"
#include "tests/kernel/search/search_driver.h"

namespace calibration {

namespace {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::Pairing;
using kernel::SmallestEffect;
using kernel::Verdict;
using simulated::Outcome;
using stats::Xoshiro;

constexpr double alpha = 0.05;

const std::vector<Pairing> both{Pairing::seed, Pairing::none};

/// Against the control, if effects of this size or more are all that matters to a person.
Hypothesis mattering(Direction direction, double smallest) {
  Hypothesis h = synthetic::compare(direction);
  h.smallest_effect = {SmallestEffect::Kind::absolute, smallest};
  return h;
}

/// Treatment and control alike, whatever the noise: what is supported or refuted is so by chance.
void exchangeable(Table& table) {
  for (const Noise noise : {Noise::normal, Noise::log_normal, Noise::heavy, Noise::drifting, Noise::failing})
    for (const Pairing pairing : both)
      for (const int n : {3, 10, 30}) {
        const Design design{pairing, n};
        const std::string setting = fmt::format("{}; `less`, {}", name(noise), words(design, "t"));
        const auto spec = spec_of(design, synthetic::compare(Direction::less));
        table.add({"false supported", setting, n, Gate::at_most, alpha}, spec, noise, shifted(0),
                  with(Verdict::supported));
      }
  for (const Pairing pairing : both) {
    const Design design{pairing, 10};
    const auto spec = spec_of(design, synthetic::compare(Direction::different));
    table.add({"false supported", "normal; `different`, " + words(design, "t"), 10, Gate::at_most, alpha}, spec,
              Noise::normal, shifted(0), with(Verdict::supported));
    Hypothesis ranks = synthetic::compare(Direction::less);
    ranks.method = kernel::Method::rank;
    table.add(
        {"false supported", "heavy-tailed (t, 3 df); `less`, " + words(design, "ranks"), 10, Gate::at_most, alpha},
        spec_of(design, ranks), Noise::heavy, shifted(0), with(Verdict::supported));
  }
}

/// The truth on the edge of what is hypothesised, or where a refutation begins to be true.
void edges(Table& table) {
  for (const Pairing pairing : both) {
    const Design design{pairing, 10};
    const auto add = [&](const char* what, const std::string& name, const Hypothesis& h, double shift,
                         Verdict verdict) {
      table.add({what, fmt::format("normal; {}, {}", name, words(design, "t")), 10, Gate::at_most, alpha},
                spec_of(design, h), Noise::normal, shifted(shift), with(verdict));
    };
    add("false supported", "`equal` within 1, truth 1", synthetic::compare(Direction::equal, synthetic::absolute(1)), 1,
        Verdict::supported);
    add("false supported", "`less` by 20 %, truth 20 %", synthetic::compare(Direction::less, synthetic::relative(0.2)),
        -2, Verdict::supported);
    add("false supported", "`not_worse` by 10 %, truth 10 %",
        synthetic::compare(Direction::not_worse, synthetic::relative(0.1)), 1, Verdict::supported);
    const Hypothesis less = mattering(Direction::less, 0.8), either = mattering(Direction::different, 0.8);
    add("false refuted", "`less`, truth 0", less, 0, Verdict::refuted);
    add("false refuted", "`less` by 20 %, truth 20 %", synthetic::compare(Direction::less, synthetic::relative(0.2)),
        -2, Verdict::refuted);
    add("false refuted", "`not_worse` by 10 %, truth 10 %",
        synthetic::compare(Direction::not_worse, synthetic::relative(0.1)), 1, Verdict::refuted);
    add("false refuted", "`equal` within 1, truth 1", synthetic::compare(Direction::equal, synthetic::absolute(1)), 1,
        Verdict::refuted);
    add("false refuted", "`different` by more than 1, truth 1",
        synthetic::compare(Direction::different, synthetic::absolute(1)), 1, Verdict::refuted);
    add("false no relevant effect", "`less`, truth at the smallest effect", less, -0.8, Verdict::no_relevant_effect);
    add("false no relevant effect", "`different`, truth at the smallest effect", either, 0.8,
        Verdict::no_relevant_effect);
    for (const double smallest : {0.8, 1.5})
      table.add({"no relevant effect",
                 fmt::format("normal; `less`, smallest effect {:g}, truth 0, {}", smallest, words(design, "t")), 10,
                 Gate::reported, 0.8},
                spec_of(design, mattering(Direction::less, smallest)), Noise::normal, shifted(0),
                with(Verdict::no_relevant_effect));
  }
}

/// Verdicts against the hypothesis where the noise is not what t assumes, the truth where they begin to be true.
void refutations(Table& table) {
  const Hypothesis far = mattering(Direction::less, 0.8);
  const Hypothesis alike = synthetic::compare(Direction::equal, synthetic::absolute(1));
  for (const Noise noise : {Noise::log_normal, Noise::heavy, Noise::drifting, Noise::failing})
    for (const Pairing pairing : both) {
      const Design design{pairing, 10};
      const auto add = [&](const char* word, const char* what, const Hypothesis& h, double shift, Verdict verdict) {
        table.add({word, fmt::format("{}; {}, {}", name(noise), what, words(design, "t")), 10, Gate::at_most, alpha},
                  spec_of(design, h), noise, shifted(shift), with(verdict));
      };
      add("false refuted", "`less`, truth 0", far, 0, Verdict::refuted);
      add("false refuted", "`equal` within 1, truth 1", alike, 1, Verdict::refuted);
      add("false no relevant effect", "`less`, truth at the smallest effect", far, -0.8, Verdict::no_relevant_effect);
    }
}

/// The words for true effects in standard deviations of a paired difference, the smallest that matters half of one.
void words_by_size(Table& table) {
  const double sd = std::sqrt(2.0);
  for (const double effect : {0.2, 0.3, 0.5})
    for (const int n : {3, 5, 10, 20, 30}) {
      if (table.is_quick() && n > 5) continue;
      for (const auto& [word, verdict, gate] :
           {std::tuple{"supported", Verdict::supported, Gate::reported},
            std::tuple{"false refuted", Verdict::refuted, Gate::at_most},
            std::tuple{effect < 0.5 ? "no relevant effect" : "false no relevant effect", Verdict::no_relevant_effect,
                       effect < 0.5 ? Gate::reported : Gate::at_most}})
        table.add({word, fmt::format("normal; `less`, truth {:g} sd, smallest effect 0.5 sd, t, paired", effect), n,
                   gate, alpha},
                  spec_of({Pairing::seed, n}, mattering(Direction::less, 0.5 * sd)), Noise::normal,
                  shifted(-effect * sd), with(verdict));
    }
}

/// Metrics that t does not suit.
void other_metrics(Table& table) {
  for (const Pairing pairing : both) {
    const Design design{pairing, 10};
    auto logs = spec_of(design, synthetic::compare(Direction::less, synthetic::relative(0.5)));
    logs.metrics[0].scale = kernel::Scale::log;
    table.add(
        {"false supported", "log-normal; `less` by 50 %, truth 50 %, " + words(design, "log t"), 10, Gate::at_most,
         alpha},
        logs, Noise::normal,
        [](bool t, double noise, double shared, Xoshiro&) {
          return Outcome{(t ? 5 : 10) * std::exp(0.5 * (noise + shared))};
        },
        with(Verdict::supported));
    for (const double margin : {0.0, 0.5}) {
      auto times = spec_of({pairing, 8}, synthetic::compare(Direction::less, synthetic::relative(margin)));
      times.metrics[0].type = kernel::MetricType::time;
      times.metrics[0].censor_right = true;
      table.add(
          {"false supported",
           fmt::format("log-normal times, a third cut off; `less` by {:g} %, truth {:g} %, {}", 100 * margin,
                       100 * margin, words(design, "censored ranks")),
           8, Gate::at_most, alpha},
          times, Noise::normal,
          [margin](bool t, double noise, double, Xoshiro&) {
            const double time = 10 * (t ? 1 - margin : 1) * std::exp(0.4 * noise);
            return time < 11 ? Outcome{time} : Outcome{std::nullopt, true};
          },
          with(Verdict::supported));
    }
    for (const double chance : {0.5, 0.9}) {
      auto shares = spec_of({pairing, 20}, synthetic::compare(Direction::greater));
      shares.metrics[0].type = kernel::MetricType::proportion;
      table.add(
          {"false supported",
           fmt::format("successes, {:g} % each; `greater`, {}", 100 * chance, words(design, "exact")), 20,
           Gate::at_most, alpha},
          shares, Noise::normal,
          [chance](bool, double, double, Xoshiro& random) { return Outcome{random.uniform() < chance ? 1.0 : 0.0}; },
          with(Verdict::supported));
    }
  }
  const Design cut{Pairing::seed, 12};
  auto slow = spec_of(cut, synthetic::compare(Direction::less));
  slow.metrics[0].type = kernel::MetricType::time;
  slow.design.max_failed = 0.5;
  table.add(
      {"false supported", "the treatment's slowest 20 % time out; `less`, t, paired", 12, Gate::at_most, alpha}, slow,
      Noise::normal,
      [](bool t, double noise, double shared, Xoshiro&) {
        return t && noise > 0.8416 ? Outcome{std::nullopt, true} : Outcome{10 + noise + shared};
      },
      with(Verdict::supported));
}

void families(Table& table) {
  const auto spec = spec_of({Pairing::seed, 5, 20, 20}, synthetic::compare(Direction::different));
  table.add({"any false supported", "normal; 20 hypotheses on one control, Holm, none true", 5, Gate::at_most, alpha},
            spec, Noise::normal, shifted(0), with(Verdict::supported));
  table.add({"any false supported", "normal; 20 hypotheses in 4 batches on fresh seeds, Holm, none true", 5,
             Gate::at_most, alpha},
            spec, Noise::normal, shifted(0), with(Verdict::supported), 4);
  const auto at_smallest = mattering(Direction::less, 0.8);
  for (const int family : {2, 5, 20}) {
    if (table.is_quick() && family == 20) continue;
    const auto many = spec_of({Pairing::seed, 10, family, family}, at_smallest);
    const auto add = [&](const char* what, const char* truth, double shift, const Event& event, double rate) {
      table.add(
          {what, fmt::format("normal; {} hypotheses on one control, Holm, {}", family, truth), 10, Gate::at_most, rate},
          many, Noise::normal, shifted(shift), event);
    };
    add("any false refuted", "truth 0", 0, with(Verdict::refuted), alpha);
    add("any false no relevant effect", "truth at the smallest effect", -0.8, with(Verdict::no_relevant_effect), alpha);
    add(
        "any wrong word", "truth 0", 0,
        [](const auto& list) { return with(Verdict::supported)(list) || with(Verdict::refuted)(list); }, 2 * alpha);
  }
  auto fdr = spec_of({Pairing::seed, 8, 8, 8}, synthetic::compare(Direction::less));
  fdr.design.correction = kernel::Correction::benjamini_hochberg;
  table.add({"any false supported", "normal; 8 hypotheses, false discovery rate, none true", 8, Gate::at_most, alpha},
            fdr, Noise::normal, shifted(0), with(Verdict::supported));
}

/// Looks before the end, at boundaries that spend the level.
void looks(Table& table) {
  const std::vector<double> halves{0.5, 1}, quarters{0.25, 0.5, 0.75, 1};
  const auto looking = [](const Design& design, const Hypothesis& h, const std::vector<double>& at, bool futility) {
    auto spec = spec_of(design, h);
    spec.design.looks = kernel::Looks{at, futility};
    return spec;
  };
  const auto add = [&](const char* what, const char* name, const Design& design, const Hypothesis& h,
                       const std::vector<double>& at, double shift, const Event& event, bool futility = false) {
    const std::string setting = fmt::format("normal; {}, {} looks{}, {}", name, at.size(),
                                            futility ? " with futility" : "", words(design, "t"));
    table.add({what, setting, design.replicates, Gate::at_most, alpha}, looking(design, h, at, futility), Noise::normal,
              shifted(shift), event);
  };
  const Event supported = with(Verdict::supported), refuted = with(Verdict::refuted);
  for (const Pairing pairing : both) {
    add("false supported", "`less`", {pairing, 8}, synthetic::compare(Direction::less), halves, 0, supported);
    add("false supported", "`less`", {pairing, 24}, synthetic::compare(Direction::less), quarters, 0, supported, true);
  }
  add("false supported", "`different`", {Pairing::seed, 16}, synthetic::compare(Direction::different), quarters, 0,
      supported);
  add("false supported", "`equal` within 1, truth 1", {Pairing::seed, 16},
      synthetic::compare(Direction::equal, synthetic::absolute(1)), quarters, 1, supported);
  const Hypothesis far = mattering(Direction::less, 0.8);
  add("false refuted", "`less`, truth 0", {Pairing::seed, 16}, far, quarters, 0, refuted);
  add("false no relevant effect", "`less`, truth at the smallest effect", {Pairing::seed, 16}, far, quarters, -0.8,
      with(Verdict::no_relevant_effect));
  add("any false supported", "6 hypotheses on one control, Holm, none true", {Pairing::seed, 12, 6, 6},
      synthetic::compare(Direction::less), halves, 0, supported);
  table.add(
      {"coverage of repeated 90 % intervals", "normal; `less`, 4 looks, paired, t", 16, Gate::at_least, 0.9, 0.01},
      looking({Pairing::seed, 16}, synthetic::compare(Direction::less), quarters, false), Noise::normal, shifted(-0.5),
      [](const auto& list) { return covers(list[0].low, list[0].high, -0.5); });
  Hypothesis by_one = synthetic::compare(Direction::less);
  by_one.smallest_effect = {SmallestEffect::Kind::absolute, 1};
  table.add({"power", "normal; `less` by 1 sd, 2 looks, paired, Stein's size", 0, Gate::at_least, 0.8, 0.01},
            looking({Pairing::seed, 0}, by_one, halves, false), Noise::normal, shifted(-1), supported);
}

void powers(Table& table) {
  for (const Pairing pairing : both)
    for (const int family : {1, 4}) {
      const Design design{pairing, 0, family};
      Hypothesis h = synthetic::compare(Direction::less);
      h.smallest_effect = {SmallestEffect::Kind::absolute, 1};
      table.add({"power", fmt::format("normal; `less` by 1 sd, family {}, {}", family, words(design, "Stein's size")),
                 0, Gate::at_least, 0.8, 0.01},
                spec_of(design, h), Noise::normal, shifted(-1), with(Verdict::supported));
    }
}

/// Successes, whose number of runs follows from a pilot by the power of the test itself.
void sized_shares(Table& table) {
  for (const Pairing pairing : both)
    for (const double treatment : {0.5, 0.9}) {
      Hypothesis h = synthetic::compare(Direction::greater);
      h.smallest_effect = {SmallestEffect::Kind::absolute, 0.4};
      auto shares = spec_of({pairing, 0}, h);
      shares.metrics[0].type = kernel::MetricType::proportion;
      const bool true_effect = treatment > 0.5;
      table.add(
          {true_effect ? "power" : "false supported",
           fmt::format("successes, 50 % and {:g} %; `greater`, smallest effect 40 points, {}", 100 * treatment,
                       words({pairing, 0}, "sized by a pilot")),
           0, true_effect ? Gate::reported : Gate::at_most, true_effect ? 0.8 : alpha},
          shares, Noise::normal,
          [treatment](bool t, double, double, Xoshiro& random) {
            return Outcome{random.uniform() < (t ? treatment : 0.5) ? 1.0 : 0.0};
          },
          with(Verdict::supported));
    }
}

void coverage(Table& table) {
  for (const Pairing pairing : both)
    for (const int n : {3, 10, 30}) {
      const Design design{pairing, n};
      // Welch's approximation covers more than its level with three runs an arm.
      const Gate gate = pairing == Pairing::none && n == 3 ? Gate::at_least : Gate::near;
      table.add({"coverage of 90 % intervals", "normal, " + words(design, "t"), n, gate, 0.9, 0.01},
                spec_of(design, synthetic::compare(Direction::less)), Noise::normal, shifted(-0.5),
                [](const auto& list) { return covers(list[0].low, list[0].high, -0.5); });
    }
  for (const int n : {8, 20}) {
    const auto bca = [](const auto& list) { return covers(list[0].bca_low, list[0].bca_high, -0.5); };
    table.add({"coverage of 90 % BCa intervals", "normal, paired", n, n < 20 ? Gate::reported : Gate::near, 0.9, 0.03},
              spec_of({Pairing::seed, n}, synthetic::compare(Direction::less)), Noise::normal, shifted(-0.5), bca);
    if (n >= 20)
      table.add({"coverage of 90 % BCa intervals", "normal, unpaired", n, Gate::near, 0.9, 0.03},
                spec_of({Pairing::none, n}, synthetic::compare(Direction::less)), Noise::normal, shifted(-0.5), bca);
  }
}

/// What was selected for its values, on fresh seeds: the selection must not flatter it.
void confirmations(Table& table) {
  const auto based = [](kernel::Factor factor) {
    factor.baseline = factor.levels.front().name;
    return factor;
  };
  auto best = driver::search(kernel::StudyKind::optimize, {based(synthetic::factor("x", {"1", "2", "3", "4"})),
                                                           based(synthetic::factor("y", {"a", "b", "c"}))});
  best.budget.runs = 70;
  const auto nothing = [](const kernel::Cell&) { return 0.0; };
  const auto planted = [](const kernel::Cell& cell) { return cell.at("x") == "3" && cell.at("y") == "b" ? -1.0 : 0.0; };
  const auto add = [&](Row row, const std::function<double(const kernel::Cell&)>& truth, const Found& found) {
    table.add_search(std::move(row), best, truth, found);
  };
  const Found flattered = [](const std::vector<Confirmed>& list) { return *list[0].result.effect < list[0].truth; };
  const Found covered = [](const std::vector<Confirmed>& list) {
    return covers(list[0].result.low, list[0].result.high, list[0].truth);
  };
  const std::string none = "the best of 12 configurations, none better",
                    one = "the best of 12 configurations, one better by 1";
  add({"false supported", none, 6, Gate::at_most, alpha}, nothing, confirmed(Verdict::supported));
  add({"confirmed effect on the flattering side of the truth", none, 6, Gate::near, 0.5, 0.01}, nothing, flattered);
  add({"confirmed effect on the flattering side of the truth", one, 6, Gate::near, 0.5, 0.01}, planted, flattered);
  add({"coverage of 90 % intervals", one + ", confirmed", 6, Gate::near, 0.9, 0.01}, planted, covered);
  std::vector<kernel::Factor> factors;
  for (const char* name : {"a", "b", "c", "d", "e"}) factors.push_back(based(synthetic::factor(name, {"0", "1"})));
  auto screen = driver::search(kernel::StudyKind::screen, factors, 2);
  screen.budget.runs = 60;
  table.add_search(
      {"any false supported", "the 2 greatest of 5 screened factors, none matters", 6, Gate::at_most, alpha}, screen,
      nothing, confirmed(Verdict::supported));
}

kernel::StudySpec in_sets(kernel::StudySpec spec) {
  spec.factors.push_back(synthetic::factor("set", {"a", "b", "c", "d", "e", "f"}));
  spec.design.blocks = {"set"};
  return spec;
}

/// Data sets as units: what the treatment does varies from one to the next, around nothing.
void blocks(Table& table) {
  for (const double between : {0.0, 1.0})
    for (const bool fails : {false, true}) {
      const auto spec = in_sets(spec_of({Pairing::seed, 5}, synthetic::compare(Direction::less)));
      table.add_blocks({"false supported",
                        fmt::format("6 blocks, {}; `less`, t over blocks{}",
                                    between > 0 ? "the treatment's effect varies between them as much as between runs"
                                                : "no effect in any",
                                    fails ? ", 2 % of the runs failing" : ""),
                        5, Gate::at_most, alpha},
                       spec, 0, between, fails ? 0.02 : 0);
    }
  Hypothesis h = synthetic::compare(Direction::less);
  h.smallest_effect = {SmallestEffect::Kind::absolute, 1};
  auto sized = in_sets(spec_of({}, h));
  sized.design.replicates_max = 200;
  table.add_blocks(
      {"power", "6 blocks; `less` by 1, whose sd is 0.5 between blocks and 1.4 between runs, sized by a pilot", 0,
       Gate::at_least, 0.8, 0.01},
      sized, -1, 0.5, 0);
}

/// Lines whose intercepts and slopes differ from seed to seed.
void slopes(Table& table) {
  for (const auto& [pairing, spread] : {std::pair{Pairing::seed, 0.0}, {Pairing::seed, 1.0}, {Pairing::none, 0.0}})
    for (const int n : {5, 10}) {
      Hypothesis h = synthetic::slope(Direction::different, 0);
      h.id = "H1";
      h.statement = "It is.";
      h.where = {{"arm", "c"}};
      kernel::StudySpec spec = spec_of({pairing, n}, h);
      spec.hypotheses = {h};
      spec.factors.push_back(synthetic::factor("x", {"1", "2", "3", "4"}));
      spec.hypotheses[0].along = "x";
      const std::string setting =
          fmt::format("a line along 4 levels{}; slope `different` from 0, {}",
                      spread > 0 ? ", intercepts and slopes differing between seeds" : "", words({pairing, n}, "t"));
      table.add_slopes({"false supported", setting, n, Gate::at_most, alpha}, spec, 2 * spread, spread,
                       with(Verdict::supported));
    }
}

/// Items as units. Their effects vary around nothing, which pooled runs would take for an effect.
void items(Table& table) {
  for (const bool share : {false, true})
    for (const int seeds : {1, 3}) {
      Hypothesis h = synthetic::compare(Direction::less);
      h.unit = kernel::TestUnit::item;
      kernel::StudySpec spec = spec_of({Pairing::seed, 2}, h);
      spec.design.replicates_min = spec.design.replicates_max = seeds;
      if (share) spec.metrics[0].type = kernel::MetricType::proportion;
      table.add_items({"false supported",
                       fmt::format("40 items {}, whose effects vary around none; `less`, {}, {} seed{}",
                                   share ? "of 0 or 1" : "of a number", share && seeds == 1 ? "McNemar" : "t", seeds,
                                   seeds == 1 ? "" : "s"),
                       seeds, Gate::at_most, alpha},
                      spec, 40, share);
    }
}

/// A look after every pair, by confidence sequences.
void anytime(Table& table) {
  const auto monitored = [](Direction direction, std::optional<SmallestEffect> smallest, int most) {
    Hypothesis h = synthetic::compare(direction);
    if (smallest) h.smallest_effect = *smallest;
    kernel::StudySpec spec = spec_of({Pairing::seed, most}, h);
    spec.design.replicates_min = 4;
    spec.design.looks = kernel::Looks{{}, false, true};
    return spec;
  };
  const auto setting = [](const std::string& test, int most) {
    return fmt::format("normal; {}, a look after each of {} pairs", test, most);
  };
  const SmallestEffect one{SmallestEffect::Kind::absolute, 1};
  table.add({"false supported", setting("`less`", 30), 30, Gate::at_most, alpha}, monitored(Direction::less, {}, 30),
            Noise::normal, shifted(0), with(Verdict::supported));
  table.add({"false supported", setting("`different`", 20), 20, Gate::at_most, alpha},
            monitored(Direction::different, {}, 20), Noise::normal, shifted(0), with(Verdict::supported));
  table.add({"false refuted", setting("`less`, truth 0", 20), 20, Gate::at_most, alpha},
            monitored(Direction::less, {}, 20), Noise::normal, shifted(0), with(Verdict::refuted));
  table.add({"false no relevant effect", setting("`less`, truth at the smallest effect", 30), 30, Gate::at_most, alpha},
            monitored(Direction::less, one, 30), Noise::normal, shifted(-1), with(Verdict::no_relevant_effect));
  table.add({"supported", setting("`less`, truth 1 sd", 20), 20, Gate::reported, 0.8},
            monitored(Direction::less, {}, 20), Noise::normal, shifted(-std::sqrt(2.0)), with(Verdict::supported));
}

/// Known weaknesses, reported and not gated.
void reported(Table& table) {
  for (const int n : {10, 30})
    table.add(
        {"false supported", "equal means, treatment exponential and control uniform; `less`, t, unpaired", n,
         Gate::reported, alpha},
        spec_of({Pairing::none, n}, synthetic::compare(Direction::less)), Noise::normal,
        [](bool t, double, double, Xoshiro& random) {
          return Outcome{t ? 10 - 2 * std::log(random.uniform()) : 12 + 2 * (random.uniform() - 0.5)};
        },
        with(Verdict::supported));
  for (const int n : {5, 10}) {
    auto shares = spec_of({Pairing::none, n}, synthetic::compare(Direction::not_worse, synthetic::absolute(0.1)));
    shares.metrics[0].type = kernel::MetricType::proportion;
    shares.metrics[0].goal = kernel::Goal::maximize;
    table.add(
        {"false supported", "successes, 70 % and 80 %; `not_worse` by 10 points, Newcombe, unpaired", n, Gate::reported,
         alpha},
        shares, Noise::normal,
        [](bool t, double, double, Xoshiro& random) { return Outcome{random.uniform() < (t ? 0.7 : 0.8) ? 1.0 : 0.0}; },
        with(Verdict::supported));
  }
}

}  // namespace

double Row::error() const {
  return std::sqrt(nominal * (1 - nominal) / studies);
}

bool Row::holds(double errors) const {
  const double chance = errors * error();
  switch (gate) {
    case Gate::at_most:
      return rate <= nominal + slack + chance;
    case Gate::at_least:
      return rate >= nominal - slack - chance;
    case Gate::near:
      return std::abs(rate - nominal) <= slack + chance;
    case Gate::reported:
      break;
  }
  return true;
}

void calibrate(int studies, int threads, const std::function<void(const Row&)>& each) {
  Table table(studies);
  exchangeable(table);
  edges(table);
  refutations(table);
  words_by_size(table);
  other_metrics(table);
  families(table);
  powers(table);
  sized_shares(table);
  coverage(table);
  looks(table);
  slopes(table);
  items(table);
  anytime(table);
  reported(table);
  blocks(table);
  confirmations(table);
  table.fill(threads, each);
}

}  // namespace calibration
