#include "apps/session/leftovers.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "memory/reader.h"

namespace session {

namespace fs = std::filesystem;

namespace {

/// Whether the run is over, or never was: what is in its folder is in the store, or is nobody's.
bool is_over(const memory::Reader& reader, const std::string& run_id) {
  const auto document = reader.run(run_id);
  if (!document) return true;
  const auto run = nlohmann::json::parse(*document);
  const std::string state = run.at("state");
  return state != "queued" && state != "starting" && state != "running";
}

}  // namespace

void remove_leftovers(const HomePaths& home) {
  std::error_code error;
  const memory::Reader reader(home.root);
  for (fs::directory_iterator study(home.runs(), error), end; !error && study != end; study.increment(error)) {
    const std::string id = study->path().filename();
    for (fs::directory_iterator run(study->path(), error); !error && run != end; run.increment(error)) {
      std::error_code ignored;
      if (is_over(reader, id + "-r" + run->path().filename().string())) fs::remove_all(run->path(), ignored);
    }
    // Stays where anything is left in it.
    std::error_code ignored;
    fs::remove(study->path(), ignored);
  }
}

}  // namespace session
