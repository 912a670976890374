#pragma once
// The frozen and identified inputs of a study: code, data, programs and environment. Plain values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/job_spec.h"

namespace kernel {

/// Content-addressed bytes in the store.
struct BlobRef {
  std::string sha256;  ///< Empty if there is no blob.
  std::int64_t bytes = 0;
};

/// A file of the workspace that no job may change.
struct ProtectedFile {
  std::string path;  ///< Relative to the workspace.
  std::string sha256;
};

/// What a line of code reads or does, apart from the arguments of its command.
enum class CodeRead { parameters, seed, token, clock, sleep };

/// A line of code that does so, found by its words; it may never be executed.
struct CodeLine {
  CodeRead reads = CodeRead::parameters;
  std::string place;      ///< "FILE:LINE: text"
  bool by_agent = false;  ///< An agent wrote the line.
  bool reported = false;  ///< What it reads reaches a line of the file that reports values or sets a seed.
};

/// A file or folder that .gitignore or .etudeignore keeps out of a workspace.
struct IgnoredEntry {
  std::string path;  ///< Seen from the workspace; of a folder with a slash at its end.
  std::int64_t bytes = 0;
};
/// All of them; a folder counts as one.
struct IgnoredFiles {
  std::int64_t count = 0, bytes = 0;
  std::vector<IgnoredEntry> largest{};  ///< The largest first; at most 40.
  bool empty() const { return count == 0; }
};

/// A frozen workspace; every run gets a copy of it.
struct WorkspaceRecord {
  WorkspaceHash hash;  ///< SHA-256 of the manifest; the manifest is stored as a blob under it.
  std::int64_t files = 0, bytes = 0;
  std::vector<ProtectedFile> protect;    ///< Files that `evaluator.protect` names, by path.
  std::string by{};                      ///< The agent's role that wrote it; empty for a person.
  std::vector<std::string> seed_pins{};  ///< "FILE:LINE: text" of code that sets a seed to a constant; the first few.
  std::vector<CodeLine> reads{};         ///< The first few of each kind; none in older logs.
  IgnoredFiles ignored{};
};

/// An input folder or file, identified once.
struct DataRecord {
  std::string name, path, identity;  ///< identity: "sha256:…", "manifest:…" or "declared:…".
};

/// A file or folder that only the evaluator may read, identified once.
struct SealedData {
  Tier tier = Tier::none;
  std::string place, path, identity;  ///< place: SealedPath::place; identity: "sha256:…".
};

/// A file of a model's answers among a study's inputs, and what it says that they cost. Paid before the study, so no
/// part of its budget.
struct PaidAnswers {
  std::string file;   ///< Its path in the workspace, or its name among the data.
  std::string hash;   ///< SHA-256.
  std::string model;  ///< Its name in the configuration that asked it.
  std::int64_t answers = 0;
  std::int64_t tokens = 0;      ///< With what may have been paid without an answer.
  std::optional<double> usd{};  ///< None if the model had no price.
};

/// A program that the run command names, found outside the sandbox and used inside.
struct ProgramRecord {
  std::string name, path, version;
};

/// What `environment.setup` produced, in HOME/kept/KEY.
struct SetupRecord {
  SetupKey key;
  std::vector<std::string> entries;  ///< Names at the top level of the working directory.
};

struct EnvironmentRecord {
  Toolchain toolchain;
  std::vector<ProgramRecord> programs;
  std::map<std::string, std::string> machine;  ///< "cpu", "cores", "memory", "os", "kernel", …
  /// Variables that jobs get from the environment in which the study started: locale, time zone and `environment.pass`.
  /// None in older logs: taken from the launching process.
  std::optional<std::map<std::string, std::string>> passed;
  std::optional<SetupRecord> setup;  ///< None if no set-up is declared or it has not run yet.
  /// Interpreter → library → version, as its installation lists them. None in older logs.
  std::map<std::string, std::map<std::string, std::string>> libraries{};
};

}  // namespace kernel
