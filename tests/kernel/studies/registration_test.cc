// What is fixed before the first run: a registration's hash changes with everything that bears on the outcome.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "tests/kernel/studies/world.h"

namespace {

using kernel::Study;

Study ready() {
  Study study;
  study.id = "s1";
  study.spec = small_spec({quick_is_faster()});
  study.spec.factors[1].levels[0].bundle["d"] = {"256", 256};
  study.spec.constants["k"] = {"3", 3};
  study.spec.environment.set["MODE"] = "fast";
  study.spec.guards = {{"time_ms", 100, std::nullopt}};
  study.hypotheses.push_back({quick_is_faster(), 1, false, "", std::nullopt});
  study.family = 1;
  study.workspace.hash = kernel::WorkspaceHash("w");
  study.data = {{"corpus", "/data", "sha256:1"}};
  study.sized.emplace();
  study.sized->sizes.push_back({"H1", 6, 0.8, std::nullopt, kernel::as_said("Fixed.")});
  return study;
}

kernel::Registration registered(const Study& study) {
  return kernel::registration_of(study, {"H1"}, {});
}

std::string hash_of(const Study& study) {
  return kernel::sha256_hex(kernel::canonical(registered(study)));
}

struct Change {
  const char* what;
  void (*make)(Study&);
};

const Change changes[] = {
    {"hypothesis", [](Study& s) { s.hypotheses[0].hypothesis.direction = kernel::Direction::different; }},
    {"margin",
     [](Study& s) {
       s.hypotheses[0].hypothesis.margin = {kernel::Margin::Kind::relative, 0.1};
     }},
    {"smallest effect", [](Study& s) { s.hypotheses[0].hypothesis.smallest_effect.value = 2; }},
    {"method", [](Study& s) { s.hypotheses[0].hypothesis.method = kernel::Method::log_t; }},
    {"family", [](Study& s) { s.family = 2; }},
    {"alpha", [](Study& s) { s.spec.design.alpha = 0.01; }},
    {"power", [](Study& s) { s.spec.design.power = 0.9; }},
    {"max_failed", [](Study& s) { s.spec.design.max_failed = 0.5; }},
    {"least replicates", [](Study& s) { s.spec.design.replicates_min = 4; }},
    {"most replicates", [](Study& s) { s.spec.design.replicates_max = 40; }},
    {"pilot", [](Study& s) { s.spec.design.pilot = 9; }},
    {"settled replicates", [](Study& s) { s.spec.design.settled["H1"] = 6; }},
    {"smoke", [](Study& s) { s.spec.design.smoke = false; }},
    {"pairing", [](Study& s) { s.spec.design.pairing = kernel::Pairing::none; }},
    {"order", [](Study& s) { s.spec.design.order = kernel::Order::listed; }},
    {"size", [](Study& s) { s.sized->sizes[0].replicates = 7; }},
    {"seed", [](Study& s) { s.spec.seed = 2; }},
    {"constant",
     [](Study& s) {
       s.spec.constants["k"] = {"4", 4};
     }},
    {"level's value",
     [](Study& s) {
       s.spec.factors[1].levels[0].value = {"1e2", 100};
     }},
    {"level's bundle",
     [](Study& s) {
       s.spec.factors[1].levels[0].bundle["d"] = {"512", 512};
     }},
    {"another level",
     [](Study& s) {
       s.spec.factors[1].levels.push_back({"400", {"400", 400}, {}});
     }},
    {"baseline", [](Study& s) { s.spec.factors[0].baseline = "quick"; }},
    {"timeout", [](Study& s) { s.spec.resources.timeout_s = 60; }},
    {"memory", [](Study& s) { s.spec.resources.memory_bytes = 1 << 30; }},
    {"disk", [](Study& s) { s.spec.resources.disk_bytes = 1 << 30; }},
    {"cpus", [](Study& s) { s.spec.resources.cpus = 2; }},
    {"network", [](Study& s) { s.spec.resources.network = true; }},
    {"sandbox", [](Study& s) { s.spec.resources.sandbox = kernel::SandboxMode::none; }},
    {"variable set", [](Study& s) { s.spec.environment.set["MODE"] = "slow"; }},
    {"variable passed", [](Study& s) { s.spec.environment.pass = {"LD_LIBRARY_PATH"}; }},
    {"command", [](Study& s) { s.spec.run.words[0] += " --fast"; }},
    {"command's kind", [](Study& s) { s.spec.run.shell = false; }},
    {"metric's summary", [](Study& s) { s.spec.metrics[0].summary.kind = kernel::SummaryKind::median; }},
    {"metric's extraction", [](Study& s) { s.spec.metrics[0].source = kernel::FromStdout{"t=(.*)"}; }},
    {"metric's pattern",
     [](Study& s) {
       s.spec.metrics[0].source = kernel::FromStdout{"t=(.*)"};
       s.spec.metrics[0].warmup = 1;
     }},
    {"metric's determinism", [](Study& s) { s.spec.metrics[0].deterministic = true; }},
    {"guard", [](Study& s) { s.spec.guards[0].at_most = 99; }},
    {"workspace", [](Study& s) { s.workspace.hash = kernel::WorkspaceHash("v"); }},
    {"what no run may change",
     [](Study& s) {
       s.workspace.protect = {{"evaluate.py", "h"}};
     }},
    {"environment found", [](Study& s) { s.environment.machine["cpu"] = "another"; }},
    {"data", [](Study& s) { s.data[0].identity = "sha256:2"; }},
};

}  // namespace

TEST_CASE("the registration's hash changes with everything that bears on the outcome") {
  std::set<std::string> hashes = {hash_of(ready())};
  for (const Change& change : changes) {
    Study study = ready();
    change.make(study);
    INFO(change.what);
    CHECK(hashes.insert(hash_of(study)).second);
  }
  CHECK(hash_of(ready()) == hash_of(ready()));
}

TEST_CASE("a registration names every seed that its runs will use, paired or not") {
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    Study study = ready();
    study.spec.design.pairing = pairing;
    const kernel::Registration r = registered(study);
    const kernel::RunsQueued queued = kernel::registered_runs(study, r);
    REQUIRE(queued.runs.size() == 24);
    for (const kernel::PlannedRun& run : queued.runs) {
      const std::size_t at = static_cast<std::size_t>(run.replicate) - 1;
      const bool paired = pairing == kernel::Pairing::seed;
      CHECK((paired ? r.seeds : r.terms->run_seeds.at(static_cast<std::size_t>(run.cell))).at(at) == run.seed);
    }
  }
}

TEST_CASE("no seed is used twice, neither by runs of one purpose nor by runs of two") {
  const kernel::StudySpec spec = small_spec();
  std::set<std::uint64_t> seeds, streams;
  for (const kernel::Purpose purpose :
       {kernel::Purpose::smoke, kernel::Purpose::pilot, kernel::Purpose::registered, kernel::Purpose::scratch}) {
    for (int index = 0; index < 1000; ++index) {
      const std::uint64_t seed = kernel::derived_seed(spec, purpose, index);
      CHECK(seed < 1ULL << 31);
      seeds.insert(seed);
      streams.insert(seed >> 29);
    }
  }
  CHECK(seeds.size() == 4 * 1000);
  // Each purpose has a quarter of the numbers, so that this holds for every study.
  CHECK(streams.size() == 4);
}

TEST_CASE("every block of replicates runs in a random order of its own") {
  const auto different_orders = [](kernel::Order order) {
    Study study = ready();
    study.spec.design.order = order;
    std::map<int, std::vector<int>> blocks;
    for (const kernel::PlannedRun& run : kernel::registered_runs(study, registered(study)).runs)
      blocks[run.replicate].push_back(run.cell);
    CHECK(blocks.size() == 6);
    std::set<std::vector<int>> orders;
    for (const auto& [replicate, cells] : blocks) orders.insert(cells);
    return orders.size();
  };
  CHECK(different_orders(kernel::Order::listed) == 1);
  CHECK(different_orders(kernel::Order::random) > 3);
}

TEST_CASE("a registration says when no more runs are added") {
  Study study = ready();
  CHECK(registered(study).terms->stopping == kernel::StoppingRule::fixed);
  study.spec.design.replicates_max = 20;
  CHECK(registered(study).terms->stopping == kernel::StoppingRule::sized);
  study.spec.design.settled["H1"] = 6;
  CHECK(registered(study).terms->stopping == kernel::StoppingRule::settled);
}

TEST_CASE("a registration read from a log is written with the bytes that were hashed, old ones without terms too") {
  const kernel::Registration now = registered(ready());
  const std::string bytes = kernel::canonical(now);
  CHECK(kernel::canonical(nlohmann::json::parse(bytes).get<kernel::Registration>()) == bytes);

  nlohmann::json old = now;
  old.erase("terms");
  const auto read = old.get<kernel::Registration>();
  CHECK_FALSE(read.terms);
  CHECK(kernel::canonical(read) == old.dump());
}
