#include "apps/session/try/printed_numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>

#include <fmt/format.h>

namespace session {

namespace {

constexpr std::size_t most_lines = 200, longest_printed = 400;
constexpr const char* any_number = "([-+0-9.einfa]+)";

struct Unit {
  std::string_view spelled, name, unit, goal;
};
constexpr std::array units = {Unit{"ms", "time", "ms", "minimize"},         Unit{"us", "time", "us", "minimize"},
                              Unit{"ns", "time", "ns", "minimize"},         Unit{"s", "time", "s", "minimize"},
                              Unit{"sec", "time", "s", "minimize"},         Unit{"seconds", "time", "s", "minimize"},
                              Unit{"MB/s", "rate", "MB/s", "maximize"},     Unit{"GB/s", "rate", "GB/s", "maximize"},
                              Unit{"GFLOPS", "rate", "GFLOPS", "maximize"}, Unit{"it/s", "rate", "it/s", "maximize"},
                              Unit{"ops/s", "rate", "ops/s", "maximize"},   Unit{"req/s", "rate", "req/s", "maximize"}};

const Unit* unit_of(const std::string& spelled) {
  const auto found = std::ranges::find(units, spelled, &Unit::spelled);
  return found == units.end() ? nullptr : &*found;
}

std::vector<std::string> last_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most_lines) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t at = text.rfind('\n');
    const std::string_view line = at == text.npos ? text : text.substr(at + 1);
    if (line.size() <= longest_printed) lines.emplace_back(line);
    text = at == text.npos ? std::string_view() : text.substr(0, at + 1);
  }
  return lines;
}

/// Usable as a metric's name.
std::string as_name(std::string words) {
  for (char& c : words)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return words;
}

bool is_count(const std::string& word) {
  static constexpr std::array names = {"epoch", "step", "iter", "iteration", "it", "batch", "seed", "line", "pid"};
  std::string lower = word;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(names, lower) != names.end();
}

bool grows(std::string_view name) {
  static constexpr std::array words = {"acc", "auc", "f1", "score", "reward", "rate", "throughput", "speed", "recall"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(words, [&](const char* word) { return lower.find(word) != lower.npos; });
}

}  // namespace

std::vector<PrintedNumber> printed_numbers(std::string_view text, std::size_t most) {
  static const std::regex named(
      R"re(\b([A-Za-z][A-Za-z_]*(?: [A-Za-z_]+)?)( *[=:] *| +)([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))re");
  static const std::regex next_word(R"re(^ *([A-Za-z]+(?:/s)?))re");
  static const std::regex measured(
      R"re((?:^|[^\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) *([A-Za-z]+(?:/s)?)(?![\w/]))re");
  std::vector<PrintedNumber> found;
  std::set<std::string> names;
  const auto add = [&](const std::string& name, const std::string& pattern, const std::string& value,
                       std::string_view unit, bool maximize) {
    if (found.size() >= most || !names.insert(name).second) return;
    found.push_back({fmt::format("{}: {{goal: {}{}{}, from: {{stdout: '{}'}}}}", name,
                                 maximize ? "maximize" : "minimize", unit.empty() ? "" : ", unit: ", unit, pattern),
                     value});
  };
  std::vector<std::string> lines = last_lines(text);
  for (std::string& line : lines) {
    std::string rest = line;
    for (std::sregex_iterator at(line.begin(), line.end(), named), none; at != none; ++at) {
      const std::string word = (*at)[1], between = (*at)[2], value = (*at)[3];
      // A whole number after a word alone is seldom a result.
      const bool stated = between.find_first_of("=:") != between.npos;
      if (is_count(word) || unit_of(word) || (!stated && value.find('.') == value.npos)) continue;
      std::smatch next;
      const std::string after = at->suffix();
      const Unit* unit = std::regex_search(after, next, next_word) ? unit_of(next[1]) : nullptr;
      std::string sign = " +";
      if (stated) sign = fmt::format(" *{} *", between.find('=') != between.npos ? '=' : ':');
      add(as_name(word), "\\b" + word + sign + any_number, value, unit ? unit->unit : "", grows(word));
      rest.replace(static_cast<std::size_t>(at->position(3)), value.size(), value.size(), ' ');
    }
    line = std::move(rest);
  }
  for (const std::string& line : lines)
    for (std::sregex_iterator at(line.begin(), line.end(), measured), none; at != none; ++at)
      if (const Unit* unit = unit_of((*at)[2]))
        add(std::string(unit->name), "([-+0-9.einfa]+) *" + std::string(unit->spelled) + "\\b", (*at)[1], unit->unit,
            unit->goal == "maximize");
  return found;
}

}  // namespace session
