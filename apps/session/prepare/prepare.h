#pragma once
// Prepares a study before it starts, and again when its code is amended: freezes its workspace, identifies its data,
// finds its programs and checks the sandbox. Writes blobs and frozen workspaces; creates and changes no study.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/event.h"
#include "kernel/domain/records.h"
#include "kernel/domain/search_records.h"
#include "kernel/domain/study_spec.h"
#include "memory/files/blobs.h"

namespace session {

/// A folder with code that is not the study's own workspace, and the hash that the folder must have.
struct CodeFolder {
  std::string path;
  kernel::WorkspaceHash hash;
};

/// A study to start: the parsed study file, and the caller's choices.
struct StartRequest {
  kernel::StudySpec spec;
  std::string text;  ///< The study file's bytes.
  int jobs = 0;      ///< 0 for as many as the machine's cores allow.
  int priority = 0;
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
/// The number of jobs that the cores allow, with the CPUs that each run of the study needs.
int default_jobs(int cores, const kernel::StudySpec&);

struct Prepared {
  kernel::WorkspaceRecord workspace;
  kernel::EnvironmentRecord environment;
  std::vector<kernel::DataRecord> data;
  std::vector<kernel::SealedData> sealed;
  std::string sealed_manifest;  ///< StudyOpened::sealed_manifest
  kernel::SetupKey setup_key;   ///< StudySpec::setup_key
  std::vector<kernel::PaidAnswers> answers;
  std::vector<std::string> warnings;
};

/// `own`: the environment variables of the process that starts the study; programs are found by its PATH. `untrusted`:
/// the study comes from an artifact, not from the person who runs it.
kernel::Result<Prepared> prepare(const HomePaths&, const executors::Backend&, memory::Blobs&, const kernel::StudySpec&,
                                 const std::map<std::string, std::string>& own, bool untrusted);

/// Why the study runs in a sandbox or not at all; empty if weaker walls will do.
std::string why_sandbox(const kernel::StudySpec&);
/// A warning if the study runs with weaker walls, since this machine can make no sandbox.
std::optional<kernel::Problem> weaker_walls(const executors::Backend&, const kernel::StudySpec&,
                                            const std::map<std::string, std::string>& own);

/// Puts the code where evaluators look for it. A problem if it does not have its hash.
kernel::Result<kernel::WorkspaceRecord> frozen_code(const HomePaths&, memory::Blobs&, const CodeFolder&);

struct AmendRequest {
  std::string study, why;
};

/// Writes blobs and the frozen workspace; changes no study. A problem: there is no such study, it reproduces another
/// one, or its data, evaluator, protected files or environment set-up have changed.
kernel::Result<kernel::AmendWorkspace> amendment_of(const HomePaths&, const executors::Backend&, memory::Blobs&,
                                                    const AmendRequest&);

}  // namespace session
