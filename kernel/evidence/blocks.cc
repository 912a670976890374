#include "kernel/evidence/blocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "stats/basics/descriptive.h"

namespace kernel {

namespace {

bool is_block(std::span<const std::string> blocks, const std::string& factor) {
  return std::ranges::find(blocks, factor) != blocks.end();
}

Cell outside_blocks(const StudySpec& spec, Cell cell) {
  for (const std::string& factor : spec.design.blocks) cell.erase(factor);
  return cell;
}

/// The hypothesis's cells by block.
std::map<int, std::vector<const ObservedCell*>> by_block(const StudySpec& spec, std::span<const Setting> settings) {
  std::map<int, std::vector<const ObservedCell*>> blocks;
  for (const Setting& setting : settings)
    for (const std::vector<ObservedCell>* arm : {&setting.treatment, &setting.control})
      for (const ObservedCell& cell : *arm) blocks[block_of(spec, cell.cell)].push_back(&cell);
  return blocks;
}

std::set<std::uint64_t> seeds_of(const ObservedCell& cell) {
  std::set<std::uint64_t> seeds;
  for (const auto& v : cell.values) seeds.insert(v.seed);
  for (const auto& failure : cell.failed) seeds.insert(failure.seed);
  return seeds;
}

/// A shared control may have more seeds than one of its treatments.
std::set<std::uint64_t> shared_seeds(const std::vector<const ObservedCell*>& cells) {
  std::set<std::uint64_t> common = seeds_of(*cells.front());
  for (const ObservedCell* cell : cells) {
    const std::set<std::uint64_t> own = seeds_of(*cell);
    std::erase_if(common, [&](std::uint64_t seed) { return !own.contains(seed); });
  }
  return common;
}

}  // namespace

bool in_blocks(const StudySpec& spec) {
  return !spec.design.blocks.empty();
}

bool is_block(const StudySpec& spec, const std::string& factor) {
  return is_block(spec.design.blocks, factor);
}

const char* unit_name(const StudySpec& spec) {
  return in_blocks(spec) ? "block" : "seed";
}

const char* unit_name(const StudySpec& spec, const Hypothesis& h) {
  return h.unit == TestUnit::item ? "item" : unit_name(spec);
}

std::optional<double> mean_of(const std::vector<double>& values, bool log) {
  if (!log) return stats::mean(values);
  std::vector<double> logarithms;
  for (const double v : values) {
    // Such a value has no logarithm; the caller that takes the logarithm reports it.
    if (v <= 0) return v;
    logarithms.push_back(std::log(v));
  }
  const std::optional<double> mean = stats::mean(logarithms);
  return mean ? std::optional(std::exp(*mean)) : std::nullopt;
}

std::string blocks_words(const StudySpec& spec) {
  return fmt::format("{} blocks of {}", block_count(spec), fmt::join(spec.design.blocks, " × "));
}

int block_count(std::span<const Factor> factors, std::span<const std::string> blocks) {
  std::size_t count = 1;
  for (const Factor& factor : factors)
    if (is_block(blocks, factor.name)) count *= factor.levels.size();
  return static_cast<int>(count);
}

int block_count(const StudySpec& spec) {
  return block_count(spec.factors, spec.design.blocks);
}

int block_of(std::span<const Factor> factors, std::span<const std::string> blocks, const Cell& cell) {
  std::size_t number = 0;
  for (const Factor& factor : factors) {
    if (!is_block(blocks, factor.name)) continue;
    const auto entry = cell.find(factor.name);
    const Level* level = entry == cell.end() ? nullptr : factor.level(entry->second);
    number = number * factor.levels.size() + static_cast<std::size_t>(level ? level - factor.levels.data() : 0);
  }
  return static_cast<int>(number);
}

int block_of(const StudySpec& spec, const Cell& cell) {
  return block_of(spec.factors, spec.design.blocks, cell);
}

int seed_index(std::span<const Factor> factors, std::span<const std::string> blocks, const Cell& cell, int replicate) {
  // Unsigned, because a log from another author may hold any numbers and signed overflow is undefined.
  return static_cast<int>(static_cast<unsigned>(replicate) * static_cast<unsigned>(block_count(factors, blocks)) +
                          static_cast<unsigned>(block_of(factors, blocks, cell)));
}

StudySpec without_blocks(const StudySpec& spec) {
  StudySpec view = spec;
  std::erase_if(view.factors, [&](const Factor& f) { return is_block(spec.design.blocks, f.name); });
  return view;
}

Folded folded(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, const UnitRules& rules) {
  Folded out;
  out.spec = without_blocks(spec);
  const bool log = on_logarithms(h, rules);
  const Metric* metric = spec.metric(h.metric);
  const bool deterministic = metric && metric->deterministic;
  std::map<Cell, const Cell*> places;
  for (const auto& [block, cells] : by_block(spec, settings)) {
    const std::set<std::uint64_t> seeds = shared_seeds(cells);
    for (const ObservedCell* cell : cells) {
      RunValue value;
      const auto [place, fresh] = places.try_emplace(outside_blocks(spec, cell->cell), nullptr);
      if (fresh) place->second = &out.cells.emplace_back(place->first);
      value.cell = place->second;
      value.seed = static_cast<std::uint64_t>(block);
      const auto failed = [&](const ObservedCell::Failure& f) { return seeds.contains(f.seed); };
      value.failed = std::ranges::any_of(cell->failed, failed);
      std::vector<double> own;
      for (const auto& v : cell->values)
        if (seeds.contains(v.seed)) own.push_back(v.value);
      const bool varies = std::ranges::any_of(own, [&](double v) { return v != own.front(); });
      if (deterministic && varies) out.obstacle = {ReasonCode::varied_in_cell, {{"metric", h.metric}}};
      if (std::ranges::any_of(cell->values, [](const auto& v) { return v.censored; }))
        out.obstacle = {ReasonCode::blocks_cut_off, {{"metric", h.metric}}};
      if (!value.failed && own.empty() && cell->unusable == 0) continue;
      if (!value.failed && cell->unusable == 0) {
        value.value = mean_of(own, log);
        if (!value.value) out.obstacle = {ReasonCode::values_too_large};
      }
      out.values.push_back(value);
    }
  }
  return out;
}

Folded within_block(const StudySpec& spec, int block, std::span<const RunValue> runs) {
  Folded out;
  out.spec = without_blocks(spec);
  std::map<const Cell*, const Cell*> places;
  for (const RunValue& run : runs) {
    if (block_of(spec, *run.cell) != block) continue;
    const auto [place, fresh] = places.try_emplace(run.cell, nullptr);
    if (fresh) place->second = &out.cells.emplace_back(outside_blocks(spec, *run.cell));
    out.values.push_back(run);
    out.values.back().cell = place->second;
  }
  return out;
}

Reason disagreement(const StudySpec& spec, std::span<const Cell> levels, std::span<const double> effects) {
  struct Block {
    std::string name;
    std::vector<double> effects;
  };
  std::map<int, Block> blocks;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Block& block = blocks[block_of(spec, levels[i])];
    block.effects.push_back(effects[i]);
    if (!block.name.empty()) continue;
    for (const std::string& factor : spec.design.blocks)
      if (const auto level = levels[i].find(factor); level != levels[i].end())
        block.name += (block.name.empty() ? "" : ", ") + factor + "=" + level->second;
  }
  std::vector<std::string> above, below;
  for (const auto& [number, block] : blocks) {
    const double effect = stats::mean(block.effects).value_or(0);
    if (effect != 0) (effect > 0 ? above : below).push_back(block.name);
  }
  if (above.empty() || below.empty()) return {};
  const bool few_above = above.size() < below.size();
  const std::vector<std::string>& few = few_above ? above : below;
  constexpr std::size_t most_named = 5;
  const std::span<const std::string> named(few.data(), std::min(few.size(), most_named));
  Reason differ{few_above ? ReasonCode::blocks_disagree_above : ReasonCode::blocks_disagree_below,
                {{"few", static_cast<std::int64_t>(few.size())},
                 {"blocks", static_cast<std::int64_t>(blocks.size())},
                 {"names", fmt::format("{}", fmt::join(named, "; "))}}};
  if (few.size() > most_named)
    differ.values["more"] =
        std::vector{Reason{ReasonCode::and_more, {{"more", static_cast<std::int64_t>(few.size() - most_named)}}}};
  return differ;
}

}  // namespace kernel
