#include "stats/designs/fractional_factorial.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

namespace stats {

namespace {

/// Beyond these the words are too many to compare designs by.
constexpr int most_searched_factors = 15;
constexpr int most_base = 7;
constexpr std::size_t kept_designs = 24;
constexpr int kept_alike = 2;

FactorSet bit(int factor) {
  return FactorSet{1} << factor;
}

/// A design while factors are being added, with the words of its defining relation.
struct Partial {
  RegularFraction design;
  std::vector<FactorSet> words;
  std::vector<int> pattern;  ///< Words per length, from length 3.
};

Partial with_factor(const Partial& from, FactorSet column) {
  Partial more = from;
  const FactorSet word = column | bit(from.design.factors());
  const auto count = [&](FactorSet w) {
    const auto length = static_cast<std::size_t>(std::popcount(w)) - 3;
    if (more.pattern.size() <= length) more.pattern.resize(length + 1);
    ++more.pattern[length];
  };
  more.words.push_back(word);
  count(word);
  for (const FactorSet other : from.words) {
    more.words.push_back(other ^ word);
    count(other ^ word);
  }
  more.design.columns.push_back(column);
  return more;
}

/// Fewer short words come first.
bool before(const Partial& a, const Partial& b) {
  const std::size_t lengths = std::max(a.pattern.size(), b.pattern.size());
  for (std::size_t i = 0; i < lengths; ++i) {
    const int left = i < a.pattern.size() ? a.pattern[i] : 0, right = i < b.pattern.size() ? b.pattern[i] : 0;
    if (left != right) return left < right;
  }
  return false;
}

/// How many words of each length every factor is in, whatever the factors are called: designs that are the same but for
/// their names agree in it.
using Signature = std::vector<std::vector<int>>;

Signature signature_of(const Partial& partial) {
  Signature counts;
  for (int factor = 0; factor < partial.design.factors(); ++factor) {
    std::vector<int> lengths(partial.pattern.size());
    for (const FactorSet word : partial.words)
      if (word & bit(factor)) ++lengths[static_cast<std::size_t>(std::popcount(word)) - 3];
    counts.push_back(std::move(lengths));
  }
  std::ranges::sort(counts);
  return counts;
}

std::vector<Partial> best_of(std::vector<Partial> designs) {
  std::ranges::stable_sort(designs, before);
  std::vector<Partial> kept;
  std::map<Signature, int> alike;
  for (Partial& design : designs) {
    if (++alike[signature_of(design)] > kept_alike) continue;
    kept.push_back(std::move(design));
    if (kept.size() == kept_designs) break;
  }
  return kept;
}

RegularFraction searched(int factors, RegularFraction full) {
  const int base = full.base;
  std::vector<Partial> designs{{std::move(full), {}, {}}};
  for (int added = base; added < factors; ++added) {
    std::vector<Partial> longer;
    for (const Partial& design : designs)
      for (FactorSet column = 3; column < bit(base); ++column) {
        const auto& used = design.design.columns;
        if (std::ranges::find(used, column) == used.end()) longer.push_back(with_factor(design, column));
      }
    designs = best_of(std::move(longer));
  }
  return std::move(designs.front().design);
}

}  // namespace

std::vector<FactorSet> defining_words(const RegularFraction& fraction) {
  if (fraction.factors() - fraction.base > 20) throw std::domain_error("too many words");
  std::vector<FactorSet> words;
  for (int i = fraction.base; i < fraction.factors(); ++i) {
    const FactorSet word = fraction.columns[static_cast<std::size_t>(i)] | bit(i);
    const std::size_t before = words.size();
    words.push_back(word);
    for (std::size_t j = 0; j < before; ++j) words.push_back(words[j] ^ word);
  }
  return words;
}

int resolution(const RegularFraction& fraction) {
  // The shortest word, without counting them all: lengths 3 and 4 show in columns that agree.
  const auto& columns = fraction.columns;
  if (fraction.factors() <= fraction.base) return 0;
  if (fraction.factors() - fraction.base <= 20) {
    int shortest = fraction.factors();
    for (const FactorSet word : defining_words(fraction)) shortest = std::min(shortest, std::popcount(word));
    return shortest;
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::ranges::find(columns, columns[i] ^ columns[j]) != columns.end()) return 3;
  return 4;
}

RegularFraction best_fraction(int factors, int base) {
  if (base > most_base || factors > most_fraction_factors || (factors > base && factors >= (1 << base)))
    throw std::domain_error("no such fraction");
  RegularFraction fraction;
  fraction.base = std::min(base, factors);
  for (int i = 0; i < fraction.base; ++i) fraction.columns.push_back(bit(i));
  if (factors <= base) return fraction;
  if (factors <= most_searched_factors) return searched(factors, std::move(fraction));
  const bool odd = factors <= (1 << (base - 1));
  for (FactorSet column = 3; column < bit(base) && fraction.factors() < factors; ++column)
    if (std::popcount(column) >= 2 && (!odd || std::popcount(column) % 2 == 1)) fraction.columns.push_back(column);
  return fraction;
}

std::vector<std::vector<int>> design_matrix(const RegularFraction& fraction) {
  std::vector<std::vector<int>> matrix;
  for (FactorSet run = 0; run < bit(fraction.base); ++run) {
    std::vector<int> row;
    for (const FactorSet column : fraction.columns) {
      // A product of levels −1 and +1: the sign of what is low among them.
      const int low = std::popcount(column & ~run);
      row.push_back(low % 2 == 0 ? 1 : -1);
    }
    matrix.push_back(std::move(row));
  }
  return matrix;
}

std::vector<std::vector<FactorSet>> alias_sets(const RegularFraction& fraction) {
  std::map<FactorSet, std::vector<FactorSet>> by_column;
  std::vector<FactorSet> order;
  const auto add = [&](FactorSet column, FactorSet effect) {
    auto& set = by_column[column];
    if (set.empty()) order.push_back(column);
    set.push_back(effect);
  };
  const auto& columns = fraction.columns;
  for (int i = 0; i < fraction.factors(); ++i) add(columns[static_cast<std::size_t>(i)], bit(i));
  for (int i = 0; i < fraction.factors(); ++i)
    for (int j = i + 1; j < fraction.factors(); ++j)
      add(columns[static_cast<std::size_t>(i)] ^ columns[static_cast<std::size_t>(j)], bit(i) | bit(j));
  std::vector<std::vector<FactorSet>> sets;
  for (const FactorSet column : order)
    if (by_column[column].size() > 1) sets.push_back(by_column[column]);
  return sets;
}

}  // namespace stats
