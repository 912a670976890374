#pragma once
// Removes keys from the text of a person's commands before they enter the record. Any thread.

#include <string>

#include "base/redact.h"
#include "kernel/domain/commands.h"

namespace session {

/// Knows the keys of every provider in the configuration, as far as they are set. `config`: the file that was named;
/// empty: the usual one. One that cannot be read is said where a model is needed.
kernel::Redactor redactor_for(const std::string& config);

/// A person's words without keys.
kernel::Command redacted(kernel::Command, const kernel::Redactor&);

}  // namespace session
