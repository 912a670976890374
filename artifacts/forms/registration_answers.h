#pragma once
// The answers that one registration gives to AsPredicted's questions 2 to 8, as Markdown. Knows no results. Pure.

#include <map>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

/// A registration and what was known when it was frozen.
struct FrozenDesign {
  kernel::Registration registration;
  kernel::StudyTerms terms;                              ///< At that moment.
  kernel::Hypotheses hypotheses;                         ///< At that moment.
  std::map<kernel::HypothesisId, std::string> proposed;  ///< When each was proposed, and what was known then.
  int wording = kernel::wording_version;
};

struct FormAnswer {
  std::string question;
  std::string markdown;
};

std::vector<FormAnswer> registration_answers(const FrozenDesign&);

}  // namespace artifacts
