#include "apps/session/watch/run_log_text.h"

#include <nlohmann/json.hpp>

#include "memory/files/blobs.h"

namespace session {

std::string printed_by(const HomePaths& home, const executors::Backend& backend, const nlohmann::json& run,
                       executors::Stream stream, const kernel::Redactor& redact) {
  if (run.at("ended").is_string()) {
    const auto& blob = run.at("blobs").at(stream == executors::Stream::out ? "stdout" : "stderr");
    return blob.is_string() ? memory::Blobs(home.blobs()).get(blob) : std::string();
  }
  if (!run.at("launch").is_string()) return "";
  return redact(backend.harvest(home.run_folder(run.at("study"), run.at("launch"))).log(stream));
}

bool is_log_withheld(const nlohmann::json& run) {
  return run.value("withheld", false) && (run.at("state") == "succeeded" || run.at("state") == "invalid");
}

}  // namespace session
