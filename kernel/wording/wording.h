#pragma once
// Turns reasons into sentences for people, in one version of the wording. A version never changes, because an artifact
// names the version of its pages. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/domain/reason.h"

namespace kernel {

/// Precondition: the version exists.
std::string sentence(const Reason&, int version = wording_version);
std::vector<std::string> sentences(const std::vector<Reason>&);

}  // namespace kernel
