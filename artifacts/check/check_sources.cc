#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 4> arrows{"←", "⟵", "<--", "<-"};
/// Opening and closing quotation marks, the format's own first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> quotation_marks{
    {{"«", "»"}, {"“", "”"}, {"‹", "›"}, {"\"", "\""}}};

/// The position of a bracket that begins with the word.
std::size_t bracket_in(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1))
    if (same_word(text.substr(at + 1, word.size()), word)) return at;
  return std::string_view::npos;
}

struct SourceEntry {
  std::string text;
  int line;
};

bool begins_item(std::string_view line) {
  if (line.size() > 1 && std::string_view("-*+").find(line[0]) != std::string_view::npos && line[1] == ' ') return true;
  const std::size_t digits = line.find_first_not_of("0123456789");
  return digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
         line[digits + 1] == ' ';
}

std::size_t arrow_in(std::string_view text, std::size_t& length) {
  for (const std::string_view arrow : arrows)
    if (const std::size_t at = text.find(arrow); at != std::string_view::npos) {
      length = arrow.size();
      return at;
    }
  return std::string_view::npos;
}

bool says_source(std::string_view line) {
  std::size_t length = 0;
  return arrow_in(line, length) != std::string_view::npos || bracket_in(line, "pending") != std::string_view::npos;
}

/// One entry per list item or, without items, per line; a wrapped line continues the entry before.
std::vector<SourceEntry> entries_of(const Field& field) {
  std::vector<SourceEntry> entries;
  const std::vector<std::string_view> lines = lines_of(field.text);
  bool items = false;
  for (const std::string_view line : lines) items = items || begins_item(trimmed(line));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.empty()) continue;
    const int number = field.text_line + static_cast<int>(i);
    if (entries.empty() || (items ? begins_item(line) : says_source(line)))
      entries.push_back({std::string(line), number});
    else
      entries.back().text += " " + std::string(line);
  }
  // "Of Table 1:" only introduces the items below it.
  if (items && !begins_item(entries.front().text) && !says_source(entries.front().text)) entries.erase(entries.begin());
  return entries;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n-*+:`") == std::string_view::npos;
}

/// Whether a bracket says that the number is an input or a result.
bool has_kind(std::string_view text) {
  return bracket_in(text, "input") != std::string_view::npos || bracket_in(text, "result") != std::string_view::npos;
}

/// What the entry lacks; empty if it is complete.
std::string_view fault_of(std::string_view entry) {
  if (const std::size_t at = bracket_in(entry, "pending"); at != std::string_view::npos) {
    const std::string_view inside = entry.substr(at + 1, entry.find(']', at) - at - 1);
    const std::size_t colon = inside.find(':');
    return colon != std::string_view::npos && !is_blank(inside.substr(colon)) ? "" : "does not say why it is pending";
  }
  std::size_t length = 0;
  const std::size_t arrow = arrow_in(entry, length);
  if (arrow == std::string_view::npos) return "has no `←` between the value and where it stands";
  if (is_blank(entry.substr(0, arrow))) return "names no value";
  const std::string_view rest = entry.substr(arrow + length);
  for (const auto& [open, close] : quotation_marks) {
    const std::size_t from = rest.find(open), to = rest.rfind(close);
    if (from == std::string_view::npos || to == std::string_view::npos || to < from + open.size()) continue;
    if (is_blank(rest.substr(0, from))) return "does not say where the quote stands";
    return has_kind(rest.substr(0, from)) || has_kind(rest.substr(to)) ? "" : "is called neither [input] nor [result]";
  }
  return "quotes nothing";
}

/// Whether the claim states that it rests on no number.
bool says_none(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view none : {"none", "n/a", "not applicable"})
    if (text.size() >= none.size() && same_word(text.substr(0, none.size()), none)) return true;
  return is_blank(text);
}

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

void check_sources(const Artifact& artifact, Findings& findings) {
  for (const Block& claim : artifact.claims.blocks) {
    const Field* sources = claim.id.empty() ? nullptr : claim.field("Sources");
    if (!sources || says_none(sources->text)) continue;
    for (const SourceEntry& entry : entries_of(*sources))
      if (const std::string_view fault = fault_of(entry.text); !fault.empty())
        findings.add(RuleId::bad_source, artifact.claims.file, entry.line,
                     fmt::format("{}: the source {} {}", claim.id, quote(entry.text), fault));
  }
}

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
