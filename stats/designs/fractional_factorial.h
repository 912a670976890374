#pragma once
// Two-level factorial designs and their regular fractions: which factors share columns, and what is thereby mixed up
// with what. Effects are sets of factors as bits. Pure; any thread.

#include <cstdint>
#include <vector>

namespace stats {

/// A set of factors, factor i as bit i: one bit is a main effect, two are a two-factor interaction.
using FactorSet = std::uint32_t;

/// The most factors that a fraction may have.
inline constexpr int most_fraction_factors = 31;

/// A regular fraction 2^(k−p) with 2^base runs. The first `base` factors are crossed; every later one is set to the
/// product of those that its column names.
struct RegularFraction {
  int base = 0;
  std::vector<FactorSet> columns;  ///< Per factor, over the base factors: bit i itself for factor i < base.

  int factors() const { return static_cast<int>(columns.size()); }
  int runs() const { return 1 << base; }
};

/// The words of the defining relation other than the identity: every set of factors whose product is constant.
/// 2^p − 1 of them; p ≤ 20.
std::vector<FactorSet> defining_words(const RegularFraction&);

/// The length of the shortest word; 0 for a full factorial, which mixes up nothing.
int resolution(const RegularFraction&);

/// The fraction of 2^base runs with the highest resolution and, among those, the fewest short words (minimum
/// aberration: Fries & Hunter, "Minimum aberration 2^(k−p) designs", Technometrics 22, 1980). Factors are added one at
/// a time to the best designs so far (after Chen, Sun & Wu, "A catalogue of two-level and three-level fractional
/// factorial designs", Int. Stat. Rev. 61, 1993), which finds the catalogue's up to 15 factors; beyond, the columns of
/// odd length give resolution IV where they suffice, and all columns III. `factors` ≤ 2^base − 1 or `factors` = base;
/// `base` ≤ 7 and `factors` ≤ most_fraction_factors. With `factors` ≤ base: the full factorial of `factors`.
RegularFraction best_fraction(int factors, int base);

/// Levels of every run as ±1, factor by factor; in standard order of the base factors.
std::vector<std::vector<int>> design_matrix(const RegularFraction&);

/// Main effects and two-factor interactions that share a column, in sets of two and more: none of a set can be told
/// from the others. Within a set main effects come first, then by factors.
std::vector<std::vector<FactorSet>> alias_sets(const RegularFraction&);

}  // namespace stats
