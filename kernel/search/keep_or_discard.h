#pragma once
// A search over code that keeps or discards one idea at a time. The person's own code runs several times first, to
// measure the noise. Then each version runs once. If it gains more than the noise explains, the version and its base
// run again on the same fresh seeds. If it gains more than the noise once more, it becomes the base. Pure: the same log
// gives the same decisions.

#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The probability with which a version that is no better than its base passes one of the two comparisons.
inline constexpr double lucky_share = 0.1;

/// The noise of the person's own code: `runs`, `sd` and `quantile`. None if fewer than two of its first runs have a
/// value. Precondition: the search is registered.
std::optional<NoiseFloor> measured_noise(const Study&);
/// The version that the next idea begins with: the last one that was kept, or `original_code`.
std::string base_of_ideas(const Study&);
/// The first version that is neither kept nor discarded yet; null if there is none.
const CodeVersion* undecided(const Study&);
/// The versions that became the base, in order.
std::vector<std::string> kept_versions(const Study&);

/// True if the search is over and kept no version though the noise was measured: nothing is confirmed.
bool keeps_original(const Study&);

/// Runs that repeat one promising version and its base.
std::int64_t runs_of_retest(const CodeSpec&);
/// The replicate of the first run of the version with this index; those of its re-test follow it.
int first_replicate(const CodeSpec&, std::size_t version);

/// Compares a version with its base. The first ranking is of one run: `least` is quantile · sd · √(1 + 1/compared), and
/// a version that it keeps is run again, with its base. In the second, `least` is quantile · sd · √(2/compared), and
/// the gain is the mean over the pairs of runs on one seed; a version that it keeps becomes the base. Preconditions:
/// the noise was measured, and the version's runs have ended.
RungRanked judge_idea(const Study&, const CodeVersion&);
/// Why a version was discarded; empty if the ranking keeps it.
Reason why_discarded(const Study&, const RungRanked&);

/// What became of a version, with what is reported beside the metric.
struct Idea {
  const CodeVersion* version = nullptr;
  std::string base;
  const RungRanked *first = nullptr, *second = nullptr;  ///< Null if there was none.
  std::optional<double> memory;                          ///< Peak of its first run in bytes, of a GPU if it used one.

  bool kept() const;
};
std::vector<Idea> ideas_of(const Study&);

}  // namespace kernel
