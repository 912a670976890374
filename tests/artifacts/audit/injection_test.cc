// A hundred seeded faults of each kind, put into artifacts that have none: how many of them an audit finds without a
// model, and what it finds where there is nothing. The table stands in docs/audit.md. ETUDE_INJECTION_SEED: another
// hundred of each; ETUDE_MISSED: also print which were missed.
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "artifacts/audit/audit.h"
#include "tests/artifacts/audit/injected.h"
#include "tests/artifacts/samples/sample_study.h"
#include "tests/places.h"

namespace fs = std::filesystem;
using artifacts::Severity;

namespace {

constexpr std::size_t injections = 100;

/// What judges the words of an artifact; other rules do not become false alarms by an artifact's being incomplete.
const std::set<std::string> of_words{"no-falsification", "tautological-falsification",
                                     "unbounded-claim",  "orphan-experiment",
                                     "one-sided-proof",  "fallen-dependency",
                                     "rejected-branch",  "source-mismatch",
                                     "unsourced-number", "label-mismatch"};

std::multiset<std::pair<std::string, std::string>> found_in(const fs::path& folder) {
  const auto report = artifacts::audit(folder.string());
  REQUIRE(report);
  std::multiset<std::pair<std::string, std::string>> found;
  for (const auto& f : report->findings)
    if (f.severity != Severity::info) found.emplace(f.rule, f.file + " " + f.message);
  return found;
}

struct CleanGround {
  std::string name;
  fs::path folder;
  std::multiset<std::pair<std::string, std::string>> before;
};

/// Those of others, and our own without their record, so that only words are left to judge them by.
class Grounds {
 public:
  Grounds() {
    for (const char* name : {"minimal", "resnet", "andes", "expbench", "rebench-rust_codecontests"})
      add(name, test_files() / "corpus" / name);
    add("clean", test_files() / "clean");
    for (const unsigned noise : {1u, 2u}) {
      const SampleStudy& sample = *samples_.emplace_back(std::make_unique<SampleStudy>(SampleOptions{.noise = noise}));
      const fs::path folder = sample_artifact(sample, "own");
      for (const char* record : {"etude.json", "trace/events.jsonl"}) fs::remove(folder / record);
      add(fmt::format("own-{}", noise), folder);
    }
  }

  const std::vector<CleanGround>& all() const { return all_; }

 private:
  void add(const std::string& name, const fs::path& folder) { all_.push_back({name, folder, found_in(folder)}); }

  std::vector<std::unique_ptr<SampleStudy>> samples_;
  std::vector<CleanGround> all_;
};

struct Outcome {
  std::size_t found = 0;
  std::set<std::string> on;
  std::vector<std::string> missed;
};

Outcome campaign(const Fault& fault, const Grounds& grounds) {
  const char* seed = std::getenv("ETUDE_INJECTION_SEED");
  std::mt19937 random(seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 2024);
  Outcome outcome;
  for (std::size_t made = 0, tried = 0; made < injections; ++tried) {
    REQUIRE(tried < 20 * injections);
    const CleanGround& ground = grounds.all()[tried % grounds.all().size()];
    const Scratch scratch(ground.folder);
    const std::string what = fault.inject(Ground(scratch, random));
    if (what.empty()) continue;
    ++made;
    outcome.on.insert(ground.name);
    bool found = false;
    for (const auto& finding : found_in(scratch.path()))
      found = found || (std::find(fault.rules.begin(), fault.rules.end(), finding.first) != fault.rules.end() &&
                        !ground.before.contains(finding));
    if (found)
      ++outcome.found;
    else
      outcome.missed.push_back(ground.name + ": " + what);
  }
  return outcome;
}

}  // namespace

TEST_CASE("artifacts in which nothing is wrong raise at most one false alarm each") {
  const Grounds grounds;
  const std::string page = read_all(fs::path(tests::source_dir()) / "docs/audit.md");
  std::size_t alarms = 0;
  for (const CleanGround& ground : grounds.all()) {
    std::string said;
    std::size_t n = 0;
    for (const auto& [rule, message] : ground.before)
      if (of_words.contains(rule)) {
        said += rule + " " + message + "\n";
        ++n;
      }
    INFO(ground.name << ":\n" << said);
    CHECK(n <= 1);
    alarms += n;
  }
  CHECK(page.find(fmt::format("{} of {} clean artifacts", alarms, grounds.all().size())) != std::string::npos);
}

TEST_CASE("of a hundred faults of each kind the audit finds as many as it is said to") {
  const Grounds grounds;
  const std::string page = read_all(fs::path(tests::source_dir()) / "docs/audit.md");
  for (const Fault& fault : faults()) {
    const Outcome outcome = campaign(fault, grounds);
    const std::string row = fmt::format("| {} | {} of {} | {} | {} |", fault.name, outcome.found, injections,
                                        fault.needed, outcome.on.size());
    std::string missed;
    for (const std::string& one : outcome.missed) missed += one + "\n";
    INFO(row << "\nmissed:\n" << missed);
    fmt::print("{}\n", row);
    if (std::getenv("ETUDE_MISSED")) fmt::print("{}", missed);
    CHECK(outcome.found >= fault.needed);
    if (!std::getenv("ETUDE_INJECTION_SEED") && page.find(row) == std::string::npos)
      FAIL_CHECK("docs/audit.md lacks the row " << row);
  }
}
