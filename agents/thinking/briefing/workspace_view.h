#pragma once
// The workspace as a task shows it: the names of its files, and small text files whole, with line numbers, so that no
// agent reads a file in pieces that fits into its task. Reads files, on any thread.

#include <string>
#include <vector>

#include "agents/thinking/workspace/branch.h"
#include "kernel/domain/journal.h"

namespace agents {

struct WorkspaceView {
  struct Text {
    std::string path, content;
  };
  std::vector<Files::Entry> entries;
  std::vector<Text> quoted;  ///< Empty if the text files are too large together.
  bool whole = false;        ///< All text files are quoted.

  /// All names fit into the task.
  bool names_all() const;
};

/// The most bytes of text files that are quoted.
inline constexpr std::size_t most_quoted = 24 * 1024;

/// With `contents`, small text files are quoted; else only the names are shown.
WorkspaceView view_of(const Branch&, bool contents);

/// The section of the task. A file that is `known`, because the task has its text already, is not quoted again.
std::string workspace_note(const WorkspaceView&, const std::string& known);

/// The lines that the section quotes.
std::vector<kernel::ReadLines> lines_shown(const WorkspaceView&, const std::string& known);

}  // namespace agents
