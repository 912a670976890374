#include "apps/session/control/resumable.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "kernel/runs/job.h"
#include "memory/store/reader.h"

namespace session {

std::vector<std::string> stopped_studies(const std::string& home, const std::set<std::string>& in_hand) {
  std::vector<std::string> stopped;
  memory::Reader(home).studies([&](std::string_view document) {
    const auto study = nlohmann::json::parse(document);
    const auto& reason = study.at("reason");
    // Only its running commands continue by themselves.
    const auto& runs = study.at("runs");
    if (study.value("stage", "") == "capturing" &&
        runs.value("running", 0) + runs.value("starting", 0) + runs.value("queued", 0) == 0)
      return;
    if (study.at("state") == "running" && in_hand.contains(study.at("id").get<std::string>())) return;
    if (study.at("state") == "running" || reason == "interrupted" || reason == "disk")
      stopped.push_back(study.at("id"));
  });
  return stopped;
}

std::string missing_output(const kernel::Study& study, const HomePaths& home) {
  std::vector<std::string> needed;
  if (const auto& setup = study.environment.setup)
    for (const std::string& entry : setup->entries) needed.push_back(setup->key.text() + "/" + entry);
  for (const kernel::Run& run : study.runs) {
    if (run.ended()) continue;
    for (const int need : run.needs)
      for (const kernel::KeptOutput& kept : study.latest(*study.run(need)).kept)
        if (!kept.name.empty()) needed.push_back(kernel::kept_place(kept));
  }
  for (const std::string& place : needed)
    if (const auto path = std::filesystem::path(home.kept()) / place;
        !std::filesystem::exists(std::filesystem::symlink_status(path)))
      return path;
  return "";
}

std::string missing_evaluator_data(const kernel::Study& study) {
  std::error_code error;
  for (const kernel::SealedData& data : study.sealed)
    if (!std::filesystem::exists(data.path, error)) return data.path;
  return "";
}

bool only_recorded(const kernel::CommandBody& body) {
  if (const auto* pause = std::get_if<kernel::Pause>(&body)) return pause->reason != "interrupted";
  return std::holds_alternative<kernel::Steer>(body) || std::holds_alternative<kernel::RecordNode>(body) ||
         std::holds_alternative<kernel::DecideGate>(body) || std::holds_alternative<kernel::WithdrawHypothesis>(body) ||
         std::holds_alternative<kernel::AmendWorkspace>(body);
}

}  // namespace session
