#include "kernel/binding/address_list.h"

#include <fmt/format.h>

#include "kernel/binding/addresses.h"

namespace kernel {

namespace {

constexpr const char* result_members[] = {
    "verdict",     "finding", "effect", "effect_relative", "interval", "interval_relative", "level", "p",
    "p_corrected", "n",       "failed", "power",           "reason"};
constexpr const char* arm_statistics[] = {"mean", "sd", "n", "failed"};

/// "arm=fast,n=200", the levels that fix an arm, as an address spells them.
std::string cell_step(const Cell& arm, const Cell& where) {
  Cell cell = where;
  cell.insert(arm.begin(), arm.end());
  std::string step;
  for (const auto& [factor, level] : cell)
    step += fmt::format("{}{}={}", step.empty() ? "" : ",", spelled_in_address(factor), spelled_in_address(level));
  return step.empty() ? "all" : step;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> addresses_of(const Study& study, const HypothesisRecord& record) {
  std::vector<std::pair<std::string, std::string>> list;
  const auto add = [&](const std::string& address) {
    const AddressValue value = value_at(study, address);
    if (const auto* text = std::get_if<std::string>(&value)) list.emplace_back(address, *text);
  };
  const Hypothesis& h = record.hypothesis;
  if (!record.result) return list;
  for (const char* member : result_members) add(fmt::format("{}.{}", h.id, member));
  if (!h.has_arms() || record.experiment.empty()) return list;
  for (const Cell* arm : {&h.treatment, &h.control})
    for (const char* statistic : arm_statistics)
      add(fmt::format("{}.{}.{}.{}", record.experiment, spelled_in_address(h.metric), cell_step(*arm, h.where),
                      statistic));
  return list;
}

}  // namespace kernel
