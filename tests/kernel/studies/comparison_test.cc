// An agent's code is run beside the code that it amended, before anything is registered on it.

#include <catch2/catch.hpp>

#include "kernel/decide/decide.h"
#include "kernel/design/code_comparison.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::Purpose;

namespace {

const kernel::WorkspaceHash original("original"), mended("mended");

/// What a program reports at a setting; none: it fails.
using Program = std::optional<double> (*)(const kernel::JobSpec&);

double plain(const kernel::JobSpec& job) {
  return (job.values.at("algorithm") == "quick" ? 10.0 : 50.0) + static_cast<double>(job.seed % 1000) / 1000 +
         std::stod(job.values.at("n"));
}
std::optional<double> crashes_at_quick(const kernel::JobSpec& job) {
  return job.values.at("algorithm") == "quick" ? std::nullopt : std::optional(plain(job));
}
std::optional<double> works(const kernel::JobSpec& job) {
  return plain(job);
}
std::optional<double> dearer_control(const kernel::JobSpec& job) {
  return plain(job) + (job.values.at("algorithm") == "quick" ? 0 : 7);
}
std::optional<double> ignores_its_seed(const kernel::JobSpec& job) {
  return job.values.at("algorithm") == "quick" ? 10.0 : 50.0 + std::stod(job.values.at("n"));
}

/// A study whose engineer replaces one program by the other once the check has found what is wrong.
struct Mended {
  Mended(Program before, Program after)
      : world([before, after, this](const kernel::JobSpec& job) {
          const bool amended = job.workspace == "/workspaces/mended";
          jobs.push_back(job);
          std::optional<double> value = (amended ? after : before)(job);
          if (value && noisy) *value += 0.001 * static_cast<double>(jobs.size() % 7);
          if (value) return fakes::FakeExecutor::succeeded({{"time_ms", *value}});
          kernel::ReportEnd report;
          report.outcome.exit = 4;
          return report;
        }),
        loop(world.parts()) {}

  const kernel::Study& run_to_registration() {
    kernel::StudyOpened opened;
    opened.id = "s1";
    opened.spec = small_spec({quick_is_faster()});
    opened.spec.design.rule = kernel::VerdictRule::one_interval;
    opened.spec.seeds = kernel::SeedRule::drawn;
    opened.spec.agents = "models";
    opened.spec.design.replicates_max =
        2 * opened.spec.design.replicates_min;  // A pilot comes before the registration.
    opened.workspace.hash = original;
    opened.jobs = 2;
    opened.boot_id = world.clock.boot;
    world.inbox.post(kernel::Command{"s1", "person", kernel::OpenStudy{opened}});
    loop.run([](const kernel::State& state) { return state.study("s1") && state.study("s1")->check; });
    kernel::AmendWorkspace amendment{{mended, 1, 1, {}}, "it crashed"};
    amendment.places = {{"sort.py", 3, 5}};
    world.inbox.post(kernel::Command{"s1", "engineer", amendment});
    loop.run([](const kernel::State& state) {
      return state.study("s1")->compared.has_value() || state.study("s1")->at_rest();
    });
    return *loop.state().study("s1");
  }

  bool noisy = false;
  std::vector<kernel::JobSpec> jobs;
  World world;
  kernel::Loop loop;
};

const std::string& required(const kernel::Study& study) {
  REQUIRE(requirement_on_amendment(study));
  return requirement_on_amendment(study)->text;
}

}  // namespace

TEST_CASE(
    "original and amended code run on the same seeds where the finding says nothing, and equal values are equal") {
  Mended m(crashes_at_quick, works);
  const kernel::Study& study = m.run_to_registration();
  REQUIRE(study.compared);
  CHECK(study.compared->unchecked.empty());
  REQUIRE_FALSE(study.compared->values.empty());
  for (const kernel::ComparedValue& value : study.compared->values) {
    CHECK(value.cell.at("algorithm") == "bubble");
    CHECK(value.repeats());
    CHECK_FALSE(value.moved());
  }
  CHECK(study.compared->noisy.empty());
  std::map<std::uint64_t, std::vector<std::string>> by_seed;
  for (const kernel::Run& run : study.runs)
    if (run.purpose == Purpose::comparison) by_seed[run.seed].push_back(run.label);
  for (const auto& [seed, labels] : by_seed)
    CHECK(labels == std::vector<std::string>{"original", "amended", "original again"});
  // At most twice as many as the check had.
  CHECK(count(study, Purpose::comparison) <= count(study, Purpose::smoke));
  // A job cannot tell: same command, same kind of token and folder, no word of its purpose.
  for (const kernel::JobSpec& job : m.jobs) {
    CHECK(job.command.words == m.jobs.front().command.words);
    CHECK(job.params_json.find("original") == std::string::npos);
  }
  CHECK(required(study).find("the change of the code does only this: smoke run r") == 0);
  CHECK(required(study).find("2 settings outside of the findings gave the same values") != std::string::npos);
  CHECK(requirement_on_amendment(study)->file == "sort.py");
  CHECK(requirement_on_amendment(study)->from == 3);
}

TEST_CASE("what the change moves at other settings is what the requirement lists, and it stands until it is judged") {
  Mended m(crashes_at_quick, dearer_control);
  const kernel::Study& study = m.run_to_registration();
  REQUIRE(study.compared);
  CHECK(std::ranges::all_of(study.compared->values, [&](const auto& v) { return study.compared->moved(v); }));
  CHECK(required(study).find("It also changes these values: time_ms at algorithm=bubble n=100 from ") !=
        std::string::npos);
  m.loop.run(World::at_rest);
  CHECK(std::ranges::all_of(study.experiments, &kernel::Experiment::amended));
  const auto refusal = [&](const char* actor, kernel::CommandBody body) {
    const kernel::Decision decision = kernel::decide(m.loop.state(), {"s1", actor, std::move(body)}, {});
    const std::string* why = kernel::why_not(decision.outcome);
    return why ? *why : std::string();
  };
  kernel::StudyRequirement elsewhere = *requirement_on_amendment(study);
  elsewhere.from = elsewhere.to = 1;
  CHECK(refusal("engineer", kernel::BindRequirement{elsewhere}).find("is the kernel's own") != std::string::npos);
  CHECK_FALSE(is_read_by_person(study));
  m.world.say(kernel::JudgeRequirement{elsewhere.id, true, "I read the diff"});
  m.world.go_on(m.loop);
  CHECK(is_read_by_person(*m.loop.state().study("s1")));
}

TEST_CASE("a metric that does not repeat itself is shown with its interval and what could have been seen") {
  Mended m(crashes_at_quick, dearer_control);
  m.noisy = true;
  const kernel::Study& study = m.run_to_registration();
  REQUIRE(study.compared);
  REQUIRE(study.compared->noisy.size() == 1);
  const kernel::NoisyShift& shift = study.compared->noisy.front();
  CHECK(shift.shift == Approx(7).margin(0.02));
  CHECK(shift.low < shift.shift);
  CHECK(shift.smallest > shift.high - shift.shift);
  CHECK(std::ranges::none_of(study.compared->values, [&](const auto& v) { return study.compared->moved(v); }));
  CHECK(required(study).find("time_ms varies between equal runs: amended − original is 7") != std::string::npos);
}

TEST_CASE("a finding about every setting leaves nothing to compare, and it is said") {
  Mended m(ignores_its_seed, works);
  const kernel::Study& study = m.run_to_registration();
  REQUIRE(study.compared);
  CHECK(count(study, Purpose::comparison) == 0);
  CHECK(newest_words(study.compared->unchecked) == "the findings concern every setting");
  CHECK(required(study).find("could not be checked") != std::string::npos);
}

TEST_CASE("a person's change is compared with nothing, and studies of earlier programs have no comparison") {
  Mended m(crashes_at_quick, works);
  const kernel::Study& study = m.run_to_registration();
  kernel::Study old = study;
  old.amendments.clear();
  old.compared.reset();
  CHECK_FALSE(old.comparison_due());
  kernel::Study persons = study;
  persons.workspace.by.clear();
  persons.compared.reset();
  CHECK_FALSE(persons.comparison_due());
}
