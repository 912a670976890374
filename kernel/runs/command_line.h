#pragma once
// A run's placeholders, and its argument list with their values. Pure; the only shell syntax read is quoting. A value
// never becomes more than one word of a shell command: if the quoting is uncertain, only plain values are allowed.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// `{name}` in a command; `{{` and `}}` are literal braces.
struct Placeholder {
  std::string name;         ///< "n", "size.d", "data.corpus"
  bool plain_only = false;  ///< Follows `$(…)`, a here-document or the like: only plain values are allowed.
};

/// In order of appearance, with repetitions. The problem has no file and no line.
Result<std::vector<Placeholder>> placeholders_in(const CommandTemplate&);

/// Names of the placeholders in order of first appearance, without repetitions.
Result<std::vector<std::string>> names_in(const CommandTemplate&);

/// The arguments to execute; a shell command becomes {"sh", "-c", text}. Throws std::invalid_argument unless
/// `placeholders_in` finds no problem, every name has a value, and `plain_only` ones have a plain value.
std::vector<std::string> substitute(const CommandTemplate&, const std::map<std::string, std::string>& values);

}  // namespace kernel
