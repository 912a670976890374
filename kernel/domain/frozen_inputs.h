#pragma once
// What a study is opened on, frozen and identified: its code, data, programs and environment. Plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/job_spec.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// Content-addressed bytes in the store.
struct BlobRef {
  std::string sha256;  ///< Empty: there is none.
  std::int64_t bytes = 0;
};

/// A file of the workspace that no job may change.
struct ProtectedFile {
  std::string path;  ///< Below the workspace.
  std::string sha256;
};

/// A workspace, frozen: what every run gets a copy of.
struct WorkspaceRecord {
  WorkspaceHash hash;  ///< SHA-256 of the manifest, which is a blob of that name.
  std::int64_t files = 0, bytes = 0;
  std::vector<ProtectedFile> protect;  ///< What `evaluator.protect` names, by path.
  std::string by{};                    ///< The agent's role that wrote it; empty: a person.
};

/// An input folder or file, identified once.
struct DataRecord {
  std::string name, path, identity;  ///< identity: "sha256:…", "manifest:…" or "declared:…".
};

/// What an evaluator reads and no job may see, identified once.
struct SealedData {
  Tier tier = Tier::none;
  std::string place, path, identity;  ///< place: SealedPath::place; identity: "sha256:…".
};

/// A program the run command names, as found outside and used inside.
struct ProgramRecord {
  std::string name, path, version;
};

/// What `environment.setup` left, in HOME/kept/KEY.
struct SetupRecord {
  SetupKey key;
  std::vector<std::string> entries;  ///< Names at the top of the working directory.
};

struct EnvironmentRecord {
  Toolchain toolchain;
  std::vector<ProgramRecord> programs;
  std::map<std::string, std::string> machine;  ///< "cpu", "cores", "memory", "os", "kernel", …
  /// What jobs get of the environment the study was started in: locale, time zone, and what `environment.pass` names.
  /// None in logs older than this: taken from whoever launches.
  std::optional<std::map<std::string, std::string>> passed;
  std::optional<SetupRecord> setup;  ///< None: nothing is to be set up, or it is not yet.
  /// Interpreter → library → version, as its installation lists them. None in logs older than this.
  std::map<std::string, std::map<std::string, std::string>> libraries{};
};

}  // namespace kernel
