#pragma once
// A person's word on a study: told to the kernel that has the home, or recorded where none has it.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/command_context.h"
#include "apps/session/prepare/amend.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "kernel/domain/commands.h"

namespace cli {

/// `path` and `body` are the API's for the same word. The exit code; failures are printed.
int tell(const Context&, const kernel::Command&, const std::string& path, const nlohmann::json& body);

/// The study's code as it is now; an exit code.
int tell_amended(const Context&, const session::AmendRequest&);

/// The new study's id.
kernel::Result<std::string> fork_anywhere(const Context&, const session::ForkRequest&);

/// An artifact, taken into the memory.
kernel::Result<session::Import> import_anywhere(const Context&, const session::ImportRequest&);

}  // namespace cli
