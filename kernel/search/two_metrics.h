#pragma once
// A search for two metrics at once: the point up to which hypervolume counts, the settings that it chooses to confirm,
// and what it says in the end. Pairs of values are on the selection's scale (`selection_value`), turned so that lower
// is better. Pure.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "kernel/study/state.h"
#include "stats/surrogate/hypervolume.h"

namespace kernel {

/// A value in the metric's unit on that scale.
double turned(const Metric&, double value);
double unturned(const Metric&, double value);

/// Both metrics of the study. Precondition: it has two objectives.
std::array<const Metric*, 2> both_metrics(const StudySpec&);
/// Infinite where there is no limit.
stats::TwoValues limits_of(const StudySpec&);

/// The worst value in each metric of the runs of the first rung; of all runs while none of these has values. None
/// without a value.
std::optional<stats::TwoValues> reference_point(const Study&);

struct Covered {
  stats::TwoValues reference = {0, 0};
  std::vector<double> after;  ///< The hypervolume of the means of all settings tried up to the end of each ranked rung.
};
/// None for other searches and without a value.
std::optional<Covered> covered(const Study&);

/// Indices of up to `count` of the expected values: of those within the limits, or else of those nearest to them, the
/// ones that add most hypervolume to `held`. At least one if there is any.
std::vector<std::size_t> choice(const StudySpec&, const std::vector<stats::TwoValues>& expected,
                                const std::vector<stats::TwoValues>& held, const stats::TwoValues& reference,
                                std::size_t count);

/// Keeps the candidates to confirm, by the estimates that they have, and orders all: those, then by how many others
/// beat them in both metrics.
void keep_choice(const Study&, std::size_t count, std::vector<Candidate>&);

/// `search_advice` of a search for two metrics. Precondition: its last ranking is there and keeps a candidate.
std::vector<Reason> advice_of_two(const Study&);

/// The sentences of a rule on limits, in file order.
std::vector<Reason> limits_in_words(const StudySpec&);

}  // namespace kernel
