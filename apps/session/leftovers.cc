#include "apps/session/leftovers.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "executors/run_folder.h"
#include "kernel/state.h"
#include "memory/reader.h"

namespace session {

namespace fs = std::filesystem;

namespace {

bool has_ended(const nlohmann::json& run) {
  const std::string state = run.at("state");
  return state != "queued" && state != "starting" && state != "running";
}

/// Whether the run is over, or never was: what is in its folders is in the store, or is nobody's.
bool is_over(const memory::Reader& reader, const std::string& study, int number) {
  const auto document = reader.run(study + "-r" + std::to_string(number));
  return !document || has_ended(nlohmann::json::parse(*document));
}

/// The checkpoints of the chains that go on.
std::set<std::string> checkpoints_alive(const memory::Reader& reader, const std::string& study) {
  std::map<int, int> first_of;
  std::set<std::string> alive;
  reader.runs(study, [&](std::string_view document) {
    const auto run = nlohmann::json::parse(document);
    const int number = run.at("number");
    const auto& earlier = run.at("retry_of");
    const int first = earlier.is_null() ? number : first_of[kernel::run_number(earlier)];
    first_of[number] = first;
    if (!has_ended(run)) alive.insert(kernel::checkpoint_name(first));
  });
  return alive;
}

void remove_of_guests(const HomePaths& home, memory::Blobs& blobs) {
  const std::optional<HomeGuest> alone = HomeGuest::alone(home);
  if (!alone) return;
  blobs.remove_leftovers();
  std::error_code error, ignored;
  for (fs::directory_iterator attempt(home.tries(), error), end; !error && attempt != end; attempt.increment(error)) {
    // Who tried was killed; the job has its own time-out.
    const std::string run = attempt->path().string() + "/" + tried_run;
    if (executors::is_supervised(run)) continue;
    executors::remove_run_folder(run);
    fs::remove_all(attempt->path(), ignored);
  }
  for (fs::directory_iterator entry(home.workspaces(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    const std::size_t dot = name.find('.');
    if (dot != name.npos && memory::is_blob_name(name.substr(0, dot))) fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

int launched_run(const std::string& folder_name) {
  int number = 0;
  const auto [end, error] = std::from_chars(folder_name.data(), folder_name.data() + folder_name.size(), number);
  return error == std::errc() && (*end == '-' || *end == '\0') && number > 0 ? number : 0;
}

void remove_leftovers(const HomePaths& home, memory::Blobs& blobs) {
  remove_of_guests(home, blobs);
  std::error_code error;
  const memory::Reader reader(home.root);
  for (fs::directory_iterator study(home.runs(), error), end; !error && study != end; study.increment(error)) {
    const std::string id = study->path().filename();
    std::optional<std::set<std::string>> alive;
    const auto kept = [&](const std::string& name) {
      if (!alive) alive = checkpoints_alive(reader, id);
      return alive->contains(name);
    };
    for (fs::directory_iterator run(study->path(), error); !error && run != end; run.increment(error)) {
      const std::string name = run->path().filename();
      std::error_code ignored;
      if (const int number = launched_run(name); number > 0 && is_over(reader, id, number))
        executors::remove_run_folder(run->path());
      else if (number == 0 && !kept(name))
        fs::remove_all(run->path(), ignored);
    }
    // Stays where anything is left in it.
    std::error_code ignored;
    fs::remove(study->path(), ignored);
  }
}

}  // namespace session
