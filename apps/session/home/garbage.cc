#include "apps/session/home/garbage.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "artifacts/write/package.h"
#include "base/remove_tree.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/job.h"
#include "kernel/study/state.h"
#include "memory/files/blobs.h"
#include "memory/store/event_files.h"
#include "memory/store/reader.h"

namespace session {

namespace fs = std::filesystem;

namespace {

constexpr const char* interrupted = "writing it was interrupted";

/// What the folder holds; nothing if it cannot be read.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(*entry);
  return entries;
}

bool has_ended(const nlohmann::json& run) {
  const auto state = kernel::named<kernel::RunState>(run.at("state").get<std::string>());
  return state && is_end(*state);
}

/// Tells whether a folder is of a recorded launch that has not ended.
class Launches {
 public:
  Launches(const memory::Reader& reader, const std::string& study) {
    try {
      const kernel::State state = reader.load_active(study);
      if (const kernel::Study* known = state.study(study))
        for (const int number : known->live) alive_.insert(kernel::launch_name(known->run(number)->token));
    } catch (const memory::StoreFault&) {
      unknown_ = true;  // Keep what is unknown; resuming the study reports the fault.
    }
  }
  bool may_live(const std::string& folder_name) const { return unknown_ || alive_.contains(folder_name); }

 private:
  std::set<std::string> alive_;
  bool unknown_ = false;
};

/// The checkpoints of unfinished chains.
std::set<std::string> checkpoints_alive(const memory::Reader& reader, const std::string& study) {
  std::map<int, std::string> first_of;  ///< The first launch of each run's chain; empty if there is none yet.
  std::set<std::string> alive;
  reader.runs(study, [&](std::string_view document) {
    const auto run = nlohmann::json::parse(document);
    const auto& earlier = run.at("retry_of");
    const auto& launch = run.at("launch");
    std::string& first = first_of[run.at("number")];
    if (!earlier.is_null())
      first = first_of[kernel::run_number(earlier)];
    else if (launch.is_string())
      first = launch;
    if (!has_ended(run)) alive.insert(std::string(kernel::checkpoint_prefix) + first);
  });
  return alive;
}

void find_of_guests(const HomePaths& home, const executors::Backend& backend, std::vector<Garbage>& found) {
  for (const std::string& place : {home.blobs(), home.kept()})
    for (const fs::directory_entry& draft : entries_of(place + "/tmp"))
      found.push_back({GarbageKind::half_written, draft.path(), interrupted});
  for (const fs::directory_entry& attempt : entries_of(home.tries()))
    // The `try` was killed; its job ends by its own time-out.
    if (!backend.is_supervised(attempt.path() / tried_run))
      found.push_back({GarbageKind::try_folder, attempt.path(), "its job is over"});
  for (const fs::directory_entry& entry : entries_of(home.workspaces())) {
    const std::string folder_name = entry.path().filename();
    const std::size_t dot = folder_name.find('.');
    if (dot != folder_name.npos && memory::is_blob_name(folder_name.substr(0, dot)))
      found.push_back({GarbageKind::half_written, entry.path(), interrupted});
  }
}

/// The folders of launches and checkpoints by study, as their paths in the home: also those that only lie elsewhere.
std::map<fs::path, std::set<fs::path>> launch_folders(const HomePaths& home, const executors::Backend& backend) {
  std::map<fs::path, std::set<fs::path>> folders;
  for (const fs::directory_entry& study : entries_of(home.runs()))
    for (const fs::directory_entry& run : entries_of(study.path())) {
      std::error_code gone;  // Files there are the executor's own notes.
      if (run.is_directory(gone)) folders[study.path()].insert(run.path());
    }
  for (const executors::Elsewhere& thing : backend.elsewhere(home.root))
    if (const fs::path of(thing.of); of.parent_path().parent_path() == home.runs())
      folders[of.parent_path()].insert(of);
  return folders;
}

void find_of_runs(const HomePaths& home, const executors::Backend& backend, std::vector<Garbage>& found) {
  const auto studies = launch_folders(home, backend);
  if (studies.empty()) return;
  const memory::Reader reader(home.root);
  for (const auto& [study, folders] : studies) {
    const std::string id = study.filename();
    std::optional<std::set<std::string>> alive;
    std::optional<Launches> launches;
    const auto recorded = [&](const std::string& launch) {
      if (!launches) launches.emplace(reader, id);
      return launches->may_live(launch);
    };
    const auto kept = [&](const std::string& checkpoint) {
      if (!alive) alive = checkpoints_alive(reader, id);
      return alive->contains(checkpoint);
    };
    for (const fs::path& run : folders) {
      const std::string folder_name = run.filename();
      if (folder_name.starts_with(kernel::checkpoint_prefix)) {
        if (!kept(folder_name)) found.push_back({GarbageKind::checkpoint, run, "no attempt will read it"});
      } else if (!recorded(folder_name)) {
        found.push_back({GarbageKind::run_folder, run, "no run uses it"});
      }
    }
  }
}

void find_blobs(const HomePaths& home, const memory::Retention& needs, std::vector<Garbage>& found) {
  for (const fs::directory_entry& folder : entries_of(home.blobs()))
    for (const fs::directory_entry& blob : entries_of(folder.path())) {
      const std::string sha256 = folder.path().filename().string() + blob.path().filename().string();
      // Only files that are blobs may be deleted here.
      if (memory::is_blob_name(sha256) && !needs.blobs.contains(sha256))
        found.push_back({GarbageKind::blob, blob.path(), "no event names it"});
    }
}

void find_kept(const HomePaths& home, const memory::Retention& needs, std::vector<Garbage>& found) {
  for (const fs::directory_entry& entry : entries_of(home.kept())) {
    const std::string hash = entry.path().filename();
    if (memory::is_blob_name(hash) && !needs.kept.contains(hash))
      found.push_back({GarbageKind::kept, entry.path(), "its study has ended, and did not ask to retain it"});
  }
}

/// Whether a job of `try` still runs. No event names its blobs, workspace and image, but it may still need them.
bool tries_go_on(const HomePaths& home, const executors::Backend& backend) {
  return std::ranges::any_of(entries_of(home.tries()), [&](const fs::directory_entry& attempt) {
    return backend.is_supervised(attempt.path() / tried_run);
  });
}

void find_workspaces(const HomePaths& home, const memory::Retention& needs, std::vector<Garbage>& found) {
  for (const fs::directory_entry& entry : entries_of(home.workspaces())) {
    const std::string hash = entry.path().filename();
    if (memory::is_blob_name(hash) && !needs.workspaces.contains(hash))
      found.push_back(
          {GarbageKind::workspace, entry.path(), "no unfinished study uses it; it is made anew from blobs"});
  }
}

void find_reproductions(const HomePaths& home, const memory::Retention& needs, std::vector<Garbage>& found) {
  std::error_code error;
  for (const fs::directory_entry& entry : entries_of(home.reproductions())) {
    const std::string path = entry.path();
    if (!entry.is_directory(error) || entry.is_symlink(error) || needs.outputs.contains(path)) continue;
    const std::string folder_name = entry.path().filename();
    if (folder_name.starts_with(".") && folder_name.ends_with(".etude-new"))
      found.push_back({GarbageKind::half_written, path, interrupted});
    else if (artifacts::may_replace(path))
      found.push_back({GarbageKind::reproduction, path, "its study has ended; `etude artifact` makes it again"});
  }
}

/// `found`: what is deleted of the home.
void find_copies(const HomePaths& home, const executors::Backend& backend, std::vector<Garbage>& found) {
  const std::vector<executors::Elsewhere> things = backend.elsewhere(home.root);
  std::set<std::string> going;
  for (const Garbage& garbage : found) going.insert(garbage.path);
  const auto stays = [&](const std::string& path) {
    std::error_code error;
    return !going.contains(path) && fs::exists(fs::symlink_status(path, error));
  };
  bool launches = false;
  for (const auto& [path, of] : things) {
    if (of.empty()) continue;
    const bool launch = fs::path(of).parent_path().parent_path() == home.runs();
    const bool attempt = of.starts_with(home.tries() + "/");
    const bool goes_on = launch ? !going.contains(of) : attempt && backend.is_supervised(of + "/" + tried_run);
    launches = launches || goes_on;
    // Launches were judged before.
    if (!launch && !goes_on && !stays(of))
      found.push_back({GarbageKind::copy, path, "a copy for nodes, which no run needs"});
  }
  if (launches) return;
  for (const auto& [path, of] : things)
    if (of.empty()) found.push_back({GarbageKind::copy, path, "no run is going on that it started"});
}

}  // namespace

std::vector<Garbage> leftovers(const HomePaths& home, const executors::Backend& backend, bool alone) {
  std::vector<Garbage> found;
  if (alone) find_of_guests(home, backend, found);
  find_of_runs(home, backend, found);
  return found;
}

void remove_leftovers(const HomePaths& home, const executors::Backend& backend) {
  const std::optional<HomeGuest> alone = HomeGuest::alone(home);
  for (const Garbage& garbage : leftovers(home, backend, alone.has_value())) remove(garbage, backend);
  // The folder of a study stays where anything is left in it.
  std::error_code ignored;
  for (const fs::directory_entry& study : entries_of(home.runs())) fs::remove(study.path(), ignored);
}

std::vector<Garbage> collectable(const HomePaths& home, const executors::Backend& backend,
                                 std::vector<Garbage> leftovers) {
  std::vector<Garbage> found = std::move(leftovers);
  const memory::Retention needs = memory::retention_of(home.root);
  if (!tries_go_on(home, backend)) {
    find_blobs(home, needs, found);
    find_workspaces(home, needs, found);
    find_kept(home, needs, found);
  }
  find_reproductions(home, needs, found);
  find_copies(home, backend, found);
  return found;
}

void remove(const Garbage& garbage, const executors::Backend& backend) {
  const fs::path path = garbage.path;
  std::error_code ignored;
  switch (garbage.kind) {
    case GarbageKind::run_folder:
      // A failing disk may have lost the record of a launch that still runs. It must end before its replacement starts.
      if (!backend.end_stray(path)) return;
      backend.remove(path);
      fs::remove(path.parent_path(), ignored);  // Stays if it is not empty.
      return;
    case GarbageKind::try_folder:
      backend.remove((path / tried_run).string());
      break;
    case GarbageKind::workspace:
    case GarbageKind::reproduction: {
      // A partly deleted folder would look damaged, so it is first renamed to a name for drafts.
      const fs::path draft = garbage.kind == GarbageKind::workspace
                                 ? fs::path(garbage.path + ".gone")
                                 : path.parent_path() / ("." + path.filename().string() + ".etude-new");
      kernel::remove_tree(draft);
      fs::rename(path, draft, ignored);
      kernel::remove_tree(draft);
      return;
    }
    case GarbageKind::blob:
    case GarbageKind::kept:
    case GarbageKind::half_written:
    case GarbageKind::copy:
      break;
    case GarbageKind::checkpoint:
      backend.remove(path);
      break;
  }
  kernel::remove_tree(path);
  if (garbage.kind == GarbageKind::checkpoint) fs::remove(path.parent_path(), ignored);
}

std::int64_t size_of(const Garbage& garbage, const std::vector<executors::Elsewhere>& elsewhere) {
  std::int64_t bytes = 0;
  std::error_code error;
  const auto add = [&bytes](const fs::directory_entry& entry) {
    std::error_code unreadable;
    if (!entry.is_symlink(unreadable) && entry.is_regular_file(unreadable)) {
      const auto size = entry.file_size(unreadable);
      if (!unreadable) bytes += static_cast<std::int64_t>(size);
    }
  };
  const auto add_all = [&add, &error](const std::string& path) {
    add(fs::directory_entry(path, error));
    constexpr auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(path, skip, error), end; !error && it != end; it.increment(error))
      add(*it);
  };
  add_all(garbage.path);
  const bool of_launch = garbage.kind == GarbageKind::run_folder || garbage.kind == GarbageKind::checkpoint;
  for (const auto& [path, of] : elsewhere)
    if (of_launch && of == garbage.path) add_all(path);
  return bytes;
}

std::string_view name(GarbageKind kind) {
  static constexpr std::array names = {"blob",       "kept",       "half-written", "workspace", "run-folder",
                                       "checkpoint", "try-folder", "reproduction", "copy"};
  static_assert(names.size() == static_cast<std::size_t>(GarbageKind::copy) + 1);
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace session
