// Draws the figures again, if this machine has gnuplot, and compares them with the record.
#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/compose.h"

namespace artifacts {

namespace {

constexpr std::uint64_t largest_picture = 16u << 20;
constexpr int patience_s = 20;

/// "Produced by GNUPLOT 5.4 patchlevel 4"; empty if it is not stated.
std::string_view drawn_by(std::string_view svg) {
  constexpr std::string_view open = "<desc>";
  const std::size_t from = svg.find(open), to = svg.find("</desc>");
  return from == svg.npos || to == svg.npos || to < from ? std::string_view()
                                                         : svg.substr(from + open.size(), to - from - open.size());
}

/// All text of the picture in order, which is the same for every version of gnuplot.
std::string lettering_of(std::string_view svg) {
  std::string words;
  while (true) {
    const std::size_t open = svg.find("<text");
    if (open == svg.npos) return words;
    svg.remove_prefix(open);
    const std::size_t close = svg.find("</text>");
    if (close == svg.npos) return words;
    bool in_tag = false;
    for (const char c : svg.substr(0, close)) {
      if (c == '<') in_tag = true;
      if (!in_tag) words += c;
      if (c == '>') in_tag = false;
    }
    words += '\n';
    svg.remove_prefix(close);
  }
}

}  // namespace

void audit_pictures(const AuditedRecord& record, Findings& findings) {
  std::vector<Drawing> wanted;
  std::map<std::string, std::string> there;
  for (const Figure& figure : drawings_of(record.study).figures) {
    FileBytes read = record.root.read("evidence/figures/" + figure.drawing.name + ".svg", largest_picture);
    if (read.kind != FileKind::regular || read.too_large) continue;
    there[figure.drawing.name] = std::move(read.bytes);
    wanted.push_back(figure.drawing);
  }
  if (wanted.empty()) return;
  for (const auto& [name, again] : draw(wanted, patience_s).pictures) {
    const std::string& found = there.at(name);
    const bool same =
        drawn_by(found) == drawn_by(again.svg) ? found == again.svg : lettering_of(found) == lettering_of(again.svg);
    if (!same)
      findings.add_as(record.severity, RuleId::changed_evidence, "evidence/figures/" + name + ".svg", 0,
                      "the picture is not the one that the record gives");
  }
}

}  // namespace artifacts
