#include <filesystem>

#include "apps/session/leftovers.h"
#include "artifacts/write/package.h"
#include "executors/run_folder.h"
#include "memory/needs.h"

namespace session {

namespace fs = std::filesystem;

namespace {

void find_blobs(const HomePaths& home, const memory::Needs& needs, std::vector<Leftover>& found) {
  std::error_code error;
  for (fs::directory_iterator folder(home.blobs(), error), end; !error && folder != end; folder.increment(error)) {
    std::error_code unreadable;
    for (fs::directory_iterator blob(folder->path(), unreadable), last; !unreadable && blob != last;
         blob.increment(unreadable)) {
      const std::string sha256 = folder->path().filename().string() + blob->path().filename().string();
      // What is no blob is not ours to judge.
      if (memory::is_blob_name(sha256) && !needs.blobs.contains(sha256))
        found.push_back({LeftoverKind::blob, blob->path(), "no event names it"});
    }
  }
}

void find_kept(const HomePaths& home, const memory::Needs& needs, std::vector<Leftover>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(home.kept(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string hash = entry->path().filename();
    if (memory::is_blob_name(hash) && !needs.kept.contains(hash))
      found.push_back({LeftoverKind::kept, entry->path(), "its study has ended, and did not ask to retain it"});
  }
}

/// Their blobs and workspaces are in no event; a job that outlived its `try` may be about to copy them.
bool tries_go_on(const HomePaths& home) {
  std::error_code error;
  for (fs::directory_iterator attempt(home.tries(), error), end; !error && attempt != end; attempt.increment(error))
    if (executors::is_supervised(attempt->path().string() + "/" + tried_run)) return true;
  return false;
}

void find_workspaces(const HomePaths& home, const memory::Needs& needs, std::vector<Leftover>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(home.workspaces(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string hash = entry->path().filename();
    if (memory::is_blob_name(hash) && !needs.workspaces.contains(hash))
      found.push_back(
          {LeftoverKind::workspace, entry->path(), "no unfinished study uses it; it is made anew from blobs"});
  }
}

void find_reproductions(const HomePaths& home, const memory::Needs& needs, std::vector<Leftover>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(home.reproductions(), error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path();
    if (!entry->is_directory(error) || entry->is_symlink(error) || needs.outputs.contains(path)) continue;
    const std::string folder_name = entry->path().filename();
    if (folder_name.starts_with(".") && folder_name.ends_with(".etude-new"))
      found.push_back({LeftoverKind::half_written, path, "whoever wrote it was interrupted"});
    else if (artifacts::may_replace(path))
      found.push_back({LeftoverKind::reproduction, path, "its study has ended; `etude artifact` makes it again"});
  }
}

}  // namespace

std::vector<Leftover> unneeded(const HomePaths& home) {
  std::vector<Leftover> found;
  const memory::Needs needs = memory::needs_of(home.root);
  if (!tries_go_on(home)) {
    find_blobs(home, needs, found);
    find_workspaces(home, needs, found);
  }
  find_kept(home, needs, found);
  find_reproductions(home, needs, found);
  return found;
}

}  // namespace session
