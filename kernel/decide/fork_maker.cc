#include "kernel/decide/fork_maker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernel/study/evaluator_rules.h"

namespace kernel {

void SlotsUsed::read(const Event& event, bool later) {
  if (const auto* proposed = std::get_if<HypothesisProposed>(&event.body); proposed && proposed->exploratory)
    exploratory_.insert(proposed->hypothesis.id);
  const auto* registered = std::get_if<ExperimentRegistered>(&event.body);
  if (!registered) return;
  for (const Hypothesis& h : registered->registration.hypotheses)
    if (!exploratory_.contains(h.id)) (later ? after_ : before_).insert(h.id);
}

int SlotsUsed::later() const {
  return static_cast<int>(std::ranges::count_if(after_, [&](const auto& id) { return !before_.contains(id); }));
}

ForkMaker::ForkMaker(std::string study, std::int64_t at, std::string id) : at_(at), id_(std::move(id)) {
  fork_.from = std::move(study);
}

void ForkMaker::read(const StoredEvent& stored) {
  last_ = stored.seq;
  // Events of one decision share one time. A fork takes all of them or none.
  over_ = over_ || (stored.seq > at_ && (stored.time != time_ || stored.boot != boot_));
  if (over_) {
    const Event event = stored.decoded();
    fork_.looks += looks_at_test(event) ? 1 : 0;
    if (const auto* forked = std::get_if<StudyForked>(&event.body)) {
      fork_.looks += forked->looks;
      fork_.slots += forked->slots;
    }
    return used_.read(event, true);
  }
  concluded_ = concluded_ || stored.is<StudyConcluded>();
  cancelled_ = cancelled_ || stored.is<CancellationRequested>();
  Event event{id_, stored.actor, {stored.time, stored.boot}, stored.decoded().body};
  // The fork has its own gates; decisions on the original's gates do not apply to it.
  const auto own = [&](std::string& gate) { gate = id_ + gate.substr(gate.rfind("-g")); };
  if (auto* gate = std::get_if<GateOpened>(&event.body)) own(gate->gate.id);
  if (auto* gate = std::get_if<GateDecided>(&event.body)) own(gate->gate);
  // The past's runs are the fork's own.
  if (auto* recorded = std::get_if<NodeRecorded>(&event.body))
    for (std::string& run : recorded->node.runs)
      if (run_study(run) == fork_.from) run = fmt::format("{}-r{}", id_, run_number(run));
  used_.read(event, false);
  fork_.events.push_back(std::move(event));
  fork_.seq = stored.seq;
  fork_.head = stored.hash;
  time_ = stored.time;
  boot_ = stored.boot;
}

ForkStudy ForkMaker::made(const std::string& output) && {
  auto& opened = std::get<StudyOpened>(fork_.events.front().body);
  opened.id = id_;
  opened.output = output.empty() ? opened.output + "-" + id_ : output;
  opened.request.clear();
  fork_.slots += used_.later();
  return std::move(fork_);
}

}  // namespace kernel
