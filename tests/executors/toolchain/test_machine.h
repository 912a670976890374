#pragma once
// A machine for tests of the toolchain: a home, a PATH and a workspace in a temporary folder, the record of what a
// command finds there, and what the command prints in a sandbox with it.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "executors/toolchain/toolchain.h"
#include "tests/executors/fixture.h"

namespace test {

inline void program(const std::string& path, const std::string& text) {
  write(path, text);
  chmod(path.c_str(), 0755);
}

/// A machine of our own: a home, a PATH, a workspace.
struct Machine {
  Folder folder;
  executors::EnvironmentQuery query;
  std::map<std::string, std::string> own;

  explicit Machine(const std::string& command) {
    std::filesystem::create_directories(folder / "home");
    std::filesystem::create_directories(folder / "ws");
    query.commands = {{true, {command}}};
    query.workspace = query.folder = folder / "ws";
    own = {{"HOME", folder / "home"}, {"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  }
  void prepend(const std::string& entry) { own["PATH"] = (folder / entry) + ":" + own["PATH"]; }
  kernel::Result<kernel::EnvironmentRecord> resolve() const { return executors::resolve_environment(query, own); }
  std::string refusal() const {
    const auto result = resolve();
    REQUIRE_FALSE(result);
    return result.problem().text();
  }
  kernel::EnvironmentRecord record() const {
    auto result = resolve();
    INFO((result ? "" : result.problem().text()));
    REQUIRE(result);
    return *result;
  }
};

inline bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// What `command` prints in a sandbox with this toolchain.
inline std::string seen_inside(const Machine& machine, const kernel::EnvironmentRecord& record) {
  Bench bench;
  auto job = bench.job("r1", "");
  job.command = machine.query.commands[0];
  job.workspace = machine.query.workspace;
  job.toolchain = record.toolchain;
  const auto outcome = bench.run(job);
  INFO(kernel::newest_words(outcome.reason) << errors_of(job));
  CHECK(outcome.exit == 0);
  return output_of(job);
}

}  // namespace test
