#pragma once
// Fixes everything that a study needs before it opens: freezes its workspace, identifies its data, finds its programs,
// checks the sandbox. Writes blobs and frozen workspaces; creates no study.

#include <map>
#include <string>

#include "apps/session/home/home.h"
#include "apps/session/prepare/start_request.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/event.h"
#include "memory/files/blobs.h"

namespace session {

struct Prepared {
  kernel::WorkspaceRecord workspace;
  kernel::EnvironmentRecord environment;
  std::vector<kernel::DataRecord> data;
  std::vector<kernel::SealedData> sealed;
  std::string sealed_manifest;  ///< StudyOpened::sealed_manifest
  kernel::SetupKey setup_key;   ///< StudySpec::setup_key
  std::vector<std::string> warnings;
};

/// `own`: the environment variables of whoever starts the study; programs are found by its PATH. `strangers`: the study
/// comes from an artifact, not from whoever runs it.
kernel::Result<Prepared> prepare(const HomePaths&, const executors::Backend&, memory::Blobs&, const kernel::StudySpec&,
                                 const std::map<std::string, std::string>& own, bool strangers);

/// Makes the code ready where evaluators look for it. A problem if it does not have its hash.
kernel::Result<kernel::WorkspaceRecord> frozen_code(const HomePaths&, memory::Blobs&, const CodeFolder&);

}  // namespace session
