#pragma once
// The works of a study's references that its texts cite, and where. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct CitedWork {
  const Work* work = nullptr;
  std::vector<std::string> parts;   ///< Of those that the work has, the ones that are cited by themselves.
  std::vector<std::string> where;   ///< "H1", "N03", "C01", "the section summary"; each once.
  std::vector<std::string> claims;  ///< Ids of those that cite it.
};

/// In the order of the references; those that nothing cites are left out.
std::vector<CitedWork> cited_works(const Study&);

}  // namespace kernel
