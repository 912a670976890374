#pragma once
// The code of the versions that are confirmed: for commits the tree of each, for programs the text of each, in a folder
// of its own name. Versions that nothing distinguishes, or that lack something, cannot be run. Reads git; any thread.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "histories/confirm/claims.h"
#include "histories/read/git_objects.h"
#include "histories/read/history.h"

namespace histories {

/// Name of the file of Form::program, without its suffix.
inline constexpr const char* program_stem = "program";

/// Path, which begins with the version's arm, → file. Empty for Form::parameters. Sets `cannot` of improvements with
/// the code of an earlier version. A problem if a version's code is gone, and was not skipped.
kernel::Result<Tree> files_of(const History&, RecordedClaims&);

/// A command with placeholders for a history's parameters.
struct Template {
  std::string run;                 ///< With {version.NAME} for each parameter that it names.
  std::vector<std::string> names;  ///< Parameters that it names, as the history spells them; sorted.
};
/// `{NAME}` becomes {version.NAME} with a name that a study file allows; other placeholders, and `{{`, stay.
Template with_parameters(const std::string& run, const History&);
/// The parameter's name in a study file: characters other than letters, digits, `_` and `-` become `_`.
std::string key_of(const std::string& parameter);

/// Sets `cannot` of improvements that lack a named parameter, or have the values of an earlier version. A problem if
/// none is named, or the baseline lacks one.
std::optional<kernel::Problem> check_parameters(const History&, const Template&, RecordedClaims&);

/// A problem if no improvement is left to run.
std::optional<kernel::Problem> nothing_left(const History&, const RecordedClaims&);

}  // namespace histories
