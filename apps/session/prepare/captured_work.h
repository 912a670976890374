#pragma once
// Records research that a person does by hand: finds the study that is open in a folder, opens one that captures the
// work there, and prepares commands that a person runs beside a study. Reads the store and freezes folders; the owner
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

/// The newest study that has not ended and whose workspace is the folder, or holds it; empty: there is none.
std::string open_study(const HomePaths&, const std::string& folder);

struct CaptureRequest {
  std::string folder;    ///< Absolute.
  std::string question;  ///< Empty: what the work there shows.
};

/// What opens a study that captures the work in a folder, as `id`. Its workspace is empty: every run has its own.
kernel::StudyOpened captured_study(const executors::Backend&, memory::Blobs&, const CaptureRequest&,
                                   const std::string& id, const std::string& boot_id);

/// A command to be run by hand.
struct ExecRequest {
  std::string study;
  std::vector<std::string> arguments;
  std::string folder;                              ///< Where the person is, absolute.
  std::map<std::string, std::string> environment;  ///< Theirs.
  bool sandbox = false;                            ///< In a copy and in the sandbox, also where the study is captured.
  int cpus = 0, gpus = 0;                          ///< 0: as the study's runs have.
  double timeout_s = 0;                            ///< 0: none but the study's.
  std::string request;                             ///< A word of the sender's, by which the run is found again.
};

/// The program is none that a shell in that folder would find.
std::optional<kernel::Problem> missing_program(const ExecRequest&);

/// The order, with the code and the environment as they are now: the folder's itself of a captured study, the study's
/// workspace of another. A Problem: no such program, a folder that cannot be frozen, a key in the command.
kernel::Result<kernel::OrderScratch> order_by_hand(const HomePaths&, const executors::Backend&, memory::Blobs&,
                                                   const kernel::Study&, const ExecRequest&, const kernel::Redactor&);

/// The run of a person's order; 0: there is none.
int ordered_run(const HomePaths&, const std::string& study, const std::string& request);

}  // namespace session
