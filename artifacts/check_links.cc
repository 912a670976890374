#include <fmt/format.h>

#include "artifacts/check_rules.h"
#include "artifacts/reference_check.h"
#include "artifacts/text.h"

namespace artifacts {
namespace {

constexpr const char* report_page = "report.md";
constexpr std::uint64_t largest_report = 16u << 20;

/// As long as the run of back-ticks that opens it; 0: none closes it on this line.
std::size_t code_span(std::string_view line, std::size_t open) {
  std::size_t ticks = 0;
  while (open + ticks < line.size() && line[open + ticks] == '`') ++ticks;
  for (std::size_t at = open + ticks; (at = line.find('`', at)) != std::string_view::npos;) {
    std::size_t other = 0;
    while (at + other < line.size() && line[at + other] == '`') ++other;
    if (other == ticks) return at + other - open;
    at += other;
  }
  return 0;
}

/// Where the inline links and pictures of one line lead, without titles and anchors.
std::vector<std::string> targets_in(std::string_view line) {
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '`') {
      const std::size_t span = code_span(line, i);
      i += span > 0 ? span - 1 : line.find_first_not_of('`', i) == std::string_view::npos ? line.size() - i - 1 : 0;
    } else if (line.substr(i).starts_with("](")) {
      const std::size_t end = line.find(')', i);
      if (end == std::string_view::npos) return targets;
      std::string_view target = trimmed(line.substr(i + 2, end - i - 2));
      if (target.starts_with('<') && target.find('>') != std::string_view::npos)
        target = target.substr(1, target.find('>') - 1);
      else
        target = target.substr(0, target.find_first_of(" \t"));
      targets.emplace_back(target.substr(0, target.find('#')));
      i = end;
    }
  }
  return targets;
}

/// "%20" is a blank.
std::string unescaped(std::string_view target) {
  const auto digit = [](char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const int high = target[i] == '%' && i + 2 < target.size() ? digit(target[i + 1]) : -1;
    const int low = high >= 0 ? digit(target[i + 2]) : -1;
    path += low >= 0 ? static_cast<char>(16 * high + low) : target[i];
    i += low >= 0 ? 2 : 0;
  }
  return path;
}

bool opens_fence(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

}  // namespace

void check_links(const SafeRoot& root, Findings& findings) {
  const FileBytes read = root.read(report_page, largest_report);
  if (read.kind != FileKind::regular || read.too_large) return;
  bool fenced = false;
  int number = 0;
  for (const std::string_view line : lines_of(read.bytes)) {
    ++number;
    if (opens_fence(line)) fenced = !fenced;
    if (fenced) continue;
    for (const std::string& target : targets_in(line)) {
      if (target.empty() || is_url(target)) continue;
      const std::string plain = unescaped(target);
      const FoundPath found = find_path(root, {{"", plain}, {"", target}});
      if (found.path.empty() && !found.directory)
        findings.add(RuleId::broken_link, report_page, number,
                     fmt::format("the report links to {}, which {}", quote(target),
                                 found.outside ? "lies outside the artifact" : "does not exist"));
    }
  }
}

}  // namespace artifacts
