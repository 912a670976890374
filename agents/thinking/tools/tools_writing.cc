// Tools that write on a branch of the workspace. After a crash they are run again, from their arguments alone.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "agents/thinking/workspace/source_lines.h"
#include "agents/thinking/workspace/unified_diff.h"
#include "base/kept_lines.h"

namespace agents {

namespace {

ToolResult write_file(const ToolInput& use) {
  const std::string path = use.text("path");
  const bool known = use.branch.read(path).has_value();
  const std::string content = use.text("content");
  if (std::string why = use.branch.write(path, content); !why.empty()) return refuse(std::move(why));
  return say(fmt::format("{}: {} lines.", known ? "The earlier file was replaced" : "Written",
                         kernel::lines_of(content).size()));
}

/// The number of the line in which the text has this byte.
std::size_t line_at(std::string_view text, std::size_t byte) {
  return static_cast<std::size_t>(std::ranges::count(text.substr(0, byte), '\n')) + 1;
}

/// "lines 3 to 5", and these lines with two of context.
std::string changed_passage(const std::string& path, std::string_view text, std::size_t from, std::size_t to) {
  constexpr std::size_t around = 2, most_shown_lines = 60;
  const std::size_t first = from > around ? from - around : 1, last = std::min(to + around, first + most_shown_lines);
  return fmt::format("lines {} to {}.\n", from, to) +
         quoted(path + " as it is now", numbered_lines(kernel::lines_of(text), first, last), most_shown);
}

/// The lines around a line, as read_file shows them.
std::string lines_around(std::string_view text, std::size_t line) {
  return numbered_lines(kernel::lines_of(text), line > 4 ? line - 4 : 1, line + 5);
}

/// Where the first line of a passage stands, without its indentation, if it stands somewhere; for a refusal.
std::string nearest_line(const std::string& path, const std::string& content, const std::string& old) {
  const auto trimmed = [](std::string_view line) {
    const std::size_t from = std::min(line.find_first_not_of(" \t\r"), line.size());
    return line.substr(from, line.find_last_not_of(" \t\r") + 1 - from);
  };
  std::string_view wanted;
  for (const std::string_view line : kernel::lines_of(old))
    if (wanted.empty()) wanted = trimmed(line);
  const auto lines = kernel::lines_of(content);
  for (std::size_t i = 0; i < lines.size() && !wanted.empty(); ++i)
    if (trimmed(lines[i]) == wanted)
      return fmt::format(": its first line stands in line {}, and what follows or its blanks differ\n", i + 1) +
             quoted(path + " as it is", lines_around(content, i + 1), most_shown);
  return ": copy it from the file as it is";
}

ToolResult edit_file(const ToolInput& use) {
  const std::string path = use.text("path"), old = use.text("old");
  std::optional<std::string> content = use.branch.read(path);
  if (!content) return refuse(no_such_file(use.branch, path));
  const std::size_t at = content->find(old);
  if (at == content->npos) return refuse("the old passage is not in the file" + nearest_line(path, *content, old));
  if (const std::size_t again = content->find(old, at + 1); again != content->npos)
    return refuse(
        fmt::format("the old passage is there more than once, in lines {} and {}: include more of the lines "
                    "around it",
                    line_at(*content, at), line_at(*content, again)));
  const std::string now = use.text("new");
  content->replace(at, old.size(), now);
  const std::string text = *content;
  if (std::string why = use.branch.write(path, std::move(*content)); !why.empty()) return refuse(std::move(why));
  const std::size_t end = now.empty() ? at : at + now.size() - 1;
  return say("Changed " + changed_passage(path, text, line_at(text, at), line_at(text, std::min(end, text.size()))));
}

/// ", lines 3 to 5, 9 to 9", by the numbers of the new text; nothing of new and deleted files.
std::string lines_changed(const FilePatch& file, const Branch& before, const Branch& after) {
  if (file.is_new || file.removes) return "";
  const std::string diff = diff_of(file.path, before.read(file.path), after.read(file.path));
  std::string list;
  for (const FilePatch& changed : read_diff(diff).files)
    for (const auto& [from, to] : places_changed(changed))
      list += fmt::format("{}{} to {}", list.empty() ? ", lines " : ", ", from, to);
  return list;
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
  std::string done;
  for (const FilePatch& file : diff.files)
    done += fmt::format("{}{} {}{}", done.empty() ? "" : "; ",
                        file.is_new    ? "new"
                        : file.removes ? "deleted"
                                       : "changed",
                        file.path, lines_changed(file, use.branch, patched));
  use.branch = std::move(patched);
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
