#pragma once
// Sends a person's command to the kernel that owns the home, or records it if none does.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/command_context.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "apps/session/prepare/prepare.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/tagging.h"

namespace cli {

/// What the answer of the home's owner says is wrong with a command to `study`. The kernel's own refusals name it.
kernel::Problem refused_command(const nlohmann::json& answer, const std::string& study);

/// `path` and `body` are the same command in the API. Returns the exit code; prints failures.
int tell(const Context&, const kernel::Command&, const std::string& path, const nlohmann::json& body);

/// Amends the study's code to the present files; returns an exit code.
int tell_amended(const Context&, const session::AmendRequest&);

/// Changes the tags of a study; returns an exit code and prints failures.
int tell_tagging(const Context&, const std::string& study, const kernel::Tagging&);

/// Forks a study; returns the new id.
kernel::Result<std::string> fork_anywhere(const Context&, const session::ForkRequest&);

/// Begins a study that captures the work in a folder; returns its id. `is_new`: also if one is open there.
kernel::Result<std::string> capture_anywhere(const Context&, const session::CaptureRequest&, bool is_new);

/// Imports an artifact.
kernel::Result<session::Import> import_anywhere(const Context&, const session::ImportRequest&);

}  // namespace cli
