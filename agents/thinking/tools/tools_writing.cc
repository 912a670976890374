// Tools that write on a branch of the workspace. After a crash they are run again, from their arguments alone.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "agents/thinking/workspace/unified_diff.h"
#include "base/kept_lines.h"

namespace agents {

namespace {

ToolResult write_file(const ToolInput& use) {
  const std::string path = use.text("path");
  const bool known = use.branch.read(path).has_value();
  if (std::string why = use.branch.write(path, use.text("content")); !why.empty()) return refuse(std::move(why));
  return say(known ? "The earlier file was replaced." : "Written.");
}

ToolResult edit_file(const ToolInput& use) {
  const std::string path = use.text("path"), old = use.text("old");
  std::optional<std::string> content = use.branch.read(path);
  if (!content) return refuse("there is no such file in the workspace: list_files says which there are");
  const std::size_t at = content->find(old);
  if (at == content->npos) return refuse("the old passage is not in the file: read it again");
  if (content->find(old, at + 1) != content->npos)
    return refuse("the old passage is there more than once: include more of the lines around it");
  content->replace(at, old.size(), use.text("new"));
  if (std::string why = use.branch.write(path, std::move(*content)); !why.empty()) return refuse(std::move(why));
  return say("Changed.");
}

/// The lines around a line, as read_file shows them.
std::string lines_around(std::string_view text, std::size_t line) {
  const auto lines = kernel::lines_of(text);
  std::string shown;
  for (std::size_t n = line > 4 ? line - 4 : 1; n <= lines.size() && n < line + 6; ++n)
    shown += fmt::format("{:>5}  {}\n", n, lines[n - 1].substr(0, 500));
  return shown;
}

/// Applies all patches to the branch, perhaps only in part. Returns why one does not fit; empty if all did.
std::string patch_all(Branch& branch, const Diff& diff) {
  for (const FilePatch& file : diff.files) {
    const std::optional<std::string> before = branch.read(file.path);
    if (file.is_new && before) return file.path + " exists already: a patch that creates a file does not replace one";
    if (!file.is_new && !before) return file.path + ": there is no such file in the workspace";
    const std::string_view text = before ? std::string_view(*before) : std::string_view();
    Patched patched = apply(file, text);
    if (!patched.wrong.empty())
      return patched.wrong + "\n" + quoted(file.path + " as it is", lines_around(text, patched.line), most_shown);
    if (file.removes && !patched.text.empty())
      return file.path + " is to be deleted, but the patch does not remove all its lines";
    std::string why = file.removes ? branch.remove(file.path) : branch.write(file.path, std::move(patched.text));
    if (!why.empty()) return file.path + ": " + why;
  }
  return "";
}

ToolResult apply_patch(const ToolInput& use) {
  const std::string patch = use.text("patch");
  const Diff diff = read_diff(patch);
  if (!diff.wrong.empty()) return refuse(diff.wrong);
  Branch patched = use.branch;
  if (const std::string why = patch_all(patched, diff); !why.empty()) return refuse("Nothing was changed: " + why);
  use.branch = std::move(patched);
  std::string done;
  for (const FilePatch& file : diff.files)
    done += fmt::format("{}{} {}", done.empty() ? "" : "; ",
                        file.is_new    ? "new"
                        : file.removes ? "deleted"
                                       : "changed",
                        file.path);
  return say(quoted("what the patch did", done, most_shown));
}

/// A name that starts with a dash would be an option of the installer: another index, a file, no hash check.
ToolResult add_dependency(const ToolInput& use) {
  const std::string file = use.text("file"), line = use.text("line");
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(line, control)) return refuse("a dependency is one line of plain text");
  const std::size_t first = line.find_first_not_of(' ');
  if (first == line.npos || line[first] == '-' || line[first] == '#')
    return refuse("name a package: only a person may add options and comments");
  for (const char* structured : {".json", ".toml", ".yaml", ".yml", ".cfg", ".py", ".sh"})
    if (file.ends_with(structured)) return refuse("that file is not a list of dependencies: ask with `ask_person`");
  if (std::string why = use.branch.add_line(file, line); !why.empty()) return refuse(std::move(why));
  return say("It stands in " + file +
             " of your branch. The environment is set up with it once you finish; run_scratch "
             "and request_runs have the old one until then.");
}

}  // namespace

std::vector<NamedTool> tools_that_write() {
  return {
      {"write_file", write_file},
      {"edit_file", edit_file},
      {"apply_patch", apply_patch},
      {"add_dependency", add_dependency},
  };
}

}  // namespace agents
