#pragma once
// Removes keys from the text of a person's commands before they enter the record. Any thread.

#include <optional>
#include <string>

#include "base/redact.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/tagging.h"

namespace session {

/// Knows the keys of all providers in the configuration whose variables are set. `config`: the path of --config; empty
/// for the default. An unreadable configuration is reported when a model is needed.
kernel::Redactor redactor_for(const std::string& config);

/// A problem if a tag is not allowed, or is a key.
std::optional<kernel::Problem> refused_tagging(const kernel::Tagging&, const kernel::Redactor&);

/// The command without keys in its text.
kernel::Command redacted(kernel::Command, const kernel::Redactor&);

}  // namespace session
