#pragma once
// Turns reasons into sentences for people, in one version of the wording. A version never changes, because an artifact
// names the version of its pages. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// Precondition: the version exists.
std::string sentence(const Reason&, int version = wording_version);
std::vector<std::string> sentences(const std::vector<Reason>&);
/// Makes the reason the node's title or a field of it.
void state_text(Node&, const std::string& field, Reason);

}  // namespace kernel
