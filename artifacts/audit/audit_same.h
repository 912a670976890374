#pragma once
// Compares a recorded decision with its repetition. Include it only in the audit of decisions.

#include <exception>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/audit/audit_values.h"
#include "kernel/codec/json_types.h"

namespace artifacts {

template <typename Recorded, typename Compute>
void DecisionAudit::same(const Recorded& recorded, Compute compute, const std::string& what, int line) {
  try {
    if (const auto difference = first_value_difference(nlohmann::json(recorded), nlohmann::json(compute())))
      decision(line, fmt::format("{}{} is {}, and the events before it give {}", what, difference->where,
                                 difference->found, difference->computed));
  } catch (const std::exception& error) {
    decision(line, fmt::format("{} cannot be computed: {}", what, error.what()));
  }
}

}  // namespace artifacts
