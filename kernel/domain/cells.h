#pragma once
// Cells: which combinations of levels a study's factors span, and the text of values within a range. Pure; knows no
// study's state and draws nothing at random.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// Does `cell` agree with every entry of `pattern`?
bool matches(const Cell& cell, const Cell& pattern);

/// Every cell the study's factors span that agrees with `fixed`, without those the constraints exclude. A range that
/// nothing fixes stands at its baseline.
std::vector<Cell> crossed(const StudySpec&, const Cell& fixed);

/// A hypothesis's cells: for `compare` treatment and control crossed over all factors named nowhere (settings that
/// the constraints deny to either arm are left out of both), for `slope` the levels of `along` likewise.
std::vector<Cell> cells_of(const StudySpec&, const Hypothesis&);

/// The constraints deny it.
bool is_excluded(const StudySpec&, const Cell&);

/// The first levels (baselines where given), the cell that smoke runs start from.
Cell reference_cell(const StudySpec&);

/// What the label of such a run is.
inline constexpr const char* warmup_label = "warm-up";

/// The part of a cell that a stage's runs differ by: its own factors and those of all it needs.
Cell stage_cell(const StudySpec&, const StageSpec&, const Cell&);

/// The number that a range's level spells. Throws std::logic_error where it spells none.
double number_of(const std::string& text);

/// The text of the value at this share of the way through the range, of its logarithms on a log scale. Rounded to four
/// significant digits (linear: to a thousandth of the width or finer) within the range; whole for integers.
std::string range_text(const Factor&, double share);

/// Where a value of the range stands in it, from 0 to 1.
double range_share(const Factor&, double value);

/// A level with this text, placed by its number; nothing if there is one. Throws as `number_of` does.
void add_range_level(Factor&, const std::string& text);

/// All that a cell names of the study's ranges.
void add_range_levels(StudySpec&, const Cell&);

/// "lr=0.01 opt=adam"
std::string words_of(const Cell&);

}  // namespace kernel
