#pragma once
// Prepares the record of a person's own work: finds the open study of a folder, opens a study that captures the work
// there, and prepares a person's commands in addition to a study's runs. Reads the store and freezes folders; the owner
// of the home decides and records.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "base/redact.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/commands.h"
#include "memory/files/blobs.h"

namespace session {

/// The newest unfinished study whose workspace is the folder or contains it; empty if there is none.
std::string open_study(const HomePaths&, const std::string& folder);

struct CaptureRequest {
  std::string folder;    ///< Absolute.
  std::string question;  ///< Empty for a default question.
};

/// The event that opens a study `id` which captures the work in a folder. Its workspace is empty: every run has its
/// own.
kernel::StudyOpened captured_study(const executors::Backend&, memory::Blobs&, const CaptureRequest&,
                                   const std::string& id, const std::string& boot_id);

/// A command of a person.
struct ExecRequest {
  std::string study;
  std::vector<std::string> arguments;
  std::string folder;                              ///< The person's working directory, absolute.
  std::map<std::string, std::string> environment;  ///< The person's variables.
  bool sandbox = false;    ///< Runs it in a copy and in the sandbox, also if the study is a capture.
  int cpus = 0, gpus = 0;  ///< 0: as the study's runs.
  double timeout_s = 0;    ///< 0: only the study's time-out.
  std::string request;     ///< A token of the sender, by which the run is found again.
};

/// A problem if a shell in that folder would not find the program.
std::optional<kernel::Problem> missing_program(const ExecRequest&);

/// The order, with the present code and environment. The code is the folder itself for a captured study, and the
/// study's workspace for any other. A problem: no such program, a folder that cannot be frozen, a key in the command.
kernel::Result<kernel::OrderScratch> order_by_hand(const HomePaths&, const executors::Backend&, memory::Blobs&,
                                                   const kernel::StudyTerms&, const ExecRequest&,
                                                   const kernel::Redactor&);

/// The run of a person's order; 0 if there is none.
int ordered_run(const HomePaths&, const std::string& study, const std::string& request);

}  // namespace session
