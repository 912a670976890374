#pragma once
// Addresses of values that a study recorded, such as `H1.effect` or `E01.time_ms.quick.mean`, and their text with unit
// and the digits that the uncertainty justifies. docs/prose.md has the grammar. Pure; any thread.

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
using AddressValue = std::variant<std::string, NoValue>;

/// The value at an address. Results and measured values are withheld until their experiment is analysed.
AddressValue value_at(const Study&, std::string_view address);

/// The parts between separators; those between quotes do not separate.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// A name or a level as an address spells it: quoted if it has characters that separate parts of an address.
std::string spelled_in_address(const std::string&);

/// `steps` are METRIC, CELL and STATISTIC.
AddressValue cell_value(const Study&, const Experiment&, const std::vector<std::string>& steps);

}  // namespace kernel
