// Seeds that no agent may know before their experiment is judged.

#include "kernel/study/sealed_seeds.h"

#include <catch2/catch.hpp>

namespace {

using kernel::Study;

constexpr std::uint64_t paired = 1234567890, of_control = 987654321, of_run = 447788123;

Study registered() {
  Study study;
  study.id = "s1";
  study.spec.design.reading = true;
  study.proposals_closed = true;
  study.check.emplace();
  study.hypotheses.emplace_back();
  kernel::Experiment& e = study.experiments.emplace_back();
  e.registration.experiment = "E01";
  e.registration.seeds = {paired};
  e.registration.aa.emplace().seeds = {of_control};
  e.registration.terms.emplace().run_seeds = {{of_run}};
  e.pending = 1;
  kernel::Run& run = study.runs.emplace_back();
  run.number = 1;
  run.experiment = "E01";
  run.seed = paired;
  run.state = kernel::RunState::failed;
  run.reason = kernel::as_said("exit status 1: bad seed 1234567890");
  return study;
}

kernel::Experiment amended_by(const char* earlier, const char* id) {
  kernel::Experiment e;
  e.registration.experiment = kernel::ExperimentId(id);
  e.registration.amends = kernel::ExperimentId(earlier);
  return e;
}

}  // namespace

TEST_CASE("a sealed seed is replaced, however it is written") {
  const Study study = registered();
  const std::vector<std::pair<const char*, const char*>> texts = {
      {"ValueError: bad seed 1234567890", "ValueError: bad seed ‹seed›"},
      {"--seed=1234567890, again 01234567890.", "--seed=‹seed›, again ‹seed›."},
      {"run_987654321.log", "run_‹seed›.log"},
      {"447788123 447788123", "‹seed› ‹seed›"},
      {"seed 1,234,567,890 or 1_234_567_890 or 1.234.567.890!", "seed ‹seed› or ‹seed› or ‹seed›!"},
      {"RNG(0x499602d2) 3ADE68B1", "RNG(0x‹seed›) ‹seed›"},
      {"1234567890.0", "‹seed›.0"},
      {"seed1234567890end", "seed‹seed›end"},
      {"", ""},
  };
  for (const auto& [text, told] : texts) CHECK(without_sealed_seeds(study, text) == told);
  for (const char* other : {"12345678901", "123456789", "1,234,567", "0x499602d3", "1234567 890", "12,34567890"})
    CHECK(without_sealed_seeds(study, other) == other);
}

TEST_CASE("seeds are sealed until the experiment, or one that amended it, is judged") {
  Study study = registered();
  const auto sealed = [&] { return seeds_are_sealed(study, study.experiments.front()); };
  CHECK(sealed());
  study.experiments[0].amended = true;
  CHECK(sealed());
  study.experiments.push_back(amended_by("E01", "E02"));
  study.experiments[1].pending = 1;
  CHECK(sealed());
  study.experiments[1].amended = true;
  study.experiments.push_back(amended_by("E02", "E03"));
  study.experiments[2].pending = 1;
  CHECK(sealed());
  study.experiments[2].analysed = true;
  CHECK_FALSE(sealed());
  CHECK(without_sealed_seeds(study, "1234567890") == "1234567890");
}

TEST_CASE("nothing is sealed in studies of earlier programs, nor once a study is over") {
  Study before = registered();
  before.spec.design.reading = false;
  CHECK_FALSE(seeds_are_sealed(before, before.experiments.front()));
  Study over = registered();
  over.outcome = kernel::StudyOutcome::cancelled;
  CHECK_FALSE(seeds_are_sealed(over, over.experiments.front()));
  // An experiment that names itself as amended, in a log that somebody made up, ends no search.
  Study circle = registered();
  circle.experiments[0].registration.amends = "E01";
  CHECK(seeds_are_sealed(circle, circle.experiments.front()));
}
