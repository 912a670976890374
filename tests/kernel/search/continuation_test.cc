// Searches whose runs continue the runs of the fidelity's level before: chains, seeds, and which settings thaw.

#include "kernel/study/continuation.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/domain/cells.h"
#include "kernel/runs/job.h"
#include "kernel/runs/run_keys.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/search/model_search.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/study/search_scores.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/search/search_driver.h"

namespace continuing {

using driver::Driver;
using kernel::Cell;
using kernel::Purpose;
using kernel::Run;
using kernel::SearchRule;
using kernel::Study;

namespace {

kernel::Factor ready(kernel::Factor f) {
  f.baseline = kernel::range_text(f, 0.5);
  for (const double share : {0.0, 0.5, 1.0}) kernel::add_range_level(f, kernel::range_text(f, share));
  return f;
}

kernel::StudySpec training(SearchRule rule, int runs = 100, bool continues = true) {
  kernel::Factor opt = synthetic::factor("opt", {"sgd", "adam", "rms"});
  opt.baseline = "sgd";
  kernel::StudySpec spec =
      driver::search(kernel::StudyKind::optimize,
                     {ready(driver::range("lr", 1e-4, 1, true)), opt, ready(driver::range("decay", 1e-6, 1e-2, true)),
                      ready(driver::range("drop", 0, 1)), synthetic::factor("steps", {"1", "3", "9"})});
  spec.design.search = rule;
  spec.budget.runs = runs;
  spec.fidelity = kernel::Fidelity{"steps", 3};
  if (continues) spec.fidelity->continues = {"net.pt"};
  return spec;
}

double loss(const Cell& cell) {
  const double lr = std::log10(std::stod(cell.at("lr"))) - std::log10(0.02);
  const double decay = std::log10(std::stod(cell.at("decay"))) + 3, drop = std::stod(cell.at("drop")) - 0.2;
  const std::string& opt = cell.at("opt");
  return lr * lr + (opt == "adam" ? 0 : opt == "rms" ? 0.5 : 1) + 0.5 * decay * decay + 4 * drop * drop;
}

double steps_of(const Cell& cell) {
  return std::stod(cell.at("steps"));
}

/// Short runs are noisier, and a larger learning rate looks worse in them than it is.
double trained(const Cell& cell, std::uint64_t seed, Purpose = Purpose::search) {
  const double steps = steps_of(cell);
  return loss(cell) + 1 / steps + 0.3 * std::log10(std::stod(cell.at("lr"))) / steps +
         0.15 / std::sqrt(steps) * driver::noise(cell, seed, 1);
}

const Cell& cell_of(const Study& study, const Run& run) {
  return study.cells[static_cast<std::size_t>(run.cell)];
}

/// Steps that the search's runs take; those of a run that it continues are not taken again.
double steps_spent(const Study& study) {
  double steps = 0;
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::search) continue;
    steps += steps_of(cell_of(study, run));
    if (run.continues > 0) steps -= steps_of(cell_of(study, *study.run(run.continues)));
  }
  return steps;
}

/// Checks every chain of the search. Returns how many runs continue another.
int checked_chains(const Study& study) {
  const std::map<std::string, std::string> below = {{"3", "1"}, {"9", "3"}};
  std::set<int> continued;
  for (const Run& run : study.runs) {
    INFO("run " << run.number);
    if (run.purpose != Purpose::search) {
      CHECK(run.continues == 0);
      continue;
    }
    if (run.continues == 0) continue;
    const Run& earlier = *study.run(run.continues);
    Cell before = cell_of(study, run);
    before["steps"] = below.at(before.at("steps"));
    CHECK(cell_of(study, earlier) == before);
    CHECK(earlier.seed == run.seed);
    CHECK(earlier.state == kernel::RunState::succeeded);
    CHECK(continued.insert(earlier.number).second);
  }
  return static_cast<int>(continued.size());
}

/// The runs of rungs whose level rises, which are those that may continue others.
std::vector<const Run*> runs_that_rise(const Study& study) {
  std::vector<const Run*> runs;
  const auto& rungs = study.search->plan.rungs;
  for (std::size_t i = 0; i < rungs.size(); ++i)
    for (const Run& run : study.runs)
      if (kernel::rises(rungs, i) && run.label == kernel::rung_label(static_cast<int>(i) + 1)) runs.push_back(&run);
  return runs;
}

}  // namespace

TEST_CASE("in halving, every run at a higher level continues the run of its setting and replicate, on its seed") {
  Driver d(training(SearchRule::halving), trained);
  const Study& study = d.run();
  REQUIRE(study.search->done());
  const auto rising = runs_that_rise(study);
  REQUIRE(rising.size() > 10);
  for (const Run* run : rising) CHECK(run->continues > 0);
  CHECK(checked_chains(study) == static_cast<int>(rising.size()));
  // Candidates still share seeds, and the refinement, at the same level, begins anew on other seeds.
  const auto& rungs = study.search->plan.rungs;
  CHECK(rungs[0].first_seed == rungs[1].first_seed);
  REQUIRE(rungs.back().refines);
  CHECK(rungs.back().first_seed == rungs[0].replicates);
  std::set<std::uint64_t> search, fresh;
  for (const Run& run : study.runs) (run.purpose == Purpose::search ? search : fresh).insert(run.seed);
  CHECK(static_cast<int>(search.size()) == kernel::seeds_of(rungs));
  for (const std::uint64_t seed : fresh) CHECK_FALSE(search.contains(seed));
  driver::checked_proposals(d.log);
}

TEST_CASE("without files to continue from, plans, seeds and runs are as they were") {
  for (const SearchRule rule : {SearchRule::halving, SearchRule::model}) {
    Driver d(training(rule, 100, false), trained);
    const Study& study = d.run();
    for (const kernel::Rung& rung : study.search->plan.rungs) CHECK_FALSE(rung.thaws);
    for (const kernel::RungRanked& ranked : study.search->ranked) CHECK(ranked.thawed.empty());
    for (const Run& run : study.runs) CHECK((run.continues == 0 && run.kept.empty()));
    CHECK(steps_spent(study) > 0);
  }
}

TEST_CASE("by a model, settings of any round thaw, and the log repeats itself") {
  int thawed = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    kernel::StudySpec spec = training(SearchRule::model);
    spec.seed = seed;
    Driver d(spec, trained, static_cast<std::int64_t>(100 * seed));
    const Study& study = d.run();
    REQUIRE(study.search->done());
    CHECK(study.search->plan.rule.code == kernel::ReasonCode::rule_of_freeze_thaw);
    const auto rising = runs_that_rise(study);
    CHECK(checked_chains(study) == static_cast<int>(rising.size()));
    const auto& rungs = study.search->plan.rungs;
    for (std::size_t i = 0; i + 1 < study.search->ranked.size(); ++i) {
      const kernel::RungRanked& ranked = study.search->ranked[i];
      const auto kept = std::ranges::count_if(ranked.candidates, &kernel::Candidate::kept);
      if (rungs[i + 1].thaws)
        CHECK(static_cast<int>(kept) + static_cast<int>(ranked.thawed.size()) == rungs[i + 1].candidates);
      thawed += static_cast<int>(ranked.thawed.size());
    }
    // The deciding runs are at the highest level, and begin anew.
    for (const Run& run : study.runs)
      if (run.label == kernel::rung_label(static_cast<int>(rungs.size()))) CHECK(run.continues == 0);
    CHECK(driver::checked_proposals(d.log) > 2);
  }
  CHECK(thawed > 0);
}

TEST_CASE("a recorded choice of what thaws counts only if these settings wait, each once, and fill the places") {
  Driver d(training(SearchRule::model), trained);
  d.run();
  kernel::State state;
  int changed = 0;
  for (const kernel::Event& event : d.log) {
    const Study* before = state.study("s1");
    const auto* ranked = std::get_if<kernel::RungRanked>(&event.body);
    if (ranked && !ranked->last && before->search->plan.rungs[static_cast<std::size_t>(ranked->rung)].thaws) {
      const auto as_decided = [&](const kernel::RungRanked& recorded) {
        const kernel::RungRanked again = kernel::rank_rung(*before, &recorded);
        const auto kept = [](const kernel::RungRanked& r) {
          std::set<Cell> cells(r.thawed.begin(), r.thawed.end());
          for (const kernel::Candidate& c : r.candidates)
            if (c.kept) cells.insert(c.cell);
          return cells;
        };
        return kept(again) == kept(recorded);
      };
      CHECK(as_decided(*ranked));
      kernel::RungRanked other = *ranked;
      for (kernel::Candidate& c : other.candidates) c.kept = false;
      other.thawed = {other.candidates.front().cell};
      other.thawed.front()["lr"] = "0.5";  // It was never run.
      CHECK_FALSE(as_decided(other));
      other = *ranked;
      for (kernel::Candidate& c : other.candidates) c.kept = false;
      other.thawed.clear();  // Nothing goes on although settings wait.
      CHECK_FALSE(as_decided(other));
      ++changed;
    }
    kernel::apply(state, event);
  }
  CHECK(changed > 3);
}

TEST_CASE("a setting whose run failed begins anew at the next level, and one that failed there does not thaw again") {
  for (const SearchRule rule : {SearchRule::halving, SearchRule::model}) {
    std::set<std::uint64_t> seeds;
    Driver d(training(rule), [&](const Cell& cell, std::uint64_t seed, Purpose p) -> std::optional<double> {
      seeds.insert(seed);
      if (p == Purpose::search && (seed + static_cast<std::uint64_t>(steps_of(cell)) + cell.at("lr").size()) % 4 == 0)
        return std::nullopt;
      return trained(cell, seed);
    });
    const Study& study = d.run();
    REQUIRE(study.search->done());
    CHECK(checked_chains(study) > 3);
    driver::checked_proposals(d.log);
  }
}

TEST_CASE("the job of a run that continues another finds its files, and a next attempt continues the same run") {
  Driver d(training(SearchRule::halving), trained);
  d.run([](const Study& study) { return study.search && study.search->queued == 2; });
  const Study& study = d.study();
  REQUIRE_FALSE(study.queue.empty());
  const int number = study.queue.front();
  d.tell({"s1", "kernel", {}, kernel::RunStarting{number, kernel::LaunchToken("0123456789abcdef")}});
  const Run& run = *study.run(number);
  REQUIRE(run.continues > 0);
  const kernel::JobSpec job = kernel::job_of(study, run, {"/home", "/home/workspaces", "/home/runs"});
  REQUIRE(job.continued.size() == 1);
  CHECK(job.continued[0].name == "net.pt");
  CHECK(job.continued[0].path.ends_with(std::string(64, 'a') + "/net.pt"));
  CHECK(job.leaves_files);
  CHECK(job.seed == study.run(run.continues)->seed);
  kernel::ReportEnd lost;
  lost.outcome.run = "s1-r" + std::to_string(number);
  lost.outcome.end = kernel::JobEnd::lost;
  const auto events = kernel::judge_run(study, run, lost);
  const auto* again = std::get_if<kernel::RunsQueued>(&events.back());
  REQUIRE(again);
  CHECK(again->runs.front().continues == run.continues);
  CHECK(again->runs.front().seed == run.seed);
}

TEST_CASE("no run of a search whose runs continue comes from the cache") {
  kernel::StudySpec spec = training(SearchRule::halving);
  spec.cache = true;
  Driver d(spec, trained);
  const Study& study = d.run();
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::search) continue;
    CHECK_FALSE(kernel::may_reuse(study, run));
    CHECK_FALSE(kernel::to_remember(study, run));
  }
}

TEST_CASE("settings that never went on are dead ends at the end, and only then") {
  Driver d(training(SearchRule::model), trained);
  const Study& study = d.run();
  std::set<std::string> titles;
  int waited = 0;
  for (const kernel::Node& node : study.nodes) {
    if (node.type != kernel::NodeType::dead_end) continue;
    CHECK(titles.insert(node.title).second);
    waited += node.title.find("waited after") != std::string::npos;
  }
  CHECK(waited > 3);
}

TEST_CASE("continued runs spend fewer steps for as many runs") {
  const char* given = std::getenv("ETUDE_SEARCHES");
  const std::uint64_t searches = given ? std::strtoull(given, nullptr, 10) : 2;
  const auto all = static_cast<double>(searches);
  for (const SearchRule rule : {SearchRule::model, SearchRule::halving})
    for (const int runs : given ? std::vector{60, 100, 150} : std::vector{100}) {
      double spent[2] = {0, 0};
      for (const bool continues : {false, true}) {
        double regret = 0, log_regret = 0;
        for (std::uint64_t seed = 1; seed <= searches; ++seed) {
          kernel::StudySpec spec = training(rule, runs, continues);
          spec.seed = seed;
          Driver d(spec, trained, static_cast<std::int64_t>(100 * seed));
          const Study& study = d.run();
          REQUIRE(study.search->done());
          const auto& ranked = study.search->ranked.back().candidates;
          const auto best = std::ranges::find_if(ranked, &kernel::Candidate::kept);
          REQUIRE(best != ranked.end());
          regret += loss(best->cell) / all;
          log_regret += std::log(loss(best->cell) + 0.005) / all;
          spent[continues ? 1 : 0] += steps_spent(study) / all;
        }
        UNSCOPED_INFO((rule == SearchRule::model ? "model, " : "halving, ")
                      << runs << " runs, " << (continues ? "continued: " : "anew: ") << spent[continues ? 1 : 0]
                      << " steps, mean regret " << regret << ", geometric " << std::exp(log_regret));
      }
      CHECK(spent[1] < 0.95 * spent[0]);
    }
}

}  // namespace continuing
