#pragma once
// Packages a concluded study as an artifact, from the study, its blobs and its log. Reads through its own connection.

#include <string>

#include "apps/session/home/home.h"
#include "base/result.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace session {

/// Where the artifact went and the chain head it carries: the one that the study reports. Replaces `output` only if it
/// is an artifact of ours. Throws StoreFault naming the event where the study's chain is broken.
kernel::Result<kernel::ReportPackage> package_study(const HomePaths&, const kernel::Study& known,
                                                    const std::string& output);

}  // namespace session
