#include "artifacts/reproduce/reproduction_foreign.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"
#include "prose/numbers.h"

namespace artifacts {
namespace {

constexpr const char* index_of_code = "src/artifacts.md";
constexpr std::uint64_t largest_index = 4u << 20;
constexpr std::size_t longest_command_line = 2000;
/// A number with fewer digits may occur by chance.
constexpr int telling_digits = 3;

/// Longer numbers are no measurements.
constexpr std::size_t longest_number = 64;
constexpr std::size_t most_numbers = 1'000'000;

/// Digits with their sign, fraction and exponent.
std::vector<std::string> numbers_in(std::string_view text) {
  std::vector<std::string> found;
  const auto digits = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  const auto is_sign = [&](std::size_t at) { return at < text.size() && (text[at] == '-' || text[at] == '+'); };
  for (std::size_t at = 0; at < text.size() && found.size() < most_numbers;) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at > 0 && is_sign(at - 1) ? at - 1 : at;
    std::size_t end = digits(at);
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = digits(end + 1);
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      const std::size_t exponent = is_sign(end + 1) ? end + 2 : end + 1;
      if (exponent < text.size() && is_digit(text[exponent])) end = digits(exponent);
    }
    if (end - begin <= longest_number) found.emplace_back(text.substr(begin, end - begin));
    at = end;
  }
  return found;
}

/// The numbers before the arrow of `value ← reference «quote» [result]`.
std::vector<std::string> stated_numbers(const std::string& sources) {
  std::vector<std::string> numbers;
  for (const std::string_view line : lines_of(sources)) {
    const std::size_t arrow = line.find("←");
    if (arrow == std::string_view::npos || line.find("[input]") != std::string_view::npos) continue;
    for (std::string& number : numbers_in(line.substr(0, arrow))) numbers.push_back(std::move(number));
  }
  return numbers;
}

/// The text in backquotes, else the whole text.
std::string command_in(std::string_view text) {
  const std::size_t open = text.find('`'), close = text.rfind('`');
  if (open != std::string_view::npos && close > open) text = text.substr(open + 1, close - open - 1);
  text = trimmed(text);
  if (text.starts_with("$ ")) text = trimmed(text.substr(2));
  return text.size() > longest_command_line ? "" : std::string(text);
}

std::vector<std::string> commands_in(const std::string& index) {
  std::vector<std::string> commands;
  const auto add = [&](std::string command) {
    if (!command.empty() && !command.starts_with("#")) commands.push_back(std::move(command));
  };
  bool fenced = false, shell = false;
  for (const std::string_view raw : lines_of(index)) {
    const std::string_view line = trimmed(raw);
    if (line.starts_with("```")) {
      const std::string_view language = trimmed(line.substr(3));
      fenced = !fenced;
      shell = fenced && (language == "sh" || language == "bash" || language == "shell" || language == "console");
    } else if (fenced) {
      if (shell) add(command_in(line));
    } else {
      for (const std::string_view name : {"**Command**:", "**Run**:", "**Usage**:", "**Entry point**:"})
        if (const std::size_t at = line.find(name); at != std::string_view::npos)
          add(command_in(line.substr(at + name.size())));
    }
  }
  return commands;
}

/// Whether the output has the number, rounded to its number of digits.
bool printed(const std::string& number, const std::vector<std::string>& among) {
  const std::size_t point = number.find('.');
  const std::size_t end = std::min(number.find_first_of("eE"), number.size());
  const double unit = point == std::string::npos ? 1 : std::pow(10.0, -static_cast<double>(end - point - 1));
  const double wanted = std::strtod(number.c_str(), nullptr);
  const bool scaled = end != number.size();
  return std::ranges::any_of(among, [&](const std::string& other) {
    const double value = std::strtod(other.c_str(), nullptr);
    if (scaled) return value == wanted;
    return std::abs(value - wanted) <= unit / 2 * (1 + 1e-9);
  });
}

void judge(const ForeignClaim& claim, const CommandEnd& end, ClaimComparison& c) {
  const std::string command = "`" + shortened(printable(end.command), 80) + "`";
  if (!end.succeeded) {
    c.outcome = ClaimOutcome::failed_to_run;
    c.reason = command + " did not succeed: " + end.reason;
    return;
  }
  const std::vector<std::string> there = numbers_in(end.printed);
  std::string missing;
  int telling = 0;
  for (const std::string& number : claim.numbers) {
    if (std::ranges::count_if(number, is_digit) >= telling_digits) ++telling;
    if (!printed(number, there)) missing += (missing.empty() ? "" : ", ") + number;
  }
  c.recorded_text = fmt::format("{}", fmt::join(claim.numbers, ", "));
  if (claim.numbers.empty())
    c.reason = command + " ran, and the claim names no number among its sources to hold what it printed against";
  else if (!missing.empty())
    c.reason = command + " ran, and did not print " + missing + ": nothing says that it should";
  else if (telling == 0)
    c.reason = command + " ran, and the claim's numbers are so short that they may be printed by chance";
  else if (!end.readers_own)
    c.reason = "all of its numbers are among what " + command +
               " printed; but the artifact chose that command: name one of yours with --command";
  else
    c.outcome = ClaimOutcome::reproduced, c.reason = "all of its numbers are among what " + command + " printed";
}

}  // namespace

bool is_foreign(const std::string& path) {
  const auto root = SafeRoot::open(path);
  return root && root->look(etude_json_file).kind == FileKind::none;
}

kernel::Result<Foreign> read_foreign(const std::string& path) {
  const auto root = SafeRoot::open(path);
  if (!root) return root.problem();
  if (root->look("trace/events.jsonl").kind != FileKind::none)
    return kernel::Problem{etude_json_file, 0, "reproduce", "is missing, and the log of a study of etude is there",
                           "get the artifact again from its source"};
  Findings ignored;
  const Artifact artifact = read_artifact(*root, ignored);
  Foreign foreign;
  foreign.artifact = path;
  for (const Block& block : artifact.claims.blocks) {
    if (block.id.empty()) continue;
    const Field* sources = block.field("Sources");
    foreign.claims.push_back({block.id, sources ? stated_numbers(sources->text) : std::vector<std::string>()});
  }
  if (foreign.claims.empty())
    return kernel::Problem{"", 0, "reproduce", "there is no etude.json: nothing here says how to run it again",
                           "name an artifact that etude made, or one with claims in logic/claims.md"};
  const FileBytes index = root->read(index_of_code, largest_index);
  foreign.has_index = index.whole();
  if (foreign.has_index) foreign.commands = commands_in(clean(index.bytes).text);
  return foreign;
}

ReproductionReport compare(const Foreign& foreign, const std::optional<CommandEnd>& end) {
  ReproductionReport report;
  report.artifact = foreign.artifact;
  report.command = end ? end->command : "";
  report.observed_seconds = end ? end->seconds : 0;
  if (end) report.printed = end->printed, report.exit = end->exit;
  std::optional<ClaimOutcome> worst;
  for (const ForeignClaim& claim : foreign.claims) {
    ClaimComparison c{claim.id, "", ClaimOutcome::not_attempted, "", {}, {}, "", ""};
    if (end)
      judge(claim, *end, c);
    else
      c.reason = std::string("there is no etude.json, and ") +
                 (foreign.has_index ? "src/artifacts.md offers no command" : "there is no src/artifacts.md") +
                 ": nothing says how to run it again";
    worst = std::max(worst.value_or(ClaimOutcome::reproduced), c.outcome);
    report.claims.push_back(std::move(c));
  }
  report.outcome = worst.value_or(ClaimOutcome::not_attempted);
  return report;
}

}  // namespace artifacts
