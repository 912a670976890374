#include "agents/thinking/briefing/workspace_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/workspace/source_lines.h"
#include "base/kept_lines.h"
#include "base/utf8.h"

namespace agents {

namespace {

constexpr std::size_t most_names = 200;

bool is_text(const std::string& content) {
  return content.find('\0') == content.npos && kernel::valid_utf8(content);
}

}  // namespace

bool WorkspaceView::names_all() const {
  return entries.size() <= most_names;
}

WorkspaceView view_of(const Branch& branch, bool contents) {
  WorkspaceView view{branch.entries(), {}, false};
  if (!contents || view.entries.size() > most_names) return view;
  view.whole = true;
  std::size_t bytes = 0;
  for (const Files::Entry& entry : view.entries) {
    const bool small = entry.bytes <= static_cast<std::int64_t>(most_quoted);
    const std::optional<std::string> content = small ? branch.read(entry.path) : std::nullopt;
    if (!content) view.whole = false;  // It may be text.
    if (!content || !is_text(*content)) continue;
    bytes += content->size();
    view.quoted.push_back({entry.path, *content});
    if (bytes <= most_quoted) continue;
    view.quoted.clear();
    view.whole = false;
    break;
  }
  return view;
}

std::string workspace_note(const WorkspaceView& view, const std::string& known) {
  std::string names;
  for (std::size_t i = 0; i < std::min(view.entries.size(), most_names); ++i)
    names += fmt::format("{}  {} bytes\n", view.entries[i].path, view.entries[i].bytes);
  if (!view.names_all())
    names += fmt::format("… and {} more: `list_files` has them\n", view.entries.size() - most_names);
  std::string note = "## Its workspace\n\n" + quoted("names of the workspace's files", names, 40000) + "\n";
  std::string texts;
  for (const WorkspaceView::Text& file : view.quoted)
    if (file.content != known)
      texts +=
          quoted(file.path, numbered_lines(kernel::lines_of(file.content), 1, file.content.size()), 2 * most_quoted) +
          "\n";
  if (texts.empty()) return note;
  return note +
         (view.whole ? "\nIts text files follow, with line numbers: no need to read them again.\n\n"
                     : "\nIts small text files follow, with line numbers: no need to read them again.\n\n") +
         texts;
}

std::vector<kernel::ReadLines> lines_shown(const WorkspaceView& view, const std::string& known) {
  std::vector<kernel::ReadLines> lines;
  for (const WorkspaceView::Text& file : view.quoted)
    if (const auto count = static_cast<int>(kernel::lines_of(file.content).size()); count > 0 && file.content != known)
      lines.push_back({file.path, 1, count});
  return lines;
}

}  // namespace agents
