#pragma once
// Freezes the present code of an active study again. Everything else that the study was opened with must be unchanged;
// otherwise it would be another study.

#include <string>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/commands.h"
#include "memory/files/blobs.h"

namespace session {

struct AmendRequest {
  std::string study, why;
};

/// Writes blobs and the frozen workspace; changes no study. A Problem: there is no such study, it reproduces another,
/// or data, evaluator, protected files or the environment's set-up are not what they were.
kernel::Result<kernel::AmendWorkspace> amendment_of(const HomePaths&, const executors::Backend&, memory::Blobs&,
                                                    const AmendRequest&);

}  // namespace session
