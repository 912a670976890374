#include "apps/session/control/offline.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "apps/session/control/redact_commands.h"
#include "apps/session/home/system_clock.h"
#include "base/digest.h"
#include "kernel/decide/decide.h"
#include "kernel/domain/enum_names.h"
#include "kernel/domain/image_root.h"
#include "kernel/runs/job.h"
#include "kernel/study/continuation.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"

namespace session {

kernel::Problem refusal(const std::string& study, const std::string& reason) {
  return {"", 0, "study " + study, reason, ""};
}

namespace {

kernel::CommandOutcome store_decided(memory::Store& store, kernel::State& state, const kernel::Command& command,
                                     kernel::Time now) {
  const kernel::Decision decision = kernel::decide(state, command, {now, kernel::Draw(kernel::random_token(16))});
  for (const kernel::Event& event : decision.events) kernel::apply(state, event);
  if (!decision.events.empty()) store.append(decision.events, state);
  return decision.outcome;
}

/// Precondition: the home is ours.
kernel::Result<Recording> decide_and_store(const HomePaths& home, const kernel::Command& command) {
  memory::Store store(home.root);
  kernel::State state = store.load(command.study);
  kernel::Time now = SystemClock().now();
  // No kernel works on the study, so its boot clock keeps the value of the last event.
  if (const kernel::Study* study = state.study(command.study)) now.boot_ms = study->last_boot_ms;
  const kernel::CommandOutcome outcome = store_decided(store, state, command, now);
  if (const std::string* why = kernel::why_not(outcome)) return refusal(command.study, *why);
  return Recording::done;
}

}  // namespace

kernel::Result<Recording> record(const HomePaths& home, const kernel::Command& command, const std::string& config) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  return *lock ? decide_and_store(home, redacted(command, redactor_for(config))) : Recording::owned;
}

kernel::Result<Recording> record_amendment(const HomePaths& home, const executors::Backend& backend,
                                           const AmendRequest& request, const std::string& config) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  if (!*lock) return Recording::owned;
  memory::Blobs blobs(home.blobs());
  auto amendment = amendment_of(home, backend, blobs, request);
  if (!amendment) return amendment.problem();
  return decide_and_store(home,
                          redacted({request.study, kernel::person_actor, std::move(*amendment)}, redactor_for(config)));
}

kernel::Result<std::string> record_fork(const HomePaths& home, const ForkRequest& request) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  if (!*lock) return std::string();
  memory::Store store(home.root);
  const std::string id = "s" + std::to_string(store.next_study_number());
  auto fork = fork_of(home.root, request, id);
  if (!fork) return fork.problem();
  kernel::State state;
  store_decided(store, state, {id, kernel::person_actor, std::move(*fork)}, SystemClock().now());
  return id;
}

kernel::Result<std::string> record_capture(const HomePaths& home, const executors::Backend& backend,
                                           const CaptureRequest& request, const std::string& config) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  if (!*lock) return std::string();
  memory::Store store(home.root);
  memory::Blobs blobs(home.blobs());
  const std::string id = "s" + std::to_string(store.next_study_number());
  const SystemClock clock;
  CaptureRequest said = request;
  said.question = redactor_for(config)(said.question);
  kernel::State state;
  store_decided(
      store, state,
      {id, kernel::person_actor, kernel::OpenStudy{captured_study(backend, blobs, said, id, clock.boot_id())}},
      clock.now());
  return id;
}

kernel::Result<Recording> record_tagging(const HomePaths& home, const std::string& study, const kernel::Tagging& change,
                                         const std::string& config) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  if (!*lock) return Recording::owned;
  if (auto refused = refused_tagging(change, redactor_for(config))) return std::move(*refused);
  memory::Store store(home.root);
  if (auto problem = store.tag(study, change, SystemClock().now().wall_ms)) return std::move(*problem);
  return Recording::done;
}

kernel::Result<std::optional<Import>> import_offline(const HomePaths& home, const ImportRequest& request) {
  const auto lock = HomeLock::take(home);
  if (!lock) return lock.problem();
  if (!*lock) return std::optional<Import>();
  if (auto lost = lost_store(home)) return std::move(*lost);
  memory::Store store(home.root);
  memory::Blobs blobs(home.blobs());
  const auto copy = copy_artifact(request, &blobs);
  if (!copy) return copy.problem();
  const memory::TakenIn taken = store.take_in(copy->artifact, SystemClock().now().wall_ms);
  return std::optional(import_of(*copy, taken.id, taken.already));
}

std::vector<std::string> stopped_studies(const std::string& home, const std::set<std::string>& in_hand) {
  std::vector<std::string> stopped;
  memory::Reader(home).studies([&](std::string_view document) {
    const auto study = nlohmann::json::parse(document);
    const auto is_paused_for = [&](kernel::PauseReason reason) { return study.at("reason") == name(reason); };
    // A capture is left out, unless it has commands that run or wait.
    const auto& runs = study.at("runs");
    if (study.value("stage", "") == "capturing" &&
        runs.value("running", 0) + runs.value("starting", 0) + runs.value("queued", 0) == 0)
      return;
    if (study.at("state") == "running" && in_hand.contains(study.at("id").get<std::string>())) return;
    if (study.at("state") == "running" || is_paused_for(kernel::PauseReason::interrupted) ||
        is_paused_for(kernel::PauseReason::disk))
      stopped.push_back(study.at("id"));
  });
  return stopped;
}

std::string missing_output(const kernel::Study& study, const HomePaths& home) {
  std::vector<std::string> needed;
  if (const auto& setup = study.environment.setup)
    for (const std::string& entry : setup->entries) needed.push_back(setup->key.text() + "/" + entry);
  if (const auto image = kernel::image_of(study.environment.toolchain); image && !image->starts_with("/"))
    needed.push_back(*image);
  for (const kernel::Run& run : study.runs) {
    if (run.ended()) continue;
    for (const int need : run.needs)
      for (const kernel::KeptOutput& kept : study.latest(*study.run(need)).kept)
        if (!kept.name.empty()) needed.push_back(kernel::kept_place(kept));
    for (const kernel::KeptOutput* kept : kernel::continued_by(study, run)) needed.push_back(kernel::kept_place(*kept));
  }
  for (const std::string& place : needed)
    if (const auto path = std::filesystem::path(home.kept()) / place;
        !std::filesystem::exists(std::filesystem::symlink_status(path)))
      return path;
  return "";
}

std::string missing_evaluator_data(const kernel::StudyTerms& terms) {
  std::error_code error;
  for (const kernel::SealedData& data : terms.sealed)
    if (!std::filesystem::exists(data.path, error)) return data.path;
  return "";
}

bool only_recorded(const kernel::CommandBody& body) {
  if (const auto* pause = std::get_if<kernel::Pause>(&body)) return pause->reason != kernel::PauseReason::interrupted;
  return std::holds_alternative<kernel::Steer>(body) || std::holds_alternative<kernel::RecordNode>(body) ||
         std::holds_alternative<kernel::DecideGate>(body) || std::holds_alternative<kernel::WithdrawHypothesis>(body) ||
         std::holds_alternative<kernel::AmendWorkspace>(body);
}

}  // namespace session
