#pragma once
// What starting an artifact's study again needs beside what was recorded.

#include <string>

#include "apps/session/home/home.h"
#include "apps/session/prepare/start_request.h"
#include "artifacts/reproduce/reproduction.h"

namespace session {

/// The study file in the artifact, byte for byte.
/// Where the reproduction's own artifact goes: HOME/reproductions, named after the recorded head and, where its reader
/// chose a part of it, after what he chose.
std::string reproduction_output(const HomePaths&, const artifacts::Recorded&);
/// To be opened as a study; the starter's environment and word are still missing.
StartRequest reproduction_request(const HomePaths&, const artifacts::Recorded&);
/// The unfinished study of this home that reproduces the same with the same choice; empty: there is none. `seed`: what
/// the reader gave; none: any will do.
std::string unfinished_reproduction(const HomePaths&, const artifacts::Recorded&, std::optional<std::uint64_t> seed);
/// What a reproduction of the store has come to by now. A problem: there is no such study, or it reproduces nothing.
kernel::Result<artifacts::ReproductionReport> reproduction_report(const HomePaths&, const std::string& study);

}  // namespace session
