#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "kernel/domain/enum_names.h"
#include "kernel/sizing/interim_looks.h"

namespace artifacts {

using kernel::Experiment;
using kernel::PlannedRun;
using kernel::Purpose;
using kernel::Registration;
using kernel::Run;
using kernel::RunState;
using kernel::Study;
using nlohmann::json;

namespace {

template <typename T>
const T* element(const std::vector<T>& list, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(list.size()) ? &list[static_cast<std::size_t>(index)]
                                                                      : nullptr;
}

/// Whether the run may be repeated: lost runs, and runs that ask for it.
bool may_be_retried(const Run& run) {
  constexpr int asks = 75;
  return run.state == RunState::lost || (run.outcome.end == kernel::JobEnd::exited && run.outcome.exit == asks);
}

json files_of(const std::vector<kernel::ProtectedFile>& files) {
  json list = json::object();
  for (const kernel::ProtectedFile& file : files) list[file.path] = file.sha256;
  return list;
}

}  // namespace

struct RegistrationAudit::Seen {
  RegistrationAudit& audit;
  const Study& before;
  int line;

  void operator()(const kernel::ExperimentRegistered& e) const { audit.registered(before, e, line); }
  void operator()(const kernel::RunsQueued& e) const { audit.queued(before, e, line); }
  void operator()(const kernel::RunEnded& e) const { audit.ended(before, e, line); }
  void operator()(const kernel::ExperimentAnalysed& e) const { audit.analysed(before, e, line); }
  void operator()(const kernel::WorkspaceAmended& e) const { audit.amended(before, e, line); }
  template <kernel::OneOf<kernel::StudyOpened, kernel::HypothesisProposed, kernel::ProposalsClosed,
                          kernel::SearchRegistered, kernel::RungRanked, kernel::SampleSized, kernel::IntegrityFound,
                          kernel::InterimLook, kernel::BatchOpened, kernel::ArmStopped, kernel::HypothesisWithdrawn,
                          kernel::NodeRecorded, kernel::ClaimRecorded, kernel::StudyPaused, kernel::StudyResumed,
                          kernel::CancellationRequested, kernel::StudySteered, kernel::GateOpened, kernel::GateDecided,
                          kernel::StudyConcluded, kernel::PicturesDrawn, kernel::ArtifactPackaged, kernel::StudyEnded,
                          kernel::StudyForked, kernel::RunStarting, kernel::RunStarted, kernel::RunRequeued,
                          kernel::ManipulationChecked, kernel::RunCancellationRequested, kernel::LineOpened,
                          kernel::LineEnded, kernel::ModelAsked, kernel::ModelAnswered, kernel::CallBatched,
                          kernel::ToolReturned, kernel::NoteTaken, kernel::RequirementBound, kernel::RequirementJudged,
                          kernel::SectionWritten, kernel::CodePlanned, kernel::CodeProposed, kernel::CodeCompared>
                Other>
  void operator()(const Other&) const {}
};

void RegistrationAudit::see(const Study* before, const kernel::Event& event, int line) {
  order(event, line);
  if (before) std::visit(Seen{*this, *before, line}, event.body);
}

void RegistrationAudit::amended(const Study& study, const kernel::WorkspaceAmended& event, int line) {
  if (files_of(event.workspace.protect) != files_of(study.workspace.protect))
    findings_.add(RuleId::protected_changed, log_file, line,
                  "the amended code has other protected files than those that were frozen");
}

/// The boot clock never goes back, even if the wall clock is changed.
void RegistrationAudit::order(const kernel::Event& event, int line) {
  if (const auto* opened = std::get_if<kernel::StudyOpened>(&event.body)) boot_id_ = opened->boot_id;
  const auto* resumed = std::get_if<kernel::StudyResumed>(&event.body);
  // After a reboot the clock is another one; a fork's events were copied.
  const bool anew =
      std::holds_alternative<kernel::StudyForked>(event.body) || (resumed && resumed->boot_id != boot_id_);
  if (resumed) boot_id_ = resumed->boot_id;
  if (!anew && event.at.boot_ms < boot_ms_)
    findings_.add(RuleId::out_of_order, log_file, line,
                  fmt::format("the event happened {} ms before the one above it, by the machine's own clock",
                              boot_ms_ - event.at.boot_ms));
  boot_ms_ = event.at.boot_ms;
}

void RegistrationAudit::registered(const Study& study, const kernel::ExperimentRegistered& event, int line) {
  const Registration& r = event.registration;
  const std::string id = quote(r.experiment.text());
  if (study.experiment(r.experiment))
    findings_.add(RuleId::late_registration, log_file, line, fmt::format("{} is registered twice", id));
  for (std::size_t c = 0; c < r.cells.size(); ++c) cells_[r.experiment].emplace(r.cells[c], static_cast<int>(c));
  const auto differs = [&](const char* what) {
    findings_.add(RuleId::registration_mismatch, log_file, line,
                  fmt::format("{} of the registration of {} are not those of the study", what, id));
  };
  if (r.workspace != study.workspace.hash) differs("the workspace's hash");
  if (r.environment != kernel::sha256_hex(kernel::canonical(study.environment))) differs("the environment's hash");
  if (json(r.data) != json(study.data)) differs("the data and their hashes");
  if (json(r.metrics) != json(study.spec.metrics)) differs("the metrics");
  if (json(r.guards) != json(study.spec.guards)) differs("the guards");
  if (json(r.command) != json(study.spec.run) || json(r.stages) != json(study.spec.stages)) differs("the commands");
  if (r.family != study.family || r.alpha != study.spec.design.alpha) differs("the family and its alpha");
  if (r.terms && files_of(r.terms->protect) != files_of(study.workspace.protect))
    findings_.add(RuleId::protected_changed, log_file, line,
                  fmt::format("the registration of {} protects other bytes than those that were frozen", id));
  for (const kernel::Hypothesis& h : r.hypotheses) {
    const kernel::HypothesisRecord* proposed = study.hypothesis(h.id);
    if (!proposed || json(proposed->hypothesis) != json(h)) differs("the hypotheses");
  }
}

void RegistrationAudit::queued(const Study& study, const kernel::RunsQueued& event, int line) {
  int number = static_cast<int>(study.runs.size());
  const Experiment* experiment = study.experiment(event.experiment);
  for (const PlannedRun& run : event.runs) {
    if (run.number != ++number) {
      findings_.add(RuleId::missing_run, log_file, line,
                    fmt::format("runs are counted without holes, and {} stands where {} belongs", run.number, number));
      return;
    }
    if (run.retry_of) {
      retried(study, event, run, line);
      continue;
    }
    if (event.purpose != Purpose::registered || !run.stage.empty()) continue;
    if (run.aa && experiment && experiment->registration.aa) {
      repeated(*experiment, event, run, line);
      continue;
    }
    if (run.repeats && experiment)
      repeated_smoke(study, experiment->registration, event, run, line);
    else if (experiment)
      planned(*experiment, event, run, line);
    else
      findings_.add(RuleId::late_registration, log_file, line,
                    fmt::format("run {} belongs to {}, which was not registered before it", run.number,
                                quote(event.experiment.text())));
  }
}

/// Checks that repetitions of the control have the registered cell and the registered number.
void RegistrationAudit::repeated(const Experiment& experiment, const kernel::RunsQueued& event, const PlannedRun& run,
                                 int line) {
  const kernel::AaPlan& plan = *experiment.registration.aa;
  const kernel::Cell* cell = element(event.cells, run.cell);
  if (cell && *cell == plan.cell && run.replicate >= 1 && run.replicate <= plan.replicates) return;
  findings_.add(RuleId::unregistered_run, log_file, line,
                fmt::format("run {} repeats a control that was not registered to be repeated", run.number));
}

/// Checks that a repeat has the cell and the seed of the smoke run.
void RegistrationAudit::repeated_smoke(const Study& study, const Registration& registration,
                                       const kernel::RunsQueued& event, const PlannedRun& run, int line) {
  const Run* smoke = study.run(run.repeats);
  const kernel::Cell* cell = element(event.cells, run.cell);
  if (smoke && smoke == kernel::smoke_to_repeat(study, registration) && run.seed == smoke->seed && cell &&
      *cell == study.cells[static_cast<std::size_t>(smoke->cell)])
    return;
  findings_.add(RuleId::unregistered_run, log_file, line,
                fmt::format("run {} repeats run {}, which is not the smoke run to be repeated, or does it otherwise",
                            run.number, run.repeats));
}

void RegistrationAudit::planned(const Experiment& experiment, const kernel::RunsQueued& event, const PlannedRun& run,
                                int line) {
  const Registration& r = experiment.registration;
  const auto refuse = [&](const std::string& why) {
    findings_.add(RuleId::unregistered_run, log_file, line, fmt::format("run {}: {}", run.number, why));
  };
  const kernel::Cell* cell = element(event.cells, run.cell);
  const auto& cells = cells_[r.experiment];
  const auto known = cell ? cells.find(*cell) : cells.end();
  const int index = known == cells.end() ? -1 : known->second;
  const int* replicates = element(r.replicates, index);
  if (!replicates)
    return refuse(fmt::format("its cell is none of those that {} registered", quote(r.experiment.text())));
  if (run.replicate < 1 || run.replicate > *replicates)
    return refuse(fmt::format("it is replicate {}, and {} of its cell were registered", run.replicate, *replicates));
  // Logs older than the terms have no seeds of unpaired runs.
  const std::uint64_t* seed = kernel::registered_seed(r, static_cast<std::size_t>(index), run.replicate);
  if (seed ? *seed != run.seed : r.pairing == kernel::Pairing::seed || r.terms)
    return refuse(fmt::format("its seed is {}, and another was registered", run.seed));
  if (!planned_[r.experiment][*cell].insert(run.replicate).second)
    refuse(fmt::format("replicate {} of its cell was planned before", run.replicate));
}

void RegistrationAudit::retried(const kernel::RunBoard& board, const kernel::RunsQueued& event, const PlannedRun& run,
                                int line) {
  const auto refuse = [&](const std::string& why) {
    findings_.add(RuleId::illegal_retry, log_file, line,
                  fmt::format("run {} repeats run {}, {}", run.number, run.retry_of, why));
  };
  const Run* earlier = board.run(run.retry_of);
  if (!earlier) return refuse("which there is not");
  const kernel::Cell* cell = element(event.cells, run.cell);
  const bool same = cell && *cell == board.cells[static_cast<std::size_t>(earlier->cell)] &&
                    run.seed == earlier->seed && run.replicate == earlier->replicate && run.stage == earlier->stage &&
                    event.purpose == earlier->purpose && event.experiment == earlier->experiment;
  if (!same) return refuse("but is not the same run: cell, seed or purpose differ");
  if (earlier->superseded) return refuse("which was repeated already");
  if (!may_be_retried(*earlier))
    refuse(fmt::format("which ended {} and did not ask for it", kernel::name(earlier->state)));
  if (run.attempt != earlier->attempt + 1) refuse("but does not count as its next attempt");
}

void RegistrationAudit::ended(const Study& study, const kernel::RunEnded& event, int line) {
  const Run* run = study.run(event.run);
  if (!run || run->experiment.empty() || !event.cached_from.empty()) return;
  const Experiment* experiment = study.experiment(run->experiment);
  const std::int64_t started = event.outcome.started_ms;
  if (!experiment || started == 0 || started >= experiment->registered_ms) return;
  if (older_.insert(run->experiment).second)
    findings_.add(RuleId::older_than_registration, log_file, line,
                  fmt::format("run {} says that it started {} ms before {} was registered", event.run,
                              experiment->registered_ms - started, quote(run->experiment.text())));
}

void RegistrationAudit::analysed(const Study& study, const kernel::ExperimentAnalysed& event, int line) {
  const Experiment* experiment = study.experiment(event.experiment);
  if (!experiment) return;
  const Registration& r = experiment->registration;
  const auto& cells = planned_[event.experiment];
  // Without looks, all registered runs; with looks, those that were due until the last one.
  const std::vector<int> due = kernel::looks_of(r).empty() || !can_be_computed(study)
                                   ? r.replicates
                                   : kernel::due_replicates(study, *experiment);
  for (std::size_t c = 0; c < r.cells.size() && c < due.size(); ++c) {
    const auto cell = cells.find(r.cells[c]);
    const int there = cell == cells.end() ? 0 : static_cast<int>(cell->second.size());
    if (there < due[c])
      findings_.add(RuleId::missing_run, log_file, line,
                    fmt::format("{} registered {} runs of its cell {}, and the log has {}",
                                quote(event.experiment.text()), due[c], c + 1, there));
  }
  for (const Run& run : study.runs)
    if (run.experiment == event.experiment && !run.ended())
      findings_.add(RuleId::missing_run, log_file, line,
                    fmt::format("run {} of {} was planned, and the log does not say how it ended", run.number,
                                quote(event.experiment.text())));
}

}  // namespace artifacts
