#pragma once
// A person's word on a study that no kernel has in hand: decided and recorded, nothing started.

#include <optional>
#include <string>

#include "apps/session/home/home.h"
#include "apps/session/prepare/amend.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "kernel/domain/commands.h"

namespace session {

/// What the kernel said no with, naming the study once.
kernel::Problem refusal(const std::string& study, const std::string& reason);

enum class Recording { done, owned };

/// `owned`: a kernel has the home, and is the one to tell. A Problem: the study, or the word, is refused.
/// `config`: a configuration file, whose keys no word is to hold; empty: the usual one.
kernel::Result<Recording> record(const HomePaths&, const kernel::Command&, const std::string& config);

/// The same for code that was amended.
kernel::Result<Recording> record_amendment(const HomePaths&, const executors::Backend&, const AmendRequest&,
                                           const std::string& config);

/// The same for a fork; gives the new study's id, empty where a kernel has the home.
kernel::Result<std::string> record_fork(const HomePaths&, const ForkRequest&);

/// The same for a study that captures the work in a folder; its id, empty where a kernel has the home.
kernel::Result<std::string> record_capture(const HomePaths&, const executors::Backend&, const CaptureRequest&,
                                           const std::string& config);

/// The same for an artifact that is taken into the memory; nothing where a kernel has the home.
kernel::Result<std::optional<Import>> import_offline(const HomePaths&, const ImportRequest&);

}  // namespace session
