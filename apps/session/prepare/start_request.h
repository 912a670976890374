#pragma once
// A request to start a study: the parsed study, what the caller chose, and the default values of those choices.
// Starting it is the task of `Session`.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/domain/search_records.h"
#include "kernel/domain/study_spec.h"

namespace session {

/// A folder with code that is not the study's own workspace, and the hash that the folder must have.
struct CodeFolder {
  std::string path;
  kernel::WorkspaceHash hash;
};

/// A study to start: what was parsed, and what the caller chose.
struct StartRequest {
  kernel::StudySpec spec;
  std::string text;        ///< The study file's bytes.
  int jobs = 0;            ///< 0 for as many as the machine's cores allow.
  std::string output;      ///< Absolute folder for the artifact.
  std::string reproduces;  ///< The artifact that it reproduces; else empty.
  std::optional<kernel::ReproductionTerms> reproduction{};
  std::string recorded_log{};               ///< That artifact's log, which is kept as a blob.
  std::optional<CodeFolder> scoring{};      ///< That artifact's evaluator code, if it differs from the jobs' code.
  std::optional<CodeFolder> set_up_from{};  ///< The same for the code that the environment is set up from.
  /// That artifact's versions of the code, with their folders.
  std::vector<std::pair<kernel::CodeVersion, std::string>> versions{};
  std::map<std::string, std::string> environment;  ///< The caller's variables.
  std::string request;                             ///< The caller's token for this request; see StudyOpened.
};

/// The artifact's folder for a study file: `<stem>-ara` next to it.
std::string default_output(const std::string& study_file);
/// As many jobs as the cores carry at the study's cpus each.
int default_jobs(int cores, const kernel::StudySpec&);

}  // namespace session
