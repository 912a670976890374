#include "kernel/evidence/items.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"

namespace kernel {

namespace {

/// The runs of one seed, one per cell of the hypothesis.
using OnSeed = std::map<const Cell*, const RunValue*>;

}  // namespace

ItemValues by_item(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs, const UnitRules& rules) {
  const std::vector<Cell> wanted = cells_of(spec, h);
  const std::set<Cell> cells(wanted.begin(), wanted.end());
  ItemValues out;
  std::map<std::uint64_t, OnSeed> seeds;
  std::map<Cell, const Cell*> places;  // One address per cell.
  for (const RunValue& run : runs) {
    if (run.failed || !run.value || !cells.contains(*run.cell)) continue;
    if (!run.items || run.items->empty())
      ++out.without;
    else
      seeds[run.seed].emplace(places.try_emplace(*run.cell, run.cell).first->second, &run);
  }
  std::map<std::string, std::map<const Cell*, std::vector<double>>> items;
  std::set<std::string> incomplete;
  for (const auto& [seed, own] : seeds) {
    std::map<std::string, std::size_t> there;
    for (const auto& [cell, run] : own)
      for (const auto& [item, value] : *run->items) ++there[item];
    const bool whole = own.size() == cells.size();
    out.seeds += whole ? 1 : 0;
    for (const auto& [item, count] : there) {
      auto& values = items[item];
      if (!whole) continue;
      if (count != cells.size()) {
        if (incomplete.insert(item).second && item == *incomplete.begin()) {
          out.lacking = item;
          for (const auto& [cell, run] : own)
            if (!run->items->contains(item)) out.lacked_by = *cell;
        }
        continue;
      }
      for (const auto& [cell, run] : own) values[cell].push_back(run->items->at(item));
    }
  }
  out.left_out = static_cast<int>(incomplete.size());
  std::uint64_t number = 0;
  for (const auto& [item, of_cells] : items) {
    ++number;
    const bool fewer = !of_cells.empty() && std::cmp_less(of_cells.begin()->second.size(), out.seeds);
    out.on_some_seeds += fewer && !incomplete.contains(item) ? 1 : 0;
    for (const auto& [cell, values] : of_cells) {
      RunValue value;
      value.cell = cell;
      value.seed = number;
      value.value = mean_of(values, on_logarithms(h, rules));
      out.values.push_back(value);
    }
  }
  return out;
}

}  // namespace kernel
