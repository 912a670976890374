#pragma once
// A request to start a study: the parsed study, what the caller chose, and the default values of those choices.
// Starting it is the task of `Session`.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/domain/code_records.h"
#include "kernel/domain/records.h"
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
  int jobs = 0;            ///< 0: as many as the machine's cores carry.
  std::string output;      ///< Absolute folder for the artifact.
  std::string reproduces;  ///< The artifact that it runs again; else empty.
  std::optional<kernel::ReproductionTerms> reproduction{};
  std::string recorded_log{};               ///< That artifact's, which is kept as a blob.
  std::optional<CodeFolder> scoring{};      ///< That artifact's, where it is not the jobs'.
  std::optional<CodeFolder> set_up_from{};  ///< Likewise.
  /// That artifact's versions of the code, and where each lies.
  std::vector<std::pair<kernel::CodeVersion, std::string>> versions{};
  std::map<std::string, std::string> environment;  ///< Of whoever starts it.
  std::string request;                             ///< The starter's own word for it; see StudyOpened.
};

/// The artifact's folder for a study file: `<stem>-ara` beside it.
std::string default_output(const std::string& study_file);
/// As many jobs as the cores carry at the study's cpus each.
int default_jobs(int cores, const kernel::StudySpec&);

}  // namespace session
