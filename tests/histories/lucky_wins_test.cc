// Made nights, in which luck wins too: how often the four words are wrong, and how often a gain of the planned size is
// found. From the history to the study file, through the kernel's decisions with simulated runs, to the words.

#include <cmath>
#include <cstdlib>
#include <map>

#include <catch2/catch.hpp>

#include "histories/confirm/words.h"
#include "stats/basics/random.h"
#include "studyfile/load.h"
#include "tests/kernel/decide/simulated_study.h"

using namespace histories;
using stats::Xoshiro;

namespace {

constexpr double alpha = 0.05;

/// A history and the truth about each of its entries.
struct Night {
  History history;
  std::map<std::string, double> truth;  ///< By id.
};

void add(Night& night, double value, double truth, Status status) {
  HistoryEntry entry;
  entry.id = std::to_string(night.history.entries.size());
  entry.value = value;
  entry.status = status;
  night.truth[entry.id] = truth;
  night.history.entries.push_back(std::move(entry));
}

Night empty_night() {
  Night night;
  night.history.decided = true;
  night.history.goal = kernel::Goal::minimize;
  night.history.metric = "loss";
  return night;
}

/// Ideas that mostly change nothing, each run once and kept if its value is the best so far.
Night lucky_night(Xoshiro& random, double useful) {
  Night night = empty_night();
  double truth = 10, best = truth + random.normal();
  add(night, best, truth, Status::kept);
  while (night.history.entries.size() < 25) {
    const double idea = random.uniform() < useful ? truth - 1.5 : truth;
    const double value = idea + random.normal();
    const bool kept = value < best;
    add(night, value, idea, kept ? Status::kept : Status::discarded);
    if (!kept) continue;
    best = value;
    truth = idea;
  }
  return night;
}

/// Every recorded gain is a true one.
Night honest_night(double step) {
  Night night = empty_night();
  for (int i = 0; i < 3; ++i) add(night, 10 - step * i, 10 - step * i, Status::kept);
  return night;
}

struct Outcome {
  Confirmation confirmation;
  std::vector<ToldImprovement> told;
};

/// `confirmation`: filled in; `told` borrows from it.
void confirm(const Night& night, Xoshiro& random, Outcome& outcome) {
  auto claims = claims_of(night.history, {"", 6, {}});
  if (!claims) return;
  outcome.confirmation = {night.history, std::move(*claims), Against::both, "loss"};
  Setup setup;
  setup.run = "./{version} {seed}";
  setup.workspace = ".";
  const auto parsed = studyfile::read_text(study_text(outcome.confirmation, setup), "study.yaml", "/tmp");
  INFO((parsed ? "" : parsed.problem().text()));
  REQUIRE(parsed);
  std::map<std::string, double> truth{{"v0", night.truth.at(outcome.confirmation.claims.baseline.entry.id)}};
  for (const Improvement& improvement : outcome.confirmation.claims.improvements)
    truth[improvement.version.arm] = night.truth.at(improvement.version.entry.id);
  std::map<std::uint64_t, double> shared;
  simulated::Simulation simulation([&](const kernel::Run& run, const kernel::Cell& cell, int) {
    const auto [seed, fresh] = shared.try_emplace(run.seed, 0);
    if (fresh) seed->second = random.normal();
    return simulated::Outcome{truth.at(cell.at("version")) + seed->second + random.normal()};
  });
  const kernel::Study& study = simulation.conclude(parsed->spec);
  outcome.told = tell(outcome.confirmation, study);
}

bool holds(const std::optional<Told>& told) {
  return told && told->word == Word::holds;
}

double truth_of(const Night& night, const Outcome& outcome, const std::string& arm) {
  for (const Improvement& improvement : outcome.confirmation.claims.improvements)
    if (improvement.version.arm == arm) return night.truth.at(improvement.version.entry.id);
  return night.truth.at(outcome.confirmation.claims.baseline.entry.id);
}

/// How many nights of each kind: ETUDE_NIGHTS, or a few.
int nights_made() {
#ifdef ETUDE_SANITIZED
  constexpr int few = 10;
#else
  constexpr int few = 60;
#endif
  const char* given = std::getenv("ETUDE_NIGHTS");
  return given ? std::atoi(given) : few;
}

}  // namespace

TEST_CASE("lucky wins do not hold: a night has any false `holds` no oftener than the level") {
  const int nights = nights_made();
  int wrong = 0, judged = 0, lucky = 0;
  for (int i = 0; i < nights; ++i) {
    Xoshiro random(static_cast<std::uint64_t>(1000 + i));
    const Night night = lucky_night(random, i % 2 == 0 ? 0.0 : 0.1);
    Outcome outcome;
    confirm(night, random, outcome);
    bool any = false;
    for (const ToldImprovement& one : outcome.told) {
      const double truth = night.truth.at(one.improvement->version.entry.id);
      for (const std::optional<Told>& told : {one.baseline, one.before}) {
        if (!told) continue;
        ++judged;
        const bool gained = truth < truth_of(night, outcome, told->control);
        lucky += gained ? 0 : 1;
        any = any || (holds(told) && !gained);
      }
    }
    wrong += any ? 1 : 0;
  }
  CAPTURE(wrong, judged, lucky);
  CHECK(lucky > nights);  // Most of what such nights accept is luck.
  CHECK(wrong <= nights * alpha + 3.6 * std::sqrt(nights * alpha * (1 - alpha)));
}

TEST_CASE("nine of ten gains of the planned size hold") {
  const int nights = nights_made();
  int found = 0, all = 0;
  for (int i = 0; i < nights; ++i) {
    Xoshiro random(static_cast<std::uint64_t>(5000 + i));
    const Night night = honest_night(1.6);
    Outcome outcome;
    confirm(night, random, outcome);
    REQUIRE(outcome.told.size() == 2);
    for (const ToldImprovement& one : outcome.told)
      for (const std::optional<Told>& told : {one.baseline, one.before}) {
        if (!told) continue;
        ++all;
        found += holds(told) ? 1 : 0;
      }
  }
  CAPTURE(found, all);
  CHECK(all == 3 * nights);
  CHECK(found >= all * 0.9 - 3.6 * std::sqrt(all * 0.09));
}

TEST_CASE("a gain much smaller than recorded is told as none of that size, or as smaller") {
  Night night = empty_night();
  add(night, 10, 10, Status::kept);
  add(night, 5, 10, Status::kept);   // Recorded 5, truly none.
  add(night, 2, 8.5, Status::kept);  // Recorded 8, truly 1.5.
  Xoshiro random(7);
  Outcome outcome;
  confirm(night, random, outcome);
  REQUIRE(outcome.told.size() == 2);
  REQUIRE(outcome.told[0].baseline);
  CHECK(outcome.told[0].baseline->word == Word::no_gain_of_that_size);
  REQUIRE(outcome.told[1].baseline);
  const Told& second = *outcome.told[1].baseline;
  CHECK((second.word == Word::no_gain_of_that_size || second.smaller));
  CHECK(second.recorded == Approx(8));
  REQUIRE(second.gain);
  CHECK(*second.gain > -1.5);
  CHECK(*second.gain < 4.5);
}
