#pragma once
// Cells: the combinations of levels that a study's factors span, and the text of values within a range. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// True if `cell` has the level of every entry of `pattern`.
bool matches(const Cell& cell, const Cell& pattern);

/// The study's cells that agree with `fixed` and are not excluded. A range that it does not name stays at its baseline.
std::vector<Cell> crossed(const StudySpec&, const Cell& fixed);

/// A hypothesis's cells. For `compare`: treatment and control, crossed over all factors that it does not name, without
/// settings that the constraints exclude in either arm. For `slope`: the levels of `along`, crossed in the same way.
std::vector<Cell> cells_of(const StudySpec&, const Hypothesis&);

bool is_excluded(const StudySpec&, const Cell&);

/// The cell of baselines (first levels of factors without one). Smoke runs start from it.
Cell reference_cell(const StudySpec&);

inline constexpr const char* warmup_label = "warm-up";
/// Labels of the smoke runs that change no factor. A factor may have such a name, too.
inline constexpr const char* reference_label = "reference";
inline constexpr const char* seed_label = "seed";

/// The part of a cell that the stage depends on: its own factors and those of all stages that it needs.
Cell stage_cell(const StudySpec&, const StageSpec&, const Cell&);

/// The number in the text of a range's level. Throws std::logic_error if the text is not a finite number.
double number_of(const std::string& text);

/// Text of the value at this share of the range (of its logarithm on a log scale), within the range. Rounded to four
/// significant digits (linear: to a thousandth of the width or finer); whole for integers.
std::string range_text(const Factor&, double share);

/// Position of a value in its range, from 0 to 1, on the range's scale.
double range_share(const Factor&, double value);

/// Inserts a level with this text in numerical order, if the factor has none. Throws as `number_of` does.
void add_range_level(Factor&, const std::string& text);

/// Adds the levels that a cell names to the study's ranges.
void add_range_levels(StudySpec&, const Cell&);

/// "lr=0.01 opt=adam"
std::string words_of(const Cell&, std::string_view between = " ");
/// "n = 5, data = quick", "all cells".
std::string cell_text(const Cell&);

}  // namespace kernel
