#pragma once
// Packages a concluded study as an artifact, from the study, its blobs and its log. Reads through its own connection.

#include <string>

#include "apps/session/home.h"
#include "kernel/commands.h"
#include "kernel/result.h"
#include "kernel/state.h"

namespace session {

/// Where the artifact went and the chain head it carries. Replaces `output` only if it is an artifact of ours.
kernel::Result<kernel::ReportPackage> package_study(const HomePaths&, const kernel::Study&, const std::string& output);

}  // namespace session
