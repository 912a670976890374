#pragma once
// A run's command: which placeholders it names, and the argument list once their values are known. Pure; knows nothing
// of factors or of the shell beyond its quoting. In a shell command a value never becomes more than one word: where the
// quoting cannot be followed with certainty, only plain values are let in.

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
  bool plain_only = false;  ///< Stands behind `$(…)`, a here-document or the like: takes plain values only.
};

/// Letters, digits and `_./:=,+@%^-` only, at least one: means itself wherever it stands in a shell command.
bool is_plain(std::string_view value);

/// In order of appearance, repetitions included. The problem has no file and no line.
Result<std::vector<Placeholder>> placeholders_in(const CommandTemplate&);

/// The placeholders' names in order of first appearance, each once.
Result<std::vector<std::string>> names_in(const CommandTemplate&);

/// The arguments to execute; a shell command becomes {"sh", "-c", text}. Precondition: `placeholders_in` finds no
/// problem, every name has a value, and `plain_only` ones a plain value; std::invalid_argument otherwise.
std::vector<std::string> substitute(const CommandTemplate&, const std::map<std::string, std::string>& values);

}  // namespace kernel
