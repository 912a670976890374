#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/reference_check.h"
#include "artifacts/text/markdown_to_html.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr const char* report_page = "report.md";
constexpr std::uint64_t largest_report = 16u << 20;

/// Decodes "%20" and the like.
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

}  // namespace

void check_links(const SafeRoot& root, Findings& findings) {
  const FileBytes read = root.read(report_page, largest_report);
  if (read.kind != FileKind::regular || read.too_large) return;
  for (const LinkTarget& link : links_of_markdown(read.bytes)) {
    const std::string target = link.target.substr(0, link.target.find('#'));
    if (target.empty() || is_url(target)) continue;
    const FoundPath found = find_path(root, {{"", unescaped(target)}, {"", target}});
    if (found.path.empty() && !found.directory)
      findings.add(RuleId::broken_link, report_page, link.line,
                   fmt::format("the report links to {}, which {}", quote(target),
                               found.outside ? "lies outside the artifact" : "does not exist"));
  }
}

}  // namespace artifacts
