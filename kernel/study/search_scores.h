#pragma once
// What the runs of a search came to, and the order in which that puts its candidates: by means over replicates, never
// by one number. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct CellOutcome {
  Cell cell;
  std::uint64_t seed = 0;
  std::optional<double> value;  ///< `selection_value`
};

/// Of a metric on a log scale its logarithm, so that means are geometric. None: the run has none, or failed.
std::optional<double> selection_value(const Metric&, const Run&);

/// With n, failed, mean and sd from the outcomes of their cells, those whose runs all failed last. A failed run counts
/// as the worst value of all.
std::vector<Candidate> best_first(const Metric&, std::vector<Candidate>, const std::vector<CellOutcome>&);

/// What a version's runs show. On the selection's scale, the higher the better; `n` counts runs with a value.
struct CodeScore {
  const CodeVersion* version = nullptr;  ///< Null: the person's own.
  int n = 0, failed = 0;
  std::optional<double> mean;  ///< Failed runs count as the worst value of all.
  double cautious = 0;         ///< The lower end of what the mean may be.

  const char* id() const { return version ? version->id.c_str() : original_code; }
  bool fails() const { return n == 0 && failed > 0; }
};
/// The person's own first, then the versions as they came.
std::vector<CodeScore> code_scores(const Study&);

/// Runs of a version that selection may count: of the search, not superseded, not of an earlier stage.
std::vector<const Run*> runs_of_version(const RunBoard&, const std::string& version);

}  // namespace kernel
