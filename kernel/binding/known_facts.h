#pragma once
// The facts that a text about a study may use: its names, its constants, and what its verdicts license; and the
// works that its texts cite. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/study/state.h"
#include "prose/facts.h"

namespace kernel {

prose::Facts facts_of(const Study&);

/// What a text about the hypothesis may say.
prose::HypothesisFacts hypothesis_facts(const StudySpec&, const HypothesisRecord&);

/// Adds the margins and effects of a hypothesis that the study may not have yet.
void add_constants(prose::Facts&, const StudySpec&, const Hypothesis&);

struct CitedWork {
  const Work* work = nullptr;
  std::vector<std::string> parts;   ///< The parts of the work that are cited separately.
  std::vector<std::string> where;   ///< "H1", "N03", "C01", "the section summary"; each once.
  std::vector<std::string> claims;  ///< Ids of the claims that cite the work.
};

/// In the order of the references, without works that nothing cites.
std::vector<CitedWork> cited_works(const Study&);

}  // namespace kernel
