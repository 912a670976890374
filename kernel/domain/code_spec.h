#pragma once
// What a search over versions of the code may do.

namespace kernel {

/// Of an optimisation over versions of the code that engineers write, beside its factors' baselines.
struct CodeSpec {
  int drafts = 3;       ///< Versions that begin with the person's own.
  int branches = 3;     ///< Lines of work at once.
  int debug_depth = 3;  ///< So often in a row a version that fails is mended.
  int versions = 20;    ///< At most, those that fail among them.
};
/// The factor whose levels are the versions, and the level that is the person's own.
inline constexpr const char* code_factor = "code";
inline constexpr const char* original_code = "original";

}  // namespace kernel
