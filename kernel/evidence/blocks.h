#pragma once
// Blocks: the combinations of levels of `design.blocks`, a sample of all possible data sets, splits or machines. They
// are the units of every test: an arm's runs in a block give one value, which is compared within the block. Pure.

#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"

namespace kernel {

bool in_blocks(const StudySpec&);
bool is_block(const StudySpec&, const std::string& factor);
/// The unit that a paired test counts: "block" or "seed"; of a hypothesis also "item".
const char* unit_name(const StudySpec&);
const char* unit_name(const StudySpec&, const Hypothesis&);
/// The mean of an arm's values within a unit. With `log` the geometric mean, or the first value that has no logarithm.
/// None without values, or if they are too large.
std::optional<double> mean_of(const std::vector<double>&, bool log);
/// "6 blocks of dataset × split"
std::string blocks_words(const StudySpec&);
/// Number of blocks; 1 if the design has none.
int block_count(std::span<const Factor>, std::span<const std::string> blocks);
int block_count(const StudySpec&);
/// Counts from 0, in the order of factors and levels.
int block_of(std::span<const Factor>, std::span<const std::string> blocks, const Cell&);
int block_of(const StudySpec&, const Cell&);

/// Index of the seed for replicate i (from 0) of a paired cell, among the seeds of a purpose. Blocks share no seeds, so
/// that the effect of a seed on an arm cannot look like an effect of the arm in all blocks.
int seed_index(std::span<const Factor>, std::span<const std::string> blocks, const Cell&, int replicate);

/// The study without its block factors, so that its replicates are blocks.
StudySpec without_blocks(const StudySpec&);

/// A study in blocks in the form that tests take.
struct Folded {
  StudySpec spec;                ///< `without_blocks`
  std::list<Cell> cells;         ///< The cells that `values` point to.
  std::vector<RunValue> values;  ///< One per cell and block; the block's number takes the place of the seed.
  Reason obstacle;               ///< Why they allow no verdict; empty if they allow one.
};

/// `settings`: the hypothesis's runs, sorted by `observe`. A value is the mean over the seeds that all of the
/// hypothesis's cells in the block have (the geometric mean if logarithms are compared). If a run of an arm failed, the
/// block has failed in that arm; if a run has no finite value, neither has the block.
Folded folded(const StudySpec&, const Hypothesis&, std::span<const Setting> settings, const UnitRules&);

/// The runs of one block with their own seeds, to show the variation inside it.
Folded within_block(const StudySpec&, int block, std::span<const RunValue>);

/// Which blocks have an effect of the other sign; else empty. `effects` and `levels` are those of the settings.
Reason disagreement(const StudySpec&, std::span<const Cell> levels, std::span<const double> effects);

}  // namespace kernel
