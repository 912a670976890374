#include "artifacts/text/english.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_set>

#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 86> fillers{
    "the",  "a",     "an",   "of",   "to",    "in",    "on",    "for",   "and",   "or",      "is",     "are",   "was",
    "were", "be",    "been", "by",   "with",  "as",    "at",    "from",  "that",  "this",    "these",  "those", "it",
    "its",  "than",  "then", "into", "can",   "could", "may",   "might", "will",  "would",   "should", "do",    "does",
    "did",  "has",   "have", "had",  "which", "who",   "what",  "when",  "where", "how",     "we",     "our",   "us",
    "they", "their", "more", "most", "less",  "very",  "also",  "such",  "both",  "between", "only",   "just",  "there",
    "here", "so",    "if",   "but",  "about", "over",  "under", "per",   "via",   "using",   "use",    "used",  "not",
    "no",   "never", "all",  "any",  "every", "each",  "alone", "s"};

constexpr std::array<std::string_view, 16> suffixes{"ization", "isation", "ations", "ation", "ments", "ment",
                                                    "ness",    "ings",    "ing",    "edly",  "ies",   "ed",
                                                    "es",      "ly",      "s",      "e"};

/// Words that deny by themselves, and prefixes of such words.
constexpr std::array<std::string_view, 17> denials{"not",    "no",     "never",   "none",   "neither", "nor",
                                                   "cannot", "t",      "instead", "rather", "lacks",   "lack",
                                                   "worse",  "unable", "hardly",  "wrong",  "unlike"};
constexpr std::array<std::string_view, 18> denial_starts{
    "fail",   "reject",  "abandon",    "insufficien", "inferior", "infeasib", "unsustain", "impractic", "useless",
    "refute", "discard", "misleading", "inadequa",    "drop",     "disprove", "incapab",   "unreliab",  "unnecessar"};

/// What is written where nothing is said.
constexpr std::array<std::string_view, 15> nothings{
    "none",           "n a",        "na",          "tbd",        "todo",
    "null",           "nil",        "unknown",     "pending",    "to be determined",
    "not applicable", "to be done", "no criteria", "not stated", "unspecified"};

/// After these words a number counts pages or sections, not outcomes.
constexpr std::array<std::string_view, 12> section_words{"section", "sec",      "table",   "tab",      "figure",  "fig",
                                                         "eq",      "equation", "chapter", "appendix", "version", "v"};
constexpr std::array<std::string_view, 24> units{
    "percent", "pp", "points", "pts",   "ms", "s",  "sec", "seconds", "min", "minutes", "h",  "hours",
    "days",    "us", "ns",     "bytes", "KB", "MB", "GB",  "KiB",     "MiB", "GiB",     "dB", "x"};

bool is_letter(char c) {
  return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether the text before a number makes it part of a name, a setting or a section number.
bool names_something(std::string_view before) {
  if (before.empty()) return false;
  const char last = before.back();
  if (is_alnum(last) || std::string_view("_@/[{#.").find(last) != std::string_view::npos) return true;
  if (last == '-' && before.size() > 1 && is_alnum(before[before.size() - 2])) return true;
  before = trimmed(before);
  if (before.ends_with('=') || before.ends_with("§")) return true;
  if (before.ends_with('.')) before.remove_suffix(1);
  std::size_t start = before.size();
  while (start > 0 && is_alnum(before[start - 1])) --start;
  const std::string_view word = before.substr(start);
  return std::ranges::any_of(section_words, [&](auto one) { return same_word(one, word); });
}

bool has_unit(std::string_view behind) {
  for (const std::string_view skipped : {"\u00A0", " ", "\\"})
    if (behind.starts_with(skipped)) behind.remove_prefix(skipped.size());
  if (behind.starts_with('%') || behind.starts_with("×")) return true;
  std::size_t end = 0;
  while (end < behind.size() && is_alnum(behind[end])) ++end;
  return is_one_of(units, behind.substr(0, end));
}

}  // namespace

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  bool code = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '`') code = !code;
    // A multi-byte character that is no letter ("—", "“", "×") separates words. General punctuation (U+2000 to U+2BFF)
    // and the Latin signs below U+00C0 are taken for such characters.
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0xE2 || byte == 0xC2) {
      i += byte == 0xE2 ? 3 : 2;
      continue;
    }
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    for (; i < text.size() && is_letter(text[i]) && static_cast<unsigned char>(text[i]) != 0xE2 &&
           static_cast<unsigned char>(text[i]) != 0xC2;
         ++i)
      word += text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (!code) words.push_back(std::move(word));
  }
  return words;
}

bool is_filler(std::string_view word) {
  return is_one_of(fillers, word);
}

std::string word_stem(std::string word) {
  for (const std::string_view suffix : suffixes) {
    if (!word.ends_with(suffix) || word.size() < suffix.size() + (suffix.size() == 1 ? 3 : 4)) continue;
    if (suffix == "s" && word.ends_with("ss")) break;
    word.resize(word.size() - suffix.size());
    break;
  }
  if (word.size() > 4 && word.back() == 'e') word.pop_back();
  if (word.size() > 4 && word.back() == word[word.size() - 2]) word.pop_back();
  return word;
}

std::vector<std::string> stems_in(std::string_view text) {
  std::vector<std::string> stems;
  std::unordered_set<std::string> seen;
  for (std::string& word : words_in(text)) {
    if (is_filler(word)) continue;
    std::string cut = word_stem(std::move(word));
    if (seen.insert(cut).second) stems.push_back(std::move(cut));
  }
  return stems;
}

std::vector<std::string_view> sentences_in(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool stop = i < text.size() && (text[i] == '.' || text[i] == ';' || text[i] == '?' || text[i] == '!');
    const bool end = i == text.size() || text[i] == '\n' ||
                     (stop && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n'));
    if (!end) continue;
    if (const auto sentence = trimmed(text.substr(start, i - start)); !sentence.empty()) result.push_back(sentence);
    start = std::min(i + 1, text.size());
  }
  return result;
}

int comparison_in(std::string_view sentence) {
  static constexpr std::array<std::string_view, 10> more{"more",   "greater", "higher", "larger", "longer",
                                                         "slower", "twice",   "above",  "worse",  "exceeds"};
  static constexpr std::array<std::string_view, 10> fewer{"less",   "fewer", "lower", "smaller", "shorter",
                                                          "faster", "half",  "below", "better",  "outperforms"};
  bool up = false, down = false;
  for (const std::string& word : words_in(sentence)) {
    up = up || is_one_of(more, word);
    down = down || is_one_of(fewer, word);
  }
  return up == down ? 0 : up ? 1 : -1;
}

bool denies(std::string_view sentence) {
  return std::ranges::any_of(words_in(sentence), [](const std::string& word) {
    return is_one_of(denials, word) || begins_with_one_of(denial_starts, word);
  });
}

std::vector<NumberInText> numbers_of(std::string_view text) {
  std::vector<NumberInText> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    std::size_t start = i;
    while (i < text.size() &&
           (is_digit(text[i]) || ((text[i] == '.' || text[i] == ',') && i + 1 < text.size() && is_digit(text[i + 1]))))
      ++i;
    const char before = start > 0 ? text[start - 1] : ' ';
    const bool part = is_letter(before) || (before == '-' && start > 1 && is_letter(text[start - 2])) ||
                      (i < text.size() && is_letter(text[i]) && static_cast<unsigned char>(text[i]) < 0x80 &&
                       text.substr(i, 1) != "x");
    std::string written(text.substr(start, i - start));
    if (std::ranges::count(written, '.') > 1) continue;  // A version or a date.
    NumberInText number;
    number.text = written;
    std::erase(written, ',');
    number.value = std::strtod(written.c_str(), nullptr);
    const auto point = written.find('.');
    number.decimals = point == std::string::npos ? 0 : static_cast<int>(written.size() - point - 1);
    const std::string_view rest = trimmed(text.substr(i, 4));
    number.percent = rest.starts_with('%') || rest.starts_with("×") || rest.starts_with("\\%");
    if (!part || number.percent) numbers.push_back(std::move(number));
  }
  return numbers;
}

std::string_view predicted_number(std::string_view text) {
  bool code = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '`') code = !code;
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() && (is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]))))
      ++i;
    const std::string_view number = text.substr(start, i - start);
    if (code || names_something(text.substr(0, start)) || std::ranges::count(number, '.') > 1) continue;
    if (number.find('.') != std::string_view::npos || has_unit(text.substr(i))) return number;
  }
  return {};
}

std::string_view first_word(std::string_view text) {
  text = trimmed(text);
  const auto start = std::ranges::find_if(text, is_alnum);
  const auto end = std::find_if_not(start, text.end(), is_alnum);
  return text.substr(static_cast<std::size_t>(start - text.begin()), static_cast<std::size_t>(end - start));
}

bool says_nothing(std::string_view text) {
  const std::string all = joined_text(words_in(text), " ");
  return all.empty() || is_one_of(nothings, all);
}

}  // namespace artifacts
