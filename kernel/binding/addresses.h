#pragma once
// Addresses of what a study recorded, `H1.effect` or `E01.time_ms.quick.mean`, and what stands there: text with its
// unit and the digits that the uncertainty justifies. docs/prose.md has the grammar. Pure; any thread.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Why an address has no value.
struct NoValue {
  std::string why;   ///< "is no address"
  std::string todo;  ///< The nearest spelling, or when there will be a value.
};
using Value = std::variant<std::string, NoValue>;

/// Nothing that a registered look has not opened yet: results and measured values are withheld until their experiment
/// is analysed.
Value value_at(const Study&, std::string_view address);

/// An address in its steps; dots between quotes do not part them. Empty: it is none.
std::vector<std::string> steps_of(std::string_view address);

/// `steps`: METRIC, CELL, STATISTIC.
Value cell_value(const Study&, const Experiment&, const std::vector<std::string>& steps);

}  // namespace kernel
