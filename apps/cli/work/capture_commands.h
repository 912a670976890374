#pragma once
// Records a person's work in a folder: finds the study that is open there or opens one. The home's owner records it or,
// without an owner, this process.

#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"

namespace cli {

struct OpenStudyOptions {
  std::string study;     ///< --study: an id or its beginning, or `new`; empty for the study that is open here.
  std::string question;  ///< --question: of a new study.
};
void add_study_options(CLI::App& verb, OpenStudyOptions&);

/// Whether a new study would be opened.
bool none_is_open_here(const Context&, const OpenStudyOptions&);
/// The study's id; prints on stderr if it was opened.
kernel::Result<std::string> study_open_here(const Context&, const OpenStudyOptions&);

}  // namespace cli
