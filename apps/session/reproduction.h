#pragma once
// What starting an artifact's study again needs beside what was recorded.

#include <string>

#include "apps/session/home.h"
#include "artifacts/reproduction.h"

namespace session {

/// The study file in the artifact, byte for byte.
std::string study_text(const artifacts::Recorded&);
/// Where the reproduction's own artifact goes: HOME/reproductions, named after the recorded head.
std::string reproduction_output(const HomePaths&, const artifacts::Recorded&);

}  // namespace session
