#include "kernel/study/sealed_seeds.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

namespace kernel {

namespace {

using Seeds = std::unordered_set<std::uint64_t>;

Seeds sealed_seeds_of(const Study& study) {
  Seeds sealed;
  const auto add = [&](const std::vector<std::uint64_t>& seeds) { sealed.insert(seeds.begin(), seeds.end()); };
  for (const Experiment& e : study.experiments) {
    if (!seeds_are_sealed(study, e)) continue;
    add(e.registration.seeds);
    if (e.registration.aa) add(e.registration.aa->seeds);
    if (e.registration.terms)
      for (const auto& seeds : e.registration.terms->run_seeds) add(seeds);
  }
  return sealed;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_seed(const Seeds& seeds, std::string_view digits, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc() && end == digits.data() + digits.size() && seeds.contains(number);
}

std::size_t end_of(std::string_view text, std::size_t from, bool (*belongs)(char)) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

/// The end of a number with separated thousands that begins here, as in 1,234,567; `from` if there is none.
std::size_t end_of_grouped(std::string_view text, std::size_t from, std::string& digits) {
  constexpr std::size_t thousands = 3;
  std::size_t end = end_of(text, from, is_digit);
  if (end - from > thousands || end >= text.size() || std::string_view(",_' .").find(text[end]) == text.npos)
    return from;
  const char separator = text[end];
  digits = text.substr(from, end - from);
  const std::size_t first = end;
  while (end < text.size() && text[end] == separator && end_of(text, end + 1, is_digit) == end + 1 + thousands) {
    digits += text.substr(end + 1, thousands);
    end += 1 + thousands;
  }
  return end == first ? from : end;
}

std::string without_decimal(const Seeds& seeds, std::string_view text) {
  std::string out, digits;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      out += text[i++];
      continue;
    }
    const std::size_t end = end_of(text, i, is_digit);
    if (const std::size_t grouped = end_of_grouped(text, i, digits); grouped > end && is_seed(seeds, digits, 10)) {
      out += sealed_seed;
      i = grouped;
      continue;
    }
    if (const std::string_view plain = text.substr(i, end - i); is_seed(seeds, plain, 10))
      out += sealed_seed;
    else
      out += plain;
    i = end;
  }
  return out;
}

std::string without_hexadecimal(const Seeds& seeds, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_hex_digit(text[i])) {
      out += text[i++];
      continue;
    }
    const std::size_t end = end_of(text, i, is_hex_digit);
    const std::string_view word = text.substr(i, end - i);
    const bool decimal = std::ranges::all_of(word, is_digit);
    const bool prefixed = i >= 2 && text[i - 1] == 'x' && text[i - 2] == '0';
    if ((!decimal || prefixed) && is_seed(seeds, word, 16))
      out += sealed_seed;
    else
      out += word;
    i = end;
  }
  return out;
}

}  // namespace

bool seeds_are_sealed(const Study& study, const Experiment& experiment) {
  if (!study.spec.design.reading || study.outcome || study.phase() == Phase::concluding) return false;
  ExperimentId last = experiment.registration.experiment;
  bool judged = experiment.analysed;
  // Later ones amend earlier ones.
  for (const Experiment& e : study.experiments) {
    if (e.registration.amends != last) continue;
    last = e.registration.experiment;
    judged = judged || e.analysed;
  }
  return !judged;
}

std::string without_sealed_seeds(const Study& study, const std::string& text) {
  const Seeds seeds = sealed_seeds_of(study);
  return seeds.empty() ? text : without_hexadecimal(seeds, without_decimal(seeds, text));
}

}  // namespace kernel
