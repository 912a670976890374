#pragma once
// The request to start a reproduction, made from the artifact's record.

#include <string>

#include "apps/session/home/home.h"
#include "apps/session/prepare/prepare.h"
#include "artifacts/reproduce/reproduction.h"

namespace session {

/// The path of the reproduction's own artifact: below HOME/reproductions, named after the recorded head and the
/// reader's choice, if any.
std::string reproduction_output(const HomePaths&, const artifacts::Recorded&);
/// The request to open the reproduction; the caller adds its environment and token.
StartRequest reproduction_request(const HomePaths&, const artifacts::Recorded&);
/// The unfinished study of this home that reproduces the same artifact with the same choice; empty if there is none.
/// `seed`: the reader's; without one, any seed matches.
std::string unfinished_reproduction(const HomePaths&, const artifacts::Recorded&, std::optional<std::uint64_t> seed);
/// The result of a reproduction so far. A problem if there is no such study, or if it reproduces nothing.
kernel::Result<artifacts::ReproductionReport> reproduction_report(const HomePaths&, const std::string& study);

}  // namespace session
