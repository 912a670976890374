#pragma once
// A first study out of a command that a person already runs: its option values become factors and levels, its seed the
// study's, what its source seems to report metrics. Reads files below one folder, runs Python to read the source, and
// writes nothing.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/draft/command_options.h"
#include "base/result.h"
#include "kernel/domain/frozen_inputs.h"

namespace cli {

struct DraftPlace {
  std::string folder;        ///< Absolute path in which the command runs; the study's workspace.
  std::string study_folder;  ///< Absolute path of the folder for study.yaml.
  std::string active_venv;   ///< $VIRTUAL_ENV, or empty.
  kernel::IgnoredFiles ignored{};
};

struct DraftFactor {
  std::string name, value;          ///< The value on the command line, or the program's default.
  std::vector<std::string> levels;  ///< Including the value.
};

struct DraftData {
  std::string name, path;
  bool folder = false;
};

struct StudyDraft {
  DraftPlace place;
  std::string command;                 ///< As given.
  std::string run;                     ///< With placeholders.
  std::vector<std::string> run_lines;  ///< `run`, cut at spaces so that each edit of a file has its own line.
  std::string program;                 ///< "train.py"
  std::vector<DraftFactor> factors;    ///< At least one, with two levels or more.
  std::vector<DraftFactor> constants;  ///< Options that would make too many cells, or have one level only.
  std::vector<DraftData> data;
  std::vector<ScriptMetric> metrics;  ///< The primary first; empty: nothing was to be seen.
  std::string unread;                 ///< Why the program's source was not read, if it was not.
  std::string venv;                   ///< Absolute path; empty: none.
  std::string packages;               ///< The file that lists packages, where there is no venv; or empty.
  std::string license, license_file;  ///< SPDX id of the code, if the workspace's file has a common text.
  std::size_t cells = 1;
  bool seeded = false;
  bool redirected = false;     ///< `2>&1`: its metrics are in what it logs.
  bool from_defaults = false;  ///< The factors are not on the command line.
  int gpus = 0;                ///< That a run seems to use, by its source and command.
  /// Files of the workspace that runs change in their own copies, for factors or the seed.
  std::vector<std::string> edited;
  std::vector<kernel::IgnoredEntry> needed;  ///< Ignored, but the program's source names them.
};

/// A problem if the command names no program of the folder, begins with a file that a shell would not start, or has
/// nothing that could vary.
kernel::Result<StudyDraft> draft_study(const std::string& command, const DraftPlace&);

/// study.yaml; every guess is marked DECIDE in a comment.
std::string draft_yaml(const StudyDraft&);

}  // namespace cli
