#include "kernel/placement/placer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernel::placement {

namespace {

/// Scores that are kept at most, 16 bytes each, and demands.
constexpr std::size_t most_kept = 4'000'000, most_demands = 100'000;

}  // namespace

Placer::Placer(std::vector<ClusterNode> nodes, const Policy& policy, std::uint64_t seed)
    : nodes_(std::move(nodes)), versions_(nodes_.size(), 1), policy_(policy), random_(seed) {}

std::span<const Placer::Known> Placer::scores(const Demand& demand) {
  const auto found = known_.find(demand);
  std::vector<Known>* scores = found == known_.end() ? &unkept_ : &found->second;
  if (found == known_.end()) {
    if (known_.size() == most_demands) forget();
    known_.try_emplace(demand);
    unkept_.assign(nodes_.size(), {});
  } else if (scores->empty()) {
    if (kept_ + nodes_.size() > most_kept) {
      forget();
      scores = &known_[demand];
    }
    kept_ += nodes_.size();
    scores->resize(nodes_.size());
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Known& known = (*scores)[i];
    if (known.version == versions_[i]) continue;
    const ClusterNode& node = nodes_[i];
    known.score = node.fits(demand) ? policy_.score(node, demand) : std::numeric_limits<double>::quiet_NaN();
    known.version = versions_[i];
  }
  return *scores;
}

void Placer::forget() {
  known_.clear();
  kept_ = 0;
}

std::optional<std::size_t> Placer::best(std::span<const Known> known) {
  std::optional<std::size_t> best;
  std::uint32_t equals = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double score = known[i].score;  // NaN is neither greater nor equal.
    if (best ? score > known[*best].score : !std::isnan(score)) {
      best = i;
      equals = 1;
    } else if (best && score == known[*best].score) {
      ++equals;
    }
  }
  if (!best || !policy_.draws()) return best;
  std::uint32_t skipped = random_.below(equals);
  for (std::size_t i = *best;; ++i)
    if (known[i].score == known[*best].score && skipped-- == 0) return i;
}

std::optional<Placement> Placer::place(const Demand& demand) {
  const std::span<const Known> known = scores(demand);
  const auto chosen = best(known);
  if (!chosen) return std::nullopt;
  Placement placement{*chosen, policy_.devices(nodes_[*chosen], demand, random_), known[*chosen].score};
  take(nodes_[*chosen], demand, placement.devices);
  ++versions_[*chosen];
  return placement;
}

void Placer::remove(const Demand& demand, const Placement& placement) {
  give_back(nodes_.at(placement.node), demand, placement.devices);
  ++versions_[placement.node];
}

std::vector<PlacementCandidate> Placer::candidates(const Demand& demand) const {
  std::vector<PlacementCandidate> candidates;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].fits(demand)) candidates.push_back({i, policy_.score(nodes_[i], demand)});
  std::ranges::stable_sort(candidates, std::greater{}, &PlacementCandidate::score);
  return candidates;
}

}  // namespace kernel::placement
