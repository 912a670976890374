#include "kernel/design/pinned.h"

#include <map>

#include "kernel/evidence/blocks.h"

namespace kernel {

namespace {

/// Null if the cell has no pinned seeds.
const std::vector<std::uint64_t>* pinned_seeds(const Design& design, const Cell& cell) {
  for (const PinnedCell& pinned : design.pinned)
    if (pinned.cell == cell) return &pinned.seeds;
  return nullptr;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms& study, Purpose purpose,
                                                   const std::vector<Cell>& cells) {
  std::vector<std::vector<std::uint64_t>> seeds;
  if (purpose != Purpose::registered || study.spec.design.pinned.empty()) return seeds;
  std::map<Cell, const std::vector<std::uint64_t>*> known;
  for (const PinnedCell& pinned : study.spec.design.pinned) known.emplace(pinned.cell, &pinned.seeds);
  for (const Cell& cell : cells) {
    const auto found = known.find(cell);
    seeds.push_back(found == known.end() ? std::vector<std::uint64_t>() : *found->second);
  }
  return seeds;
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
