#pragma once
// The seeds and the order of runs. They follow from random bits that are drawn in the event that needs them and
// recorded there, so that nothing that could be read earlier determines them. With `seeds: fixed` they follow from the
// study's seed, and logs without a rule keep the derivation that they began with. Pure.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/study/state.h"

namespace kernel {

/// splitmix64 (Steele, Lea and Flood 2014): small, takes a seed and gives the same numbers on every machine.
struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
};

/// The random bits for an event of the study. `fresh`: new random bits, used if the study's seeds are drawn. `what`
/// distinguishes the events of a study with fixed seeds. Empty in studies without a rule.
/// Throws std::invalid_argument if it would have to be drawn and `fresh` is empty.
Draw draw_for(const StudySpec&, const Draw& fresh, std::string_view what);

/// Bits for designs that are only counted or shown, and never run.
Draw planning_draw();

/// Seeds below 2^31 that follow from the bits, and that no other run and no registration of the study has.
class FreshSeeds {
 public:
  /// `purpose` distinguishes several series from the same bits. The experiment `except` and those that it amends keep
  /// their seeds, so these may be given again; empty if there is none.
  FreshSeeds(const Study&, const Draw&, std::string_view purpose, const ExperimentId& except = {});
  std::uint64_t next();

 private:
  std::string start_;
  int count_ = 0;
  std::set<std::uint64_t> used_;
};

/// How `interleaved` orders runs and seeds them.
struct Randomness {
  std::uint64_t order = 0;  ///< Start of the shuffles.
  /// Called once for each run, in their order.
  std::function<std::uint64_t(const PlannedRun&, const Cell&)> seed;
};

/// Fresh seeds: one per replicate (and block) for all cells if the study pairs by seed, else one per run.
Randomness fresh_randomness(const Study&, const Draw&, std::string_view purpose);
/// The seeds of a registration of the study, which must outlive the result; its function throws std::out_of_range for
/// a run without a seed.
Randomness registered_randomness(const Study&, const Registration&);
/// The seed that a registration gives this replicate (from 1) of a cell; null if there is none.
const std::uint64_t* registered_seed(const Registration&, std::size_t cell, int replicate);

/// The start of a shuffle.
std::uint64_t order_from(const Draw&, std::string_view purpose);

/// The seed with this index (from 0) of a purpose, below 2^31, in studies without a rule. Smoke, pilot and registered
/// runs have distinct seeds.
std::uint64_t derived_seed(const StudySpec&, Purpose, int index);
/// Derived seeds, the first of which has this index.
Randomness derived_randomness(const Study&, Purpose, int first_seed);

}  // namespace kernel
