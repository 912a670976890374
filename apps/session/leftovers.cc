#include "apps/session/leftovers.h"

#include <charconv>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "executors/run_folder.h"

#include "memory/reader.h"

namespace session {

namespace fs = std::filesystem;

namespace {

/// Whether the run is over, or never was: what is in its folders is in the store, or is nobody's.
bool is_over(const memory::Reader& reader, const std::string& study, int number) {
  const auto document = reader.run(study + "-r" + std::to_string(number));
  if (!document) return true;
  const auto run = nlohmann::json::parse(*document);
  const std::string state = run.at("state");
  return state != "queued" && state != "starting" && state != "running";
}

}  // namespace

int launched_run(const std::string& folder_name) {
  int number = 0;
  const auto [end, error] = std::from_chars(folder_name.data(), folder_name.data() + folder_name.size(), number);
  return error == std::errc() && (*end == '-' || *end == '\0') && number > 0 ? number : 0;
}

void remove_leftovers(const HomePaths& home) {
  std::error_code error;
  const memory::Reader reader(home.root);
  for (fs::directory_iterator study(home.runs(), error), end; !error && study != end; study.increment(error)) {
    const std::string id = study->path().filename();
    for (fs::directory_iterator run(study->path(), error); !error && run != end; run.increment(error)) {
      const int number = launched_run(run->path().filename());
      if (number > 0 && is_over(reader, id, number)) executors::remove_run_folder(run->path());
    }
    // Stays where anything is left in it.
    std::error_code ignored;
    fs::remove(study->path(), ignored);
  }
}

}  // namespace session
