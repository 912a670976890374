#pragma once
// What a person does in a folder, told to whoever has the home or recorded where nobody has it: which study it belongs
// to, and one that is begun where there is none.

#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"

namespace cli {

struct OpenStudyOptions {
  std::string study;     ///< --study: an id or the beginning of one, or `new`; empty: the one that is open here.
  std::string question;  ///< --question: of a study that is begun.
};
void add_study_options(CLI::App& verb, OpenStudyOptions&);

/// Whether one would be begun.
bool none_is_open_here(const Context&, const OpenStudyOptions&);
/// The study's id; says on stderr which one it began.
kernel::Result<std::string> study_open_here(const Context&, const OpenStudyOptions&);

}  // namespace cli
