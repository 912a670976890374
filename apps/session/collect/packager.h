#pragma once
// Packages a concluded study as an artifact, from its blobs and its log. Reads through its own connection.

#include <string>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace session {

/// Returns the artifact's path and its chain head, which is the one that the study reports. Replaces `output` only if
/// it is an artifact of etude. Throws StoreFault naming the event if the study's chain is broken.
kernel::Result<kernel::ReportPackage> package_study(const HomePaths&, const kernel::Study& known,
                                                    const std::string& output);

}  // namespace session
