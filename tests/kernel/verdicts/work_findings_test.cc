#include "kernel/verdicts/work_findings.h"

#include <cmath>
#include <cstdlib>
#include <set>

#include <catch2/catch.hpp>

#include "kernel/wording/wording.h"
#include "tests/kernel/inference/synthetic.h"

namespace {

using kernel::ReasonCode;
using kernel::Run;
using kernel::Study;

/// What a run reports and uses.
struct Did {
  double value = 0, cpu_s = 0.1, idle_s = 0.002;
  std::int64_t points = 1, bytes = 1000;
};

/// A study of two arms, whose runs do what `did` says.
template <typename Doing>
Study study_of(int n, const Doing& did, bool by_agent = false, const std::string& unit = "points") {
  Study study;
  study.id = "s1";
  study.spec = synthetic::study(n);
  study.spec.metrics.front().unit = unit;
  if (by_agent) study.workspace.by = "engineer";
  study.workspace.reads = {{kernel::CodeRead::sleep, "job.py:7: time.sleep(1)", by_agent}};
  kernel::Experiment& experiment = study.experiments.emplace_back();
  experiment.registration.experiment = "E01";
  experiment.registration.hypotheses = {synthetic::compare(kernel::Direction::less)};
  for (const char* arm : {"t", "c"}) {
    study.cell_numbers[{{"arm", arm}}] = static_cast<int>(study.cells.size());
    study.cells.push_back({{"arm", arm}});
  }
  for (int i = 0; i < n; ++i)
    for (int cell = 0; cell < 2; ++cell) {
      const Did done = did(cell == 0, i);
      Run& run = study.runs.emplace_back();
      run.number = static_cast<int>(study.runs.size());
      run.experiment = "E01";
      run.cell = cell;
      run.seed = 1000 + static_cast<std::uint64_t>(i);
      run.state = kernel::RunState::succeeded;
      run.measurement.values["y"].value = done.value;
      run.measurement.points = done.points;
      run.outcome.usage.cpu_s = done.cpu_s;
      run.outcome.usage.wall_s = done.cpu_s + done.idle_s;
      run.outcome.usage.written_bytes = done.bytes;
    }
  return study;
}

std::vector<kernel::IntegrityFound> found_in(const Study& study) {
  return work_findings(study, study.experiments.front());
}

ReasonCode only_code(const Study& study) {
  const auto found = found_in(study);
  REQUIRE(found.size() == 1);
  return found.front().message.code;
}

}  // namespace

TEST_CASE("An arm that sleeps is found, with the lines that may sleep") {
  stats::Xoshiro random(1);
  const auto did = [&](bool treatment, int) {
    return Did{10 + random.normal(), 0.05, (treatment ? 0.002 : 0.06) + 0.001 * random.uniform()};
  };
  const Study study = study_of(6, did, false, "ms");
  const auto found = found_in(study);
  REQUIRE(found.size() == 1);
  CHECK(found.front().averted);
  CHECK(newest_words(found.front().message).find("the control (arm=c) of H1 waits: 0.06") == 0);
  CHECK(newest_words(found.front().message).find("job.py:7: time.sleep(1)") != std::string::npos);
  CHECK_FALSE(found_in(study_of(6, did, true, "ms")).front().averted);
  // A metric that is no time gains nothing from sleeping.
  CHECK(found_in(study_of(6, did)).empty());
}

TEST_CASE("A faster treatment is no finding, and neither is one that waits for its disk") {
  stats::Xoshiro random(2);
  const auto faster = [&](bool treatment, int) {
    return Did{10 + random.normal(), treatment ? 0.05 : 5, 0.002 * random.uniform()};
  };
  CHECK(found_in(study_of(6, faster, false, "ms")).empty());
  CHECK(found_in(study_of(6, faster, true, "ms")).empty());
  const auto writes = [&](bool treatment, int) {
    return Did{10 + random.normal(), 0.05, treatment ? 0.002 : 0.5, 1, treatment ? 1000 : 50'000'000};
  };
  CHECK(found_in(study_of(6, writes, false, "ms")).empty());
}

TEST_CASE("An arm that computes more waits longer for a processor, which is no finding where the machine may be busy") {
  stats::Xoshiro random(6);
  // 0.02 s of computing against 0.006 s, in a container with half a processor: only the longer one is held up.
  const auto held_up = [&](bool treatment, int) {
    return treatment ? Did{10 + random.normal(), 0.006, 0.002 + 0.001 * random.uniform()}
                     : Did{10 + random.normal(), 0.02, 0.065 + 0.01 * random.uniform()};
  };
  Study study = study_of(6, held_up, true, "ms");
  const auto loaded = [&](const kernel::MachineUse& use) {
    for (Run& run : study.runs) run.outcome.usage.machine = use;
    return found_in(study);
  };
  // Runs are too short for a look at the machine.
  CHECK(found_in(study).empty());
  CHECK(loaded({0.5, 1.0, 1}).empty());
  CHECK(loaded({0, 0.3, 2}).size() == 1);
  // As long a sleep after a tenth of the work is no wait for a processor.
  const auto sleeps = [&](bool treatment, int) {
    return Did{10 + random.normal(), treatment ? 0.0005 : 0.002, treatment ? 0.0005 : 0.07};
  };
  study = study_of(6, sleeps, true, "ms");
  CHECK(only_code(study) == ReasonCode::arm_waits);
}

TEST_CASE("Less work in one arm of an agent's code is found") {
  stats::Xoshiro random(3);
  const auto fewer = [&](bool treatment, int) { return Did{random.normal(), 0.1, 0.002, treatment ? 400 : 20}; };
  CHECK(only_code(study_of(5, fewer, true)) == ReasonCode::arm_reports_less);
  const auto cheaper = [&](bool treatment, int) { return Did{random.normal(), treatment ? 4.0 : 0.2}; };
  const Study study = study_of(5, cheaper, true);
  CHECK(only_code(study) == ReasonCode::work_unchecked);
  CHECK(found_in(study).front().averted);
  CHECK(found_in(study_of(5, cheaper)).empty());
}

TEST_CASE("A control with a twentieth of the sample is found by the steps of its shares") {
  stats::Xoshiro random(4);
  const auto share = [&](bool treatment, int) {
    const int items = treatment ? 400 : 20;
    int right = 0;
    for (int i = 0; i < items; ++i) right += random.uniform() < 0.7 ? 1 : 0;
    return Did{static_cast<double>(right) / items};
  };
  CHECK(only_code(study_of(12, share)) == ReasonCode::arm_counts_fewer);
}

TEST_CASE("A table of values by seed is found") {
  stats::Xoshiro random(5);
  std::vector<double> table;
  for (int i = 0; i < 6; ++i) table.push_back(10 + random.normal());
  const auto looked_up = [&](bool treatment, int i) {
    return Did{table[static_cast<std::size_t>(i * 7 % 6 + 0)] + (treatment ? 3 + 0.1 * (i % 6) : 0)};
  };
  CHECK(only_code(study_of(14, looked_up)) == ReasonCode::values_repeat);
}

TEST_CASE("A constant that was added to the treatment is found, and so is a constant factor") {
  stats::Xoshiro random(6);
  std::vector<double> base;
  for (int i = 0; i < 8; ++i) base.push_back(0.98 + 0.05 * random.normal());
  const auto shifted = [&](bool treatment, int i) {
    return Did{base[static_cast<std::size_t>(i)] + (treatment ? 1e-9 : 0)};
  };
  CHECK(only_code(study_of(8, shifted)) == ReasonCode::constant_difference);
  const auto scaled = [&](bool treatment, int i) {
    return Did{base[static_cast<std::size_t>(i)] * (treatment ? 0.9 : 1)};
  };
  CHECK(only_code(study_of(8, scaled)) == ReasonCode::constant_ratio);
}

TEST_CASE("At most one of a hundred honest studies has a finding") {
  // `make soak` tries more of them.
  const char* asked = std::getenv("ETUDE_HONEST");
  const int studies = asked ? std::atoi(asked) : 300;
  stats::Xoshiro random(20);
  int people = 0, agents = 0;
  std::map<ReasonCode, int> codes;
  for (int s = 0; s < studies; ++s) {
    constexpr std::array sizes{3, 4, 5, 6, 8, 10, 15, 20, 30};
    const int n = sizes[static_cast<std::size_t>(s) % sizes.size()];
    // What is measured, how large the effect is, what the arms cost, and how noisy the machine is.
    const int kind = s % 10;
    const double effect = s % 3 == 0 ? 0 : random.normal(), sd = std::exp(random.normal() - 2);
    const double costs_t = std::exp(2 * random.normal() - 2), costs_c = std::exp(2 * random.normal() - 2);
    const double jitter = 0.0005 + 0.005 * random.uniform();
    const double shared_weight = random.uniform();
    const int items = 20 + static_cast<int>(2000 * random.uniform());
    const double share = 0.02 + 0.96 * random.uniform();
    const auto did = [&](bool treatment, int i) {
      Did done;
      stats::Xoshiro shared(static_cast<std::uint64_t>(s) * 1000 + static_cast<std::uint64_t>(i));
      const double noise = shared_weight * shared.normal() + (1 - shared_weight) * random.normal();
      const double plain = 5 + (treatment ? effect * sd : 0) + sd * noise;
      int right = 0;
      if (kind == 3 || kind == 4)
        for (int k = 0; k < items; ++k)
          right += random.uniform() < std::clamp(share + (treatment ? 0.01 * effect : 0), 0.0, 1.0) ? 1 : 0;
      done.value = kind == 0   ? plain
                   : kind == 1 ? std::exp(plain)
                   : kind == 2 ? std::round(plain * 1000) / 1000
                   : kind == 3 ? static_cast<double>(right) / items
                   : kind == 4 ? right
                   : kind == 5 ? std::round(100 * plain) / 100
                   : kind == 6 ? static_cast<double>(static_cast<float>(plain))
                   : kind == 7 ? std::min(1.0, 0.97 + 0.02 * noise + (treatment ? 0.005 * effect : 0))
                   : kind == 8 ? 1000 * (treatment ? costs_t : costs_c) * (1 + 0.1 * std::abs(noise))
                               : std::sqrt(std::max(0.0, std::round(20 + 5 * noise)));
      done.cpu_s = 0.02 + (treatment ? costs_t : costs_c) * (1 + 0.1 * std::abs(random.normal()));
      // Starting and scheduling; rarely the machine is held up.
      done.idle_s = -jitter * std::log(1 - random.uniform()) + (random.uniform() < 0.02 ? 0.1 * random.uniform() : 0);
      done.bytes = 500 + static_cast<std::int64_t>(5000 * random.uniform());
      done.points = kind % 2 == 0 ? 1 : 90 + static_cast<std::int64_t>(20 * random.uniform());
      return done;
    };
    const std::string unit = kind == 1 || kind == 8 ? "ms" : "points";
    const Study study = study_of(n, did, false, unit);
    const auto found = found_in(study);
    people += found.empty() ? 0 : 1;
    for (const auto& one : found) ++codes[one.message.code];
    Study agents_study = study;
    agents_study.workspace.by = "engineer";
    agents += std::ranges::any_of(found_in(agents_study), [](const auto& one) { return !one.averted; }) ? 1 : 0;
  }
  for (const auto& [code, times] : codes) UNSCOPED_INFO(kernel::newest_words(kernel::Reason{code}) << ": " << times);
  CAPTURE(people, agents);
  CHECK(people <= studies / 100);
  CHECK(agents <= studies / 100);
}
