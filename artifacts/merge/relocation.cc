#include "artifacts/merge/relocation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include <fmt/format.h>

#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// Whether the line lists references and says nothing else.
bool is_reference_line(std::string_view line) {
  static constexpr std::array<std::string_view, 16> starts{
      "- **Proof", "- **Dependencies", "- **Verifies", "- **Evidence**",   "- **Claims",
      "**Proof",   "**Dependencies",   "**Verifies",   "**Claims",         "- id:",
      "id:",       "evidence:",        "parent:",      "also_depends_on:", "children:",
      "#"};
  line = trimmed(line);
  return begins_with_one_of(starts, line) || line.starts_with('|');
}

class LineRelocation {
 public:
  LineRelocation(const Relocation& relocation, const std::string& file) : relocation_(relocation), file_(file) {}

  std::string line(std::string_view text) {
    const bool tree = file_ == "trace/exploration_tree.yaml";
    const bool references = is_reference_line(text);
    // `id: N05`, and what names nodes.
    const std::string_view shown = trimmed(text);
    const bool of_nodes =
        tree && begins_with_one_of(
                    std::array<std::string_view, 5>{"- id:", "id:", "parent:", "also_depends_on:", "children:"}, shown);
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      if (text.substr(at).starts_with("«")) quoted_ = true;
      if (text.substr(at).starts_with("»")) quoted_ = false;
      if (!quoted_) {
        if (const std::size_t length = path(text, at, result); length > 0) {
          at += length;
          continue;
        }
        if (const std::size_t length = id(text, at, references, of_nodes, result); length > 0) {
          at += length;
          continue;
        }
      }
      result += text[at++];
    }
    return result;
  }

 private:
  static bool in_word(char c) { return is_alnum(c) || c == '_'; }

  /// A path that moved, from the artifact's root or from the folder of the file.
  std::size_t path(std::string_view text, std::size_t at, std::string& result) const {
    if (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '/' || text[at - 1] == '-')) return 0;
    const std::string folder(folder_of(file_));
    for (const auto& [from, to] : relocation_.paths) {
      for (const std::string& start : {std::string(), folder.empty() ? std::string("\1") : folder + "/"}) {
        if (!from.starts_with(start) || !to.starts_with(start)) continue;
        const std::string_view shown = std::string_view(from).substr(start.size());
        if (!text.substr(at).starts_with(shown)) continue;
        const std::size_t end = at + shown.size();
        if (end < text.size() && (in_word(text[end]) || text[end] == '-')) continue;
        result += to.substr(start.size());
        return shown.size();
      }
    }
    return 0;
  }

  std::size_t id(std::string_view text, std::size_t at, bool references, bool of_nodes, std::string& result) const {
    if (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '/')) return 0;
    std::size_t end = at;
    while (end < text.size() && text[end] >= 'A' && text[end] <= 'Z') ++end;
    const std::size_t letters = end - at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const std::size_t digits = end - at - letters;
    if (letters == 0 || digits == 0) return 0;
    if (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    end += id_suffix(text.substr(end));
    if (end < text.size() && in_word(text[end])) return 0;
    // "E01.md" and "E01_points.csv" are files.
    if (end + 1 < text.size() && text[end] == '.' && is_alnum(text[end + 1]) && !is_digit(text[end + 1])) return 0;
    if (digits == 1 && !references) return 0;
    const std::string found(text.substr(at, end - at));
    const auto& first = of_nodes ? relocation_.nodes : relocation_.entries;
    const auto& second = of_nodes ? relocation_.entries : relocation_.nodes;
    auto there = first.find(found);
    if (there == first.end()) {
      if (of_nodes) return 0;
      there = second.find(found);
      if (there == second.end()) return 0;
    }
    result += there->second;
    return end - at;
  }

  const Relocation& relocation_;
  const std::string& file_;
  bool quoted_ = false;
};

}  // namespace

std::string relocated(std::string_view text, const std::string& file, const Relocation& relocation,
                      const std::set<std::string, std::less<>>& known) {
  if (relocation.empty()) return std::string(text);
  LineRelocation lines(relocation, file);
  std::string result;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end == text.npos ? end : end + 1);
    const std::string moved = lines.line(line);
    result += known.contains(trimmed(line)) ? std::string(line) : moved;
    text.remove_prefix(line.size());
  }
  return result;
}

std::string free_id(const std::string& id, std::set<std::string>& taken) {
  const std::size_t letters = std::min(id.find_first_of("0123456789"), id.size());
  const std::string prefix = id.substr(0, letters);
  const std::size_t width = std::min(id.find_first_not_of("0123456789", letters), id.size()) - letters;
  long most = 0;
  for (const std::string& one : taken) {
    if (!one.starts_with(prefix)) continue;
    long number = 0;
    const char* begin = one.data() + prefix.size();
    const char* end = one.data() + one.size();
    const auto read = std::from_chars(begin, end, number);
    if (read.ec == std::errc() && number < 1'000'000'000) most = std::max(most, number);
  }
  const std::string fresh = fmt::format("{}{:0{}}", prefix, most + 1, std::max<std::size_t>(width, 1));
  taken.insert(fresh);
  return fresh;
}

}  // namespace artifacts
