#pragma once
// Items, such as test questions, as the units of a test: `unit: item`. Metric lines carry the item's name. An item of
// an arm has one value, its mean over the seeds, so that verdicts are about these seeds and items like these. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"

namespace kernel {

/// Runs in the form that tests take: one value per cell and item. The item's number takes the place of the seed.
struct ItemValues {
  std::vector<RunValue> values;
  int seeds = 0;                  ///< Seeds whose runs succeeded in every cell of the hypothesis.
  int left_out = 0;               ///< Items that a cell lacks on such a seed; leaving them out would select results.
  std::string lacking;            ///< The first of them by name.
  std::optional<Cell> lacked_by;  ///< A cell that lacks it.
  int on_some_seeds = 0;          ///< Items with values in every cell on some of these seeds, and in none on others.
  int without = 0;                ///< Runs that have a value of the metric, and none with an item.
};

/// An item counts on a seed if every cell of the hypothesis has a value of it there (then items are paired). The mean
/// is geometric if logarithms are compared.
ItemValues by_item(const StudySpec&, const Hypothesis&, std::span<const RunValue>, const UnitRules&);

}  // namespace kernel
