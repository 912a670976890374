#pragma once
// What can be told of code from its text: its lines with numbers, lines that do nothing, and files that a command
// opens. It errs on the side of code: a file counts as opened where its name stands in an opened one. Pure except for
// the reader that it is given.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/kept_lines.h"

namespace agents {

/// The lines from `from` to `to` at most, with their numbers, which count from 1; long ones are cut.
std::string numbered_lines(const kernel::Lines&, std::size_t from, std::size_t to);

/// True if one of the lines, which count from 1, is more than blanks, signs, a comment or a docstring.
bool does_something(const std::string& path, std::string_view text, int from, int to);

/// The files of `paths` that the commands name, and those that these name or import, and so on. Empty if the commands
/// name none, so that nothing is known.
std::set<std::string> opened_by(const std::vector<std::string>& commands, const std::vector<std::string>& paths,
                                const std::function<std::optional<std::string>(const std::string&)>& read);

}  // namespace agents
