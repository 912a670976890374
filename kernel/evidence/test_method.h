#pragma once
// By which method a hypothesis is tested, and what its units are. Decided by metric and design, never by the values.
// Pure; any thread.

#include <span>
#include <string>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// The study's units are blocks.
bool in_blocks(const StudySpec&);
/// The factor is one of theirs.
bool is_block(const StudySpec&, const std::string& factor);
bool is_block(std::span<const std::string> blocks, const std::string& factor);
/// "block", or else "seed": what a paired test counts.
const char* unit_name(const StudySpec&);

/// How a hypothesis is tested.
struct TestMethod {
  bool exact = false;  ///< Deterministic metrics: compared, not estimated.
  bool rank = false;   ///< Arms are compared by ranks.
  bool cut = false;    ///< By ranks that hold values which are at least so much.
  bool share = false;  ///< By how many runs succeeded, as far as they say 1 or 0.
  bool log = false;    ///< Arms are compared on logarithms; slopes take theirs from `scale`.
};
TestMethod method_of(const StudySpec&, const Hypothesis&);
/// Declared so that some of its values may be known to be at least so much, and no more.
bool may_be_cut(const Metric&);

}  // namespace kernel
