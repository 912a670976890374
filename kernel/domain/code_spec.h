#pragma once
// Limits of a search over versions of the code.

namespace kernel {

/// Limits of an optimisation over versions of the code that engineers write.
struct CodeSpec {
  int drafts = 3;       ///< Versions that start from the person's code.
  int branches = 3;     ///< Lines of work in parallel.
  int debug_depth = 3;  ///< How many times in a row a failing version is debugged.
  int versions = 20;    ///< Maximum, including versions that fail.
};
/// The factor whose levels are the versions, and its level for the person's own version.
inline constexpr const char* code_factor = "code";
inline constexpr const char* original_code = "original";

}  // namespace kernel
