#include "kernel/verdicts/planted.h"

namespace kernel {

std::string planted_words(const HypothesisResult& r) {
  const bool found = r.verdict == Verdict::supported;
  return std::string("Planted effect: ") + (found ? "found, as it must be. " : "NOT found. ") + r.reason +
         (found ? "" : " An experiment that misses what is known to be there may miss what is not.");
}

}  // namespace kernel
