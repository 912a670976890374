#include "kernel/measure/metric_sources.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <regex>

#include "base/csv_records.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "kernel/domain/stdout_pattern.h"

namespace kernel {

namespace {

using Kind = JsonScan::Kind;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls `fn` with every line that is not blank, without the line ending.
template <typename Fn>
void each_line(std::string_view text, std::string_view endings, Fn fn) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(endings);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") != line.npos) fn(line);
  }
}

std::optional<double> named_number(std::string_view text) {
  if (text == "NaN") return nan;
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  return std::nullopt;
}

/// A number, or one of the strings for values that JSON cannot express. Skips anything else and returns none.
std::optional<double> read_value(JsonScan& scan) {
  switch (scan.peek()) {
    case Kind::number:
      return scan.number();
    case Kind::string:
      return named_number(scan.string());
    default:
      scan.skip();
      return std::nullopt;
  }
}

/// False if there is something other than a whole number. `null` means no step.
bool read_step(JsonScan& scan, std::optional<std::int64_t>& step) {
  step.reset();
  if (scan.peek() == Kind::number) {
    step = scan.integer();
    return step.has_value();
  }
  const bool null = scan.peek() == Kind::null;
  scan.skip();
  return null;
}

/// `written`: the text in place of the value, if it is not a number.
bool read_metric_line(std::string_view line, std::string& key, MetricPoint& point, std::string_view& written) {
  if (line.size() > longest_line || !valid_utf8(line)) return false;
  JsonScan scan(line);
  if (scan.peek() != Kind::object) return false;
  bool sound = true;
  bool valued = false;
  scan.enter();
  while (scan.next_key(key)) {
    const Kind kind = scan.peek();
    if (key == "value") {
      const std::size_t begin = scan.position();
      const auto value = read_value(scan);
      if (!value && !scan.failed()) written = line.substr(begin, scan.position() - begin);
      valued = value.has_value();
      point.value = value.value_or(0);
    } else if (key == "name") {
      if (kind == Kind::string) {
        point.name = scan.string();
      } else {
        scan.skip();
        sound = false;
      }
    } else if (key == "step") {
      sound = read_step(scan, point.step) && sound;
    } else if (key == "item") {
      if (kind == Kind::string)
        point.item = scan.string();
      else if (kind == Kind::number)
        point.item = scan.number_text();
      else
        scan.skip();
    } else if (key == "censored") {
      point.censored = kind == Kind::boolean && scan.boolean();
      if (kind != Kind::boolean) scan.skip();
      if (kind != Kind::boolean && kind != Kind::null) sound = false;
    } else {
      scan.skip();
    }
  }
  return sound && valued && !point.name.empty() && !scan.failed() && scan.at_end();
}

/// "0.91", "+1e3", "nan", "-inf"; a full stop or comma after the number belongs to the sentence.
std::optional<double> number_in(std::string text) {
  const auto first = text.find_first_not_of(" \t");
  const auto last = text.find_last_not_of(" \t.,");
  if (first == text.npos || last == text.npos || last < first) return std::nullopt;
  std::string_view number = std::string_view(text).substr(first, last - first + 1);
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(number).c_str(), nullptr);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Text that every match must contain, or empty. Lines without it need no matching.
std::string literal_in(const std::string& pattern) {
  std::string best, run;
  int depth = 0;
  const auto close = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '|') return {};
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '[') {
      for (++i; i < pattern.size() && pattern[i] != ']'; ++i)
        if (pattern[i] == '\\') ++i;
    }
    if (c == '\\') ++i;
    if (c == '{') i = std::min(pattern.find('}', i), pattern.size());  // the digits of a quantifier are not text
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || (c > 0 && std::strchr(" =:_-,;/%#@!<>\"'", c));
    if ((c == '*' || c == '?' || c == '{') && !run.empty()) run.pop_back();
    if (plain && depth == 0)
      run += c;
    else
      close();
  }
  close();
  return best;
}

// std::regex backtracks and recurses along the line. A match that takes too many steps or too much stack is given up.
constexpr std::int64_t most_steps_a_line = 2'000'000, most_steps = 150'000'000;
constexpr std::uintptr_t most_stack = 4 << 20;
struct GivenUp {};

std::uintptr_t stack_here() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

struct Allowance {
  std::int64_t steps;
  std::uintptr_t stack = stack_here();

  void spend() {
    if (--steps < 0 || stack - stack_here() > most_stack) throw GivenUp();
  }
};

/// Iterates over characters and counts each step.
class PricedIterator {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  PricedIterator() = default;
  PricedIterator(const char* at, Allowance& allowance) : at_(at), allowance_(&allowance) {}
  reference operator*() const { return *at_; }
  PricedIterator& operator++() {
    allowance_->spend();
    ++at_;
    return *this;
  }
  PricedIterator operator++(int) {
    const PricedIterator before = *this;
    ++*this;
    return before;
  }
  PricedIterator& operator--() {
    --at_;
    return *this;
  }
  PricedIterator operator--(int) {
    const PricedIterator before = *this;
    --*this;
    return before;
  }
  bool operator==(const PricedIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_ = nullptr;
  Allowance* allowance_ = nullptr;
};

struct PreparedPattern {
  explicit PreparedPattern(const std::string& pattern)
      : groups(stdout_pattern(pattern)), regex(groups.regex), literal(literal_in(groups.regex)) {}
  StdoutPattern groups;
  std::regex regex;
  std::string literal;
};

/// Preparing takes longer than reading a short output, and all runs of a study have the same patterns.
const PreparedPattern& prepared(const std::string& pattern) {
  constexpr std::size_t most = 64;
  thread_local std::map<std::string, PreparedPattern> known;
  if (known.size() >= most && !known.contains(pattern)) known.clear();
  return known.try_emplace(pattern, pattern).first->second;
}

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.starts_with('/'))
    pointer.remove_prefix(1);
  else if (pointer.empty())
    return steps;
  steps.emplace_back();
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

/// The text of the member or element that `step` names. Of equal keys the last counts, as in Python.
std::optional<std::string_view> child(std::string_view text, const std::string& step) {
  JsonScan scan(text);
  const Kind kind = scan.peek();
  if (kind != Kind::object && kind != Kind::array) return std::nullopt;
  std::optional<std::string_view> found;
  std::string key;
  std::size_t index = 0;
  scan.enter();
  while (kind == Kind::object ? scan.next_key(key) : scan.next_element()) {
    if (kind == Kind::array) key = std::to_string(index++);
    const std::size_t begin = scan.position();
    scan.skip();
    if (key == step) found = text.substr(begin, scan.position() - begin);
  }
  return scan.failed() ? std::nullopt : found;
}

}  // namespace

void Found::add(MetricPoint point) {
  if (points.size() < most_points)
    points.push_back(std::move(point));
  else
    full = true;
}

void Found::refuse(const std::string& metric, std::string_view written) {
  constexpr std::size_t most = 40, most_metrics = 100;
  const auto first = written.find_first_not_of(" \t");
  if (metric.empty() || first == written.npos || unread.size() >= most_metrics) return;
  written = written.substr(first, written.find_last_not_of(" \t\r") - first + 1);
  const std::string_view shown = utf8_prefix(written, most);
  unread.try_emplace(metric, std::string(shown) + (shown.size() < written.size() ? "…" : ""));
}

void read_metric_lines(std::string_view text, Found& found) {
  // Growth by doubling would need twice the memory for a moment.
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  found.points.reserve(std::min(most_points, found.points.size() + lines));
  std::string key;
  each_line(text, "\n", [&](std::string_view line) {
    MetricPoint point;
    std::string_view written;
    if (read_metric_line(line, key, point, written)) {
      found.add(std::move(point));
    } else {
      ++found.malformed;
      if (!written.empty()) found.refuse(point.name, written);
    }
  });
}

void read_pattern(std::string_view text, const std::string& metric, const std::string& pattern, Found& found) {
  using Match = std::regex_iterator<PricedIterator>;
  const PreparedPattern& known = prepared(pattern);
  const StdoutPattern& groups = known.groups;
  const std::string& literal = known.literal;
  std::int64_t left = most_steps;
  each_line(text, "\n\r", [&](std::string_view line) {
    if (!literal.empty() && line.find(literal) == line.npos) return;
    if (line.size() > longest_line) ++found.malformed;
    line = line.substr(0, longest_line);
    const std::int64_t given = std::min(most_steps_a_line, left);
    Allowance allowance{given};
    try {
      Match match({line.data(), allowance}, {line.data() + line.size(), allowance}, known.regex);
      for (; match != Match(); ++match) {
        const std::string written = (*match)[match->size() > groups.value ? groups.value : 0].str();
        const auto step = groups.step > 0 ? whole_number((*match)[groups.step].str()) : std::nullopt;
        if (groups.step > 0 && !step) ++found.malformed;
        if (const auto value = number_in(written)) {
          found.add({metric, *value, step, "", false});
        } else {
          ++found.malformed;
          found.refuse(metric, written);
        }
      }
    } catch (const GivenUp&) {
      ++found.malformed;
    }
    left -= given - std::max<std::int64_t>(allowance.steps, 0);
  });
}

void read_json_value(std::string_view text, const std::string& metric, const std::string& pointer, Found& found) {
  JsonScan whole(text);
  whole.skip();
  if (whole.failed() || !whole.at_end() || !valid_utf8(text)) {
    ++found.malformed;
    return;
  }
  for (const std::string& step : pointer_steps(pointer)) {
    const auto next = child(text, step);
    if (!next) return;
    text = *next;
  }
  JsonScan scan(text);
  if (scan.peek() == Kind::null) return;
  if (scan.peek() != Kind::array) {
    if (const auto value = read_value(scan)) {
      found.add({metric, *value, std::nullopt, "", false});
    } else {
      ++found.malformed;
      found.refuse(metric, text);
    }
    return;
  }
  scan.enter();
  for (std::int64_t step = 0; scan.next_element(); ++step) {
    if (const auto value = read_value(scan))
      found.add({metric, *value, step, "", false});
    else
      ++found.malformed;
  }
}

void read_json_lines(std::string_view text, const std::vector<LineKey>& keys, Found& found) {
  struct Slot {
    std::optional<double> value;
    std::optional<std::int64_t> step;
    std::int64_t count = 0;
  };
  std::vector<Slot> slots(keys.size());
  std::string key;
  each_line(text, "\n", [&](std::string_view line) {
    const bool text_line = line.size() <= longest_line && valid_utf8(line);
    JsonScan scan(text_line ? line : std::string_view());
    if (scan.peek() != Kind::object) {
      ++found.malformed;
      return;
    }
    for (Slot& slot : slots) slot = {std::nullopt, std::nullopt, slot.count};
    bool sound = true;
    scan.enter();
    while (scan.next_key(key)) {
      const std::size_t begin = scan.position();
      scan.skip();
      const std::string_view member = line.substr(begin, scan.position() - begin);
      for (std::size_t i = 0; i < keys.size() && !scan.failed(); ++i) {
        JsonScan again(member);
        if (keys[i].key == key && again.peek() != Kind::null) {
          slots[i].value = read_value(again);
          if (!slots[i].value) found.refuse(keys[i].metric, member);
          sound = sound && slots[i].value;
        } else if (!keys[i].step.empty() && keys[i].step == key) {
          sound = read_step(again, slots[i].step) && sound;
        }
      }
    }
    if (!sound || scan.failed() || !scan.at_end()) ++found.malformed;
    if (scan.failed() || !scan.at_end()) return;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!slots[i].value) continue;
      if (keys[i].step.empty()) slots[i].step = slots[i].count;
      ++slots[i].count;
      found.add({keys[i].metric, *slots[i].value, slots[i].step, "", false});
    }
  });
}

std::string pattern_problem(const std::string& pattern) {
  try {
    const std::regex regex(stdout_pattern(pattern).regex);
    return {};
  } catch (const std::regex_error& e) {
    return e.what();
  }
}

}  // namespace kernel
