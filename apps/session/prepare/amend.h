#pragma once
// Freezes the present code of an active study again. Everything else that the study was opened with must be unchanged;
// otherwise it would be another study.

#include <string>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "kernel/domain/commands.h"
#include "memory/files/blobs.h"

namespace session {

struct AmendRequest {
  std::string study, why;
};

/// Writes blobs and the frozen workspace; changes no study. A problem if there is no such study, if it reproduces
/// another one, or if data, evaluator, protected files or the environment's set-up have changed.
kernel::Result<kernel::AmendWorkspace> amendment_of(const HomePaths&, memory::Blobs&, const AmendRequest&);

}  // namespace session
