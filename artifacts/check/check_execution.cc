#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::string_view execution_folder = "src/execution/";
constexpr std::uint64_t one_piece = 64u << 10;  ///< The first piece that SafeRoot delivers is enough.
constexpr std::size_t longest_head = 4096;

/// Formats without comments.
constexpr std::array<std::string_view, 5> without_comments{".json", ".jsonl", ".ipynb", ".csv", ".tsv"};

std::string head_of(const SafeRoot& root, const std::string& path) {
  std::string head;
  root.stream(path, one_piece, [&](std::string_view piece) {
    if (head.empty()) head = piece.substr(0, longest_head);
  });
  return head;
}

/// Whether the line must come first: the interpreter or the encoding.
bool comes_before(std::string_view line) {
  return line.starts_with("#!") || line.starts_with("<?") || line.find("coding:") != std::string_view::npos ||
         line.find("coding=") != std::string_view::npos;
}

/// The word after "Grounding:" in a comment of any kind; none if the line has none.
std::optional<std::string_view> grounding_in(std::string_view line) {
  static constexpr std::string_view name = "Grounding";
  const auto word_from = [&](std::size_t at) {
    std::size_t end = at;
    while (end < line.size() && is_alnum(line[end])) ++end;
    return line.substr(at, end - at);
  };
  const auto start = static_cast<std::size_t>(std::ranges::find_if(line, is_alnum) - line.begin());
  if (!same_word(word_from(start), name)) return std::nullopt;
  std::size_t at = start + name.size();
  while (at < line.size() && !is_alnum(line[at])) ++at;
  return word_from(at);
}

void check_grounding(const std::string& path, std::string_view head, Findings& findings) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  int number = 0;
  for (const std::string_view line : lines_of(head)) {
    ++number;
    const auto said = grounding_in(line);
    if (said && !same_word(*said, "transcribed") && !same_word(*said, "reconstructed"))
      findings.add(RuleId::grounding, path, number, fmt::format("the code is said to be {}", quote(*said)));
    if (said) return;
    if (!comes_before(line) || number == 3) break;
  }
  findings.add(RuleId::grounding, path, number, "the first line does not say where the code comes from");
}

}  // namespace

void check_execution(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  for (const Entry& entry : artifact.files.entries) {
    if (entry.kind != FileKind::regular || entry.size == 0 || !entry.path.starts_with(execution_folder)) continue;
    const bool can_say =
        std::ranges::none_of(without_comments, [&](std::string_view suffix) { return entry.path.ends_with(suffix); });
    if (!can_say) continue;
    const std::string head = head_of(root, entry.path);
    // Binary files cannot have the comment.
    if (!head.empty() && head.find('\0') == std::string::npos) check_grounding(entry.path, head, findings);
  }
}

}  // namespace artifacts
