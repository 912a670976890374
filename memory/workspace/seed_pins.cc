#include "memory/workspace/seed_pins.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/utf8.h"

namespace memory {

namespace {

constexpr std::size_t longest_shown = 80;

/// Functions whose first argument is the seed. A plain `seed` counts only behind a dot or a colon, as in `random.seed`.
constexpr std::array<std::string_view, 14> seeding{
    "manual_seed", "manual_seed_all", "set_seed", "set.seed",        "seed_everything", "seed_all", "default_rng",
    "RandomState", "PRNGKey",         "srand",    "set_random_seed", "mt19937",         "Xoshiro",  "MersenneTwister"};
constexpr std::array<std::string_view, 2> parameters{"random_state", "seed"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  return at;
}

bool has_digit(std::string_view line, std::size_t at) {
  return at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0;
}

/// The line without its comment.
std::string_view code_of(std::string_view line, bool slashes) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if ((!slashes && c == '#') || (slashes && line.substr(i).starts_with("//"))) {
      return line.substr(0, i);
    }
  }
  return line;
}

/// True if the word at this place is called with a number as its first argument.
bool called_with_number(std::string_view line, std::size_t end) {
  if (end < line.size() && line[end] == '!') ++end;  // Julia's Random.seed!
  const std::size_t open = skip_blanks(line, end);
  return open < line.size() && (line[open] == '(' || line[open] == '{') && has_digit(line, skip_blanks(line, open + 1));
}

bool pins(std::string_view line) {
  if (line.find("add_argument") != line.npos || line.find("default=") != line.npos) return false;
  for (std::size_t start = 0; start < line.size();) {
    if (!is_word(line[start])) {
      ++start;
      continue;
    }
    std::size_t end = start;
    while (end < line.size() && is_word(line[end])) ++end;
    const std::string_view word = line.substr(start, end - start);
    const char before = start > 0 ? line[start - 1] : ' ';
    const bool known = std::ranges::find(seeding, word) != seeding.end();
    if ((known || (word == "seed" && (before == '.' || before == ':'))) && called_with_number(line, end)) return true;
    const bool parameter = std::ranges::any_of(parameters, [&](std::string_view name) {
      return std::ranges::equal(word, name, {}, [](char c) { return static_cast<char>(std::tolower(c)); });
    });
    const std::size_t sign = skip_blanks(line, end);
    if (parameter && before != '.' && before != '-' && sign < line.size() && line[sign] == '=' &&
        has_digit(line, skip_blanks(line, sign + 1)))
      return true;
    start = end;
  }
  // R's set.seed is one name with a dot.
  const std::size_t r = line.find("set.seed");
  return r != line.npos && called_with_number(line, r + 8);
}

}  // namespace

bool may_pin_seeds(std::string_view path) {
  static constexpr std::array<std::string_view, 16> endings{".py", ".jl",  ".R",  ".r",  ".sh",   ".c",  ".cc",  ".cpp",
                                                            ".cu", ".hpp", ".rs", ".go", ".java", ".js", ".lua", ".ts"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string_view without_comment(std::string_view path, std::string_view line) {
  const bool slashes = !path.ends_with(".py") && !path.ends_with(".jl") && !path.ends_with(".R") &&
                       !path.ends_with(".r") && !path.ends_with(".sh");
  return code_of(line, slashes);
}

std::vector<std::string> seed_pins(std::string_view path, std::string_view text, std::size_t most) {
  std::vector<std::string> found;
  for (std::size_t number = 1; !text.empty() && found.size() < most; ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = without_comment(path, text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (!pins(line) || !kernel::valid_utf8(line)) continue;
    const std::size_t first = skip_blanks(line, 0), last = line.find_last_not_of(" \t\r");
    found.push_back(fmt::format("{}:{}: {}", path, number,
                                kernel::utf8_prefix(line.substr(first, last + 1 - first), longest_shown)));
  }
  return found;
}

}  // namespace memory
