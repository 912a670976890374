#pragma once
// Packages a concluded study as an artifact, from its blobs and its log. Reads through its own connection.

#include <cstdint>
#include <map>
#include <string>

#include "apps/session/home/home.h"
#include "artifacts/write/package.h"
#include "kernel/domain/commands.h"
#include "kernel/study/state.h"
#include "memory/log/event_log.h"

namespace session {

/// Files of the study's workspaces, and of its evaluator's data, that look like secrets and of which no person has
/// decided whether they may be published: path below the workspace → what it looks like. None for a reproduction, whose
/// code was published before.
std::map<std::string, std::string> undecided_secrets(const HomePaths&, const kernel::Study&);

/// A study folded from its log up to the event `last`.
struct FoldedStudy {
  kernel::State state;
  kernel::Chain chain = kernel::Chain();
  std::int64_t last = 0;
};

/// Draws the pictures of a concluded study's artifact and stores them, with what else does not follow from the log,
/// before the head that the artifact carries. Leaves in `folded` what it has read.
kernel::ReportPictures draw_pictures(const HomePaths&, const std::string& study, FoldedStudy& folded);

/// Packages the study up to the event `sealed_head`, which is the chain head that it reports; all of it if that is
/// empty. Replaces `output` only if it is an artifact of etude. Precondition: the study has concluded. Faults throw;
/// StoreFault names the event if the study's chain is broken. Continues from `folded`, which may be what
/// `draw_pictures` has read.
kernel::Result<kernel::ReportPackage, artifacts::Unplaced> package_study(const HomePaths&, const std::string& study,
                                                                         const std::string& sealed_head,
                                                                         const std::string& output,
                                                                         FoldedStudy folded = {});

}  // namespace session
