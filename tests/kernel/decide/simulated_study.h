#pragma once
// Studies without processes: every decision and every event is the kernel's own, only what a run measures is made up.

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/decide/decide.h"
#include "kernel/study/state.h"
#include "tests/fakes/fake_draw.h"

namespace simulated {

/// What a run comes to. No value: it failed, or timed out.
struct Outcome {
  std::optional<double> value;
  bool timed_out = false;
  kernel::Usage usage{};
  std::map<std::string, double> items{};  ///< Of the primary metric.
};
/// The run, its cell, and how many of the study's runs started before it.
using Measure = std::function<Outcome(const kernel::Run&, const kernel::Cell&, int)>;

class Simulation {
 public:
  explicit Simulation(Measure measure) : measure_(std::move(measure)) {}

  /// From the opening to the verdicts. The study's own hypotheses, in so many batches of about one size.
  const kernel::Study& conclude(kernel::StudySpec spec, int batches = 1) {
    spec.design.smoke = false;
    const std::vector<kernel::Hypothesis> hypotheses = spec.hypotheses;
    const bool pilot = !spec.design.sized_beforehand();
    const int family = spec.design.family.value_or(static_cast<int>(hypotheses.size()));
    kernel::StudyOpened opened;
    opened.id = "s1";
    opened.spec = std::move(spec);
    tell("person", kernel::OpenStudy{std::move(opened)});
    std::size_t next = 0;
    for (int batch = 1; batch <= batches; ++batch) {
      if (batch > 1) tell("hypothesis", kernel::OpenBatch{"the last one said where to look"});
      const std::size_t end = hypotheses.size() * static_cast<std::size_t>(batch) / static_cast<std::size_t>(batches);
      std::vector<kernel::HypothesisId> ids;
      for (; next < end; ++next) {
        tell("hypothesis", kernel::ProposeHypothesis{hypotheses[next]});
        ids.push_back(hypotheses[next].id);
      }
      tell("hypothesis", kernel::CloseProposals{family});
      if (batch == 1) tell("experiment", kernel::RequestSmoke{});
      if (pilot) tell("experiment", kernel::RequestPilot{});
      run_all();
      tell("experiment", kernel::SizeSample{});
      tell("experiment", kernel::RegisterExperiment{ids});
      while (!study().experiments.back().analysed) {
        run_all();
        tell("analysis", kernel::AnalyseExperiment{study().experiments.back().registration.experiment});
      }
    }
    return study();
  }

 private:
  const kernel::Study& study() const { return *state_.study("s1"); }

  void tell(const char* actor, kernel::CommandBody body) {
    now_.wall_ms += 10;
    now_.boot_ms += 10;
    const kernel::Decision decision =
        kernel::decide(state_, {"s1", actor, std::move(body)}, {now_, fakes::draw(now_.wall_ms)});
    if (const std::string* why = kernel::why_not(decision.outcome)) throw std::runtime_error(*why);
    for (const kernel::Event& event : decision.events) kernel::apply(state_, event);
  }

  void run_all() {
    while (!study().queue.empty()) {
      const int number = study().queue.front();
      const kernel::LaunchToken token(std::to_string(number));
      tell("kernel", kernel::StartRun{number, token});
      tell("kernel", kernel::ReportStart{number, token});
      const kernel::Run& run = *study().run(number);
      const Outcome outcome = measure_(run, study().cells[static_cast<std::size_t>(run.cell)], started_++);
      kernel::ReportEnd end;
      end.run = number;
      end.outcome.run = study().run_id(number);
      end.outcome.token = token;
      end.outcome.end = outcome.timed_out ? kernel::JobEnd::timed_out : kernel::JobEnd::exited;
      end.outcome.exit = outcome.value || outcome.timed_out ? 0 : 1;
      end.outcome.started_ms = now_.wall_ms;
      end.outcome.usage = outcome.usage;
      const std::string& metric = study().spec.primary().name;
      if (outcome.value) end.measurement.values[metric].value = *outcome.value;
      if (!outcome.items.empty()) end.measurement.items[metric] = outcome.items;
      // Failures of one kind in a row would stop an arm; chance has no kind.
      end.fingerprint = outcome.value ? "" : token.text();
      tell("kernel", std::move(end));
    }
  }

  Measure measure_;
  kernel::State state_;
  kernel::Time now_{};
  int started_ = 0;
};

}  // namespace simulated
