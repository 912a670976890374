#pragma once
// Decides and records a person's command for a study that no kernel works on; starts nothing.

#include <optional>
#include <string>

#include "apps/session/home/home.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "apps/session/prepare/prepare.h"
#include "kernel/domain/commands.h"

namespace session {

/// The kernel's refusal as a problem that names the study.
kernel::Problem refusal(const std::string& study, const std::string& reason);

enum class Recording { done, owned };

/// `owned`: a kernel owns the home and must be asked instead. A problem if the study or the command is refused.
/// `config`: the configuration file with the keys to redact; empty for the default.
kernel::Result<Recording> record(const HomePaths&, const kernel::Command&, const std::string& config);

/// The same for code that was amended.
kernel::Result<Recording> record_amendment(const HomePaths&, const executors::Backend&, const AmendRequest&,
                                           const std::string& config);

/// The same for a fork; returns the new study's id, empty if a kernel owns the home.
kernel::Result<std::string> record_fork(const HomePaths&, const ForkRequest&);

/// The same for a study that captures the work in a folder; its id, empty where a kernel has the home.
kernel::Result<std::string> record_capture(const HomePaths&, const executors::Backend&, const CaptureRequest&,
                                           const std::string& config);

/// The same for the import of an artifact; none if a kernel owns the home.
kernel::Result<std::optional<Import>> import_offline(const HomePaths&, const ImportRequest&);

}  // namespace session
