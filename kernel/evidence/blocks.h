#pragma once
// Blocks: the combinations of levels of the factors that `design.blocks` names, a sample of all the data sets, splits
// or machines there could be. A block is the unit of every test: an arm's runs in it are one value, and the arms are
// compared within it. Pure; any thread.

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"

namespace kernel {

/// The study's units are blocks.
bool in_blocks(const StudySpec&);
/// The factor is one of theirs.
bool is_block(const StudySpec&, const std::string& factor);
/// "block", or else "seed": what a paired test counts.
const char* unit_name(const StudySpec&);
/// "6 blocks of dataset × split"
std::string blocks_words(const StudySpec&);
/// How many there are; 1 where the design has none.
int block_count(std::span<const Factor>, std::span<const std::string> blocks);
int block_count(const StudySpec&);
/// From 0, by the order of factors and levels.
int block_of(std::span<const Factor>, std::span<const std::string> blocks, const Cell&);
int block_of(const StudySpec&, const Cell&);

/// Which of a purpose's seeds the i-th replicate (from 0) of a paired cell has. No two blocks share one: what a seed
/// does to an arm must not look like what the arm does to all blocks.
int seed_index(std::span<const Factor>, std::span<const std::string> blocks, const Cell&, int replicate);

/// The study without the factors of its blocks: its replicates are blocks.
StudySpec without_blocks(const StudySpec&);

/// What tests see of a study in blocks.
struct Folded {
  StudySpec spec;                ///< `without_blocks`
  std::list<Cell> cells;         ///< What the values point to.
  std::vector<RunValue> values;  ///< One per cell and block, whose number stands for the seed.
  Reason obstacle;               ///< Why they can carry no verdict; empty: they can.
};

/// `settings`: the hypothesis's runs as `observe` sorts them. A value is the mean over the seeds that all of the
/// hypothesis's cells in the block have, of logarithms where these are compared. A block in which a run of an arm
/// failed has failed in that arm; one without a finite value in some run has none.
Folded folded(const StudySpec&, const Hypothesis&, std::span<const Setting> settings, const UnitRules&);

/// The runs of one block alone, with their own seeds: what varies inside it.
Folded within_block(const StudySpec&, int block, std::span<const RunValue>);

/// The effect is above zero in some blocks and below in others: which; else empty. An effect per setting, with the
/// setting's levels.
Reason disagreement(const StudySpec&, std::span<const Cell> levels, std::span<const double> effects);

}  // namespace kernel
