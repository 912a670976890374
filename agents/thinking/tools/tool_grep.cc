// Finds lines in the workspace's files by a text or a regular expression. RE2 does not backtrack. The work of one call
// is bounded by bytes and pattern, so the answer is the same on every machine.
#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "base/kept_lines.h"
#include "base/utf8.h"

namespace agents {

namespace {

constexpr std::size_t most_lines = 200, most_of_a_file = 4u << 20, most_of_found = 2 * most_shown;
constexpr int most_program = 1000;                  ///< Instructions of a compiled pattern.
constexpr std::int64_t most_steps = 1'000'000'000;  ///< Bytes times instructions.

/// The matches, and how much was not searched.
struct Found {
  std::string lines;
  std::size_t matches = 0, files = 0, not_text = 0, not_reached = 0;
};

/// Cuts a long line to the text around the match.
std::string around_match(std::string_view line, const char* match) {
  constexpr std::size_t before = 100, shown = 300;
  const auto at = match ? static_cast<std::size_t>(match - line.data()) : 0;
  if (at + before < shown) return std::string(line.substr(0, shown));
  return "…" + std::string(line.substr(at - before, shown));
}

class Search {
 public:
  Search(const RE2& pattern, std::size_t context)
      : pattern_(pattern), context_(context), weight_(std::max(16, pattern.ProgramSize())) {}

  void file(const std::string& path, std::string_view text) {
    const auto lines = kernel::lines_of(text);
    std::size_t to_show = 0, next = 0;  // Number of context lines still to show; first line not shown yet.
    bool any = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      re2::StringPiece match;
      const re2::StringPiece line(lines[i].data(), lines[i].size());
      const bool matches = pattern_.Match(line, 0, line.size(), RE2::UNANCHORED, &match, 1);
      if (matches && ++found.matches <= most_lines) {
        const std::size_t from = std::max(next, i - std::min(i, context_));
        if (context_ > 0 && !found.lines.empty() && (!any || from > next)) add("--\n");
        for (std::size_t k = from; k < i; ++k) add_context(path, k, lines[k]);
        add(fmt::format("{}:{}: {}\n", path, i + 1, around_match(lines[i], match.data())));
        to_show = context_;
        next = i + 1;
      } else if (to_show > 0) {
        --to_show;
        add_context(path, i, lines[i]);
        next = i + 1;
      }
      any = any || matches;
    }
    found.files += any ? 1 : 0;
  }

  /// Whether a file of that size fits into the limits; if so, it is counted.
  bool affords(std::int64_t bytes) {
    const std::int64_t steps = (bytes + 1) * weight_;
    if (steps > most_steps - steps_) return false;
    steps_ += steps;
    return true;
  }

  Found found;

 private:
  void add_context(const std::string& path, std::size_t number, std::string_view line) {
    add(fmt::format("{}-{}- {}\n", path, number + 1, line.substr(0, 300)));
  }
  void add(const std::string& line) {
    if (found.lines.size() + line.size() <= most_of_found) found.lines += line;
  }

  const RE2& pattern_;
  const std::size_t context_;
  const std::int64_t weight_;
  std::int64_t steps_ = 0;
};

std::string what_was_left_out(const Found& found) {
  std::string words;
  if (found.matches > most_lines) words += fmt::format("\n… and {} more lines.", found.matches - most_lines);
  if (found.not_text > 0)
    words += fmt::format("\nNot searched, being no text or larger than 4 MB: {} of the files.", found.not_text);
  if (found.not_reached > 0)
    words +=
        fmt::format("\nIt was too much for one call: {} of the files were not reached; name a folder with `under`.",
                    found.not_reached);
  return words;
}

}  // namespace

ToolResult grep(const ToolInput& use) {
  const bool literal = use.arguments.contains("text");
  if (literal == use.arguments.contains("pattern")) return refuse("say either `text` or `pattern`");
  RE2::Options options;
  options.set_literal(literal);
  options.set_case_sensitive(!use.arguments.value("ignore_case", false));
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  const RE2 pattern(use.text(literal ? "text" : "pattern"), options);
  if (!pattern.ok()) return refuse("the pattern is not valid in RE2's syntax: " + pattern.error());
  if (pattern.ProgramSize() > most_program) return refuse("the pattern is too large: repeat less in it");
  Search search(pattern, use.arguments.value("context", std::size_t{0}));
  Found& found = search.found;
  for (const Files::Entry& entry : use.branch.entries()) {
    if (!is_under(entry.path, use.text("under"))) continue;
    if (entry.bytes > static_cast<std::int64_t>(most_of_a_file)) {
      ++found.not_text;
      continue;
    }
    if (!search.affords(entry.bytes)) {
      ++found.not_reached;
      continue;
    }
    const std::optional<std::string> text = use.branch.read(entry.path);
    if (!text || !kernel::valid_utf8(*text) || text->find('\0') != text->npos)
      ++found.not_text;
    else
      search.file(entry.path, *text);
  }
  const std::string left_out = what_was_left_out(found);
  if (found.matches == 0) return say("It is in no file." + left_out);
  const std::string label = fmt::format("{} lines in {} of the workspace's files", found.matches, found.files);
  return say(quoted(label, found.lines, 2 * most_of_found) + left_out);
}

}  // namespace agents
