// The built-in write-up of the example studies, and of studies with names that nobody would choose: whatever comes out,
// every sentence of it passes what the kernel asks of an agent.
#include <catch2/catch.hpp>

#include "kernel/binding/prose_binding.h"
#include "studyfile/load.h"
#include "tests/kernel/studies/world.h"
#include "tests/places.h"

namespace {

/// What a run measures, from its level names and seed: a level that comes later costs more by `step`.
fakes::FakeExecutor::Job costing(const kernel::StudySpec& spec, double step, bool failing) {
  return [&spec, step, failing](const kernel::JobSpec& job) {
    double cost = 10;
    bool last = false;
    for (const kernel::Factor& factor : spec.factors)
      for (std::size_t i = 0; i < factor.levels.size(); ++i) {
        if (job.values.at(factor.name) != factor.levels[i].value.text) continue;
        cost += step * static_cast<double>(i);
        last = last || (&factor == &spec.factors.front() && i + 1 == factor.levels.size());
      }
    std::map<std::string, double> values;
    for (const kernel::Metric& metric : spec.metrics)
      values[metric.name] = metric.deterministic ? 0 : cost + static_cast<double>(job.seed * 2654435761u % 1000) / 1000;
    kernel::ReportEnd report = fakes::FakeExecutor::succeeded(values);
    if (failing && last) {
      report.outcome.exit = 3;
      report.measurement = {};
    }
    return report;
  };
}

/// The whole study; the write-up is refused nothing.
kernel::Study told(const kernel::StudySpec& spec, double step, bool failing) {
  World world(costing(spec, step, failing));
  world.open(spec, 4);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  CHECK(world.refusals == std::vector<std::string>{});
  return *loop.state().study("s1");
}

void check_words(const kernel::Study& study) {
  REQUIRE(study.outcome);
  if (study.experiments.empty()) return;
  CHECK(study.claims.size() == study.hypotheses.size());
  for (const kernel::Claim& claim : study.claims) {
    const bool earlier = study.spec.design.rule == kernel::VerdictRule::smallest_effect;
    CHECK(claim.written.at("title") == "{{" + claim.hypothesis.text() + (earlier ? ".statement}}" : ".found}}"));
    CHECK(claim.written.contains("statement"));
    // No number of a run is written by hand: what is not an address is the same for every study.
    for (const auto& [field, text] : claim.written) CHECK(kernel::Binding(study).bind(text).findings.empty());
  }
}

}  // namespace

TEST_CASE("the built-in write-up of every example passes, whatever the runs say") {
  for (const char* name : {"sorting", "noise-robustness", "tiny-training"}) {
    const auto parsed = studyfile::read(tests::source_dir() + "/examples/" + name + "/study.yaml");
    REQUIRE(parsed);
    for (const auto& [step, failing] : {std::pair{5.0, false}, {0.0, false}, {-3.0, true}}) {
      INFO(name << " " << step);
      check_words(told(parsed->spec, step, failing));
    }
  }
}

TEST_CASE("names that look like numbers, verdicts and directions do not stop the write-up") {
  const std::vector<std::vector<std::string>> names = {{"twice", "half"},         {"3x", "97%"},
                                                       {"faster than all", "H1"}, {"{{H1.p}}", "}}"},
                                                       {"@knuth", "\\cite{x}"},   {"²³", "½ \xE2\x80\x8B"},
                                                       {"refuted", "supported"},  {"ten, eleven", "a.b"}};
  for (const std::vector<std::string>& levels : names) {
    kernel::StudySpec spec = small_spec();
    spec.factors[1].baseline.reset();
    for (std::size_t i = 0; i < 2; ++i) spec.factors[0].levels[i] = {levels[i], {levels[i], std::nullopt}, {}};
    spec.factors[0].baseline = levels[0];
    kernel::Hypothesis h = quick_is_faster();
    h.id = "faster";
    h.statement = "It is {{H1.p}} times 3.7 faster, by half; see @nobody.";
    h.control = {{"algorithm", levels[0]}};
    h.treatment = {{"algorithm", levels[1]}};
    h.where = {{"n", "200"}};
    spec.hypotheses = {h};
    h.id = "third";
    h.direction = kernel::Direction::greater;
    h.margin = kernel::Margin{kernel::Margin::Kind::relative, 0.25};
    spec.hypotheses.push_back(h);
    INFO(levels[0]);
    for (const bool failing : {false, true}) check_words(told(spec, 1, failing));
  }
}
