#pragma once
// The works of a study's references that its texts cite, and the places of these citations. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct CitedWork {
  const Work* work = nullptr;
  std::vector<std::string> parts;   ///< The parts of the work that are cited separately.
  std::vector<std::string> where;   ///< "H1", "N03", "C01", "the section summary"; each once.
  std::vector<std::string> claims;  ///< Ids of the claims that cite the work.
};

/// In the order of the references, without works that nothing cites.
std::vector<CitedWork> cited_works(const Study&);

}  // namespace kernel
