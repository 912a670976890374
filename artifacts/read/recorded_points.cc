#include "artifacts/read/recorded_points.h"

#include <charconv>
#include <limits>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {

namespace {

constexpr std::uint64_t largest_points = 512u << 20;

/// The fields of one row (RFC 4180); rows of etude never contain a line break.
std::vector<std::string> fields_of(std::string_view row) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (quoted && c == '"' && i + 1 < row.size() && row[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<double> value_in(const std::string& text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "-Infinity") return text.front() == '-' ? -infinity : infinity;
  return number_in<double>(text);
}

/// Whether the text is unchanged: control characters are escaped, and a ' may have been added in front.
bool is_exact(const std::string& text) {
  return !text.starts_with('\'') && text.find('\\') == std::string::npos && text.find("\uFFFD") == std::string::npos;
}

void add_row(std::map<std::string, RunPoints>& runs, std::string_view row, int line) {
  const std::vector<std::string> fields = fields_of(row);
  RunPoints& run = runs[fields[0]];
  if (run.line == 0) run.line = line;
  const auto value = fields.size() == 6 ? value_in(fields[4]) : std::nullopt;
  const auto step = fields.size() == 6 && !fields[2].empty() ? number_in<std::int64_t>(fields[2]) : std::nullopt;
  if (!value || (!fields[2].empty() && !step)) {
    run.understood = false;
    return;
  }
  run.exact = run.exact && is_exact(fields[1]) && is_exact(fields[3]);
  run.points.push_back({fields[1], *value, step, fields[3], fields[5] == "true"});
}

}  // namespace

std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot& root, const std::string& experiment) {
  const FileBytes read = root.read("evidence/results/" + experiment + "_points.csv", largest_points);
  if (read.kind != FileKind::regular || read.too_large) return std::nullopt;
  std::map<std::string, RunPoints> runs;
  const std::string_view text = read.bytes;
  int line = 1;
  // The first line has the names of the columns.
  for (std::size_t start = text.find('\n'); start != std::string_view::npos && start + 1 < text.size();) {
    const std::size_t end = text.find('\n', start + 1);
    add_row(runs, text.substr(start + 1, end == std::string_view::npos ? end : end - start - 1), ++line);
    start = end;
  }
  return runs;
}

}  // namespace artifacts
