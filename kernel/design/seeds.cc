#include "kernel/design/seeds.h"

#include <charconv>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "base/digest.h"
#include "kernel/evidence/blocks.h"

namespace kernel {

namespace {

std::uint64_t number_from(const std::string& text) {
  const std::string hash = sha256_hex(text);
  std::uint64_t number = 0;
  std::from_chars(hash.data(), hash.data() + 16, number, 16);
  return number;
}

/// The experiment and those that it amends.
std::set<ExperimentId> with_amended(const Experiments& study, ExperimentId experiment) {
  std::set<ExperimentId> chain;
  while (!experiment.empty() && chain.insert(experiment).second) {
    const Experiment* e = study.experiment(experiment);
    experiment = e ? e->registration.amends : "";
  }
  return chain;
}

/// Null if the cell has no pinned seeds.
const std::vector<std::uint64_t>* pinned_seeds(const Design& design, const Cell& cell) {
  for (const PinnedCell& pinned : design.pinned)
    if (pinned.cell == cell) return &pinned.seeds;
  return nullptr;
}

}  // namespace

Draw draw_for(const StudySpec& spec, const Draw& fresh, std::string_view what) {
  if (spec.seeds == SeedRule::derived) return Draw();
  if (spec.seeds == SeedRule::fixed)
    return Draw(sha256_hex(fmt::format("etude seeds {} {}", spec.seed, what)).substr(0, 32));
  if (fresh.empty()) throw std::invalid_argument("there are no random bits for seeds that are drawn");
  return fresh;
}

Draw planning_draw() {
  return Draw(std::string(32, '0'));
}

FreshSeeds::FreshSeeds(const Study& study, const Draw& draw, std::string_view purpose, const ExperimentId& except)
    : start_(fmt::format("{} {} ", draw.text(), purpose)) {
  const std::set<ExperimentId> kept = with_amended(study, except);
  for (const Run& run : study.runs)
    if (!kept.contains(run.experiment)) used_.insert(run.seed);
  for (const Experiment& e : study.experiments) {
    if (kept.contains(e.registration.experiment)) continue;
    used_.insert(e.registration.seeds.begin(), e.registration.seeds.end());
    if (e.registration.aa) used_.insert(e.registration.aa->seeds.begin(), e.registration.aa->seeds.end());
    if (e.registration.terms)
      for (const auto& seeds : e.registration.terms->run_seeds) used_.insert(seeds.begin(), seeds.end());
  }
  if (study.search) {
    const Registration& selection = study.search->plan.registered;
    used_.insert(selection.seeds.begin(), selection.seeds.end());
  }
}

std::uint64_t FreshSeeds::next() {
  while (true)
    if (const std::uint64_t seed = number_from(start_ + std::to_string(count_++)) & 0x7fffffffULL;
        used_.insert(seed).second)
      return seed;
}

std::uint64_t order_from(const Draw& draw, std::string_view purpose) {
  return number_from(fmt::format("{} {} order", draw.text(), purpose));
}

Randomness fresh_randomness(const Study& study, const Draw& draw, std::string_view purpose) {
  const bool paired = study.spec.design.pairing == Pairing::seed;
  return {order_from(draw, purpose),
          [&study, paired, fresh = std::make_shared<FreshSeeds>(study, draw, purpose),
           given = std::map<int, std::uint64_t>()](const PlannedRun& run, const Cell& cell) mutable {
            if (!paired || run.aa) return fresh->next();
            const int index = seed_index(study.spec.factors, study.spec.design.blocks, cell, run.replicate - 1);
            if (const auto known = given.find(index); known != given.end()) return known->second;
            return given[index] = fresh->next();
          }};
}

Randomness registered_randomness(const StudyTerms& terms, const Registration& r) {
  if (terms.spec.seeds == SeedRule::derived) return derived_randomness(terms, Purpose::registered, r.first_seed);
  return {order_from(r.draw, "registered"), [&r](const PlannedRun& run, const Cell&) {
            if (run.aa) return r.aa->seeds.at(static_cast<std::size_t>(run.replicate) - 1);
            const std::uint64_t* seed = registered_seed(r, static_cast<std::size_t>(run.cell), run.replicate);
            if (!seed) throw std::out_of_range("a run without a registered seed");
            return *seed;
          }};
}

std::uint64_t derived_seed(const StudySpec& spec, Purpose purpose, int index) {
  SplitMix random{spec.seed ^ (0x51ed270b7a1fULL * (static_cast<std::uint64_t>(purpose) + 1))};
  // The purpose takes the top two of 31 bits, and an odd multiplier permutes the rest, so no seed is used twice. A
  // search and a comparison of code use the seeds of scratch runs, because no scratch run of a study measures.
  const std::uint64_t low = 0x1fffffffULL;
  const std::uint64_t start = random.next() & low;
  const bool shares = purpose == Purpose::search || purpose == Purpose::comparison || purpose == Purpose::repeat;
  const Purpose stream = shares ? Purpose::scratch : purpose;
  return (static_cast<std::uint64_t>(stream) << 29) |
         ((start + static_cast<std::uint64_t>(index) * 0x3504f335ULL) & low);
}

Randomness derived_randomness(const StudyTerms& terms, Purpose purpose, int first_seed) {
  // If paired, all cells (of a block) share one seed per replicate. If unpaired, each run has its own seed.
  return {terms.spec.seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(purpose) +
              (static_cast<std::uint64_t>(first_seed) << 8),
          [&terms, purpose, first_seed, index = first_seed](const PlannedRun& run, const Cell& cell) mutable {
            const Design& design = terms.spec.design;
            const bool paired = design.pairing == Pairing::seed;
            return derived_seed(
                terms.spec, purpose,
                paired ? first_seed + seed_index(terms.spec.factors, design.blocks, cell, run.replicate - 1) : index++);
          }};
}

const std::uint64_t* registered_seed(const Registration& r, std::size_t cell, int replicate) {
  const auto at = [](const std::vector<std::uint64_t>& seeds, int index) {
    return index >= 0 && index < static_cast<int>(seeds.size()) ? &seeds[static_cast<std::size_t>(index)] : nullptr;
  };
  if (!r.terms) return r.pairing == Pairing::seed ? at(r.seeds, replicate - 1) : nullptr;
  if (cell >= r.cells.size()) return nullptr;
  if (!r.terms->design.pinned.empty()) {
    const auto* pinned = pinned_seeds(r.terms->design, r.cells[cell]);
    return pinned ? at(*pinned, replicate - 1) : nullptr;
  }
  if (r.pairing == Pairing::seed)
    return at(r.seeds, seed_index(r.terms->factors, r.terms->design.blocks, r.cells[cell], replicate - 1));
  return cell < r.terms->run_seeds.size() ? at(r.terms->run_seeds[cell], replicate - 1) : nullptr;
}

}  // namespace kernel
