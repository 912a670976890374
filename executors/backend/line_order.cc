#include "executors/backend/line_order.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace executors {
namespace {

constexpr std::string_view line_ends = "\n\r";

/// The lines of a text, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) { go_to(0); }

  bool at_end() const { return at_ == text_.size(); }
  /// Precondition: not at the end. Without its end.
  std::string_view next() {
    const std::string_view line = text_.substr(at_, end_ - at_);
    go_to(end_ + 1);
    return line;
  }
  /// Passes the lines whose end is known from the bytes before a position; how many.
  std::uint64_t pass(std::size_t position) {
    std::uint64_t lines = 0;
    for (; end_ < text_.size() && end_ + (text_[end_] == '\r') < position; ++lines) go_to(end_ + 1);
    return lines;
  }

 private:
  void go_to(std::size_t at) {
    at_ = end_ = std::min(at, text_.size());
    const auto goes_on = [&] { return text_[end_] == '\r' && end_ + 1 < text_.size() && text_[end_ + 1] == '\n'; };
    do end_ = std::min(text_.find_first_of(line_ends, end_), text_.size());
    while (end_ < text_.size() && goes_on() && ++end_);
  }

  std::string_view text_;
  std::size_t at_ = 0, end_ = 0;  ///< The line's beginning, and its end or the text's.
};

}  // namespace

std::size_t count_lines(std::string_view text) {
  std::size_t count = 0;
  for (Lines lines(text); !lines.at_end(); lines.next()) ++count;
  return count;
}

void LineOrder::append(const LineOrder& other) {
  for (std::size_t i = 0; i < other.turns_.size(); ++i) add(i % 2, other.turns_[i]);
}

LineOrder LineOrder::at_moments(std::string_view out, std::string_view err, const std::vector<Moment>& moments) {
  LineOrder order;
  Lines out_lines(out), err_lines(err);
  for (const auto& [out_end, err_end] : moments) {
    order.add_out(out_lines.pass(std::min(out_end, out.size())));
    order.add_err(err_lines.pass(std::min(err_end, err.size())));
  }
  return order;
}

void LineOrder::add_rest(std::string_view out, std::string_view err) {
  std::array<std::uint64_t, 2> missing{count_lines(out), count_lines(err)};
  for (std::size_t i = 0; i < turns_.size(); ++i) missing[i % 2] -= std::min(missing[i % 2], turns_[i]);
  add_out(missing[0]);
  add_err(missing[1]);
}

std::string LineOrder::text() const {
  std::string text;
  for (const std::uint64_t lines : turns_) text += (text.empty() ? "" : " ") + std::to_string(lines);
  return text;
}

std::optional<LineOrder> LineOrder::parse(std::string_view text) {
  LineOrder order;
  while (!text.empty()) {
    std::uint64_t lines = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' '))
      text.remove_prefix(1);
    else if (!text.empty())
      return std::nullopt;
    order.turns_.push_back(lines);
  }
  return order;
}

bool LineOrder::fits(std::string_view out, std::string_view err) const {
  std::array<std::uint64_t, 2> lines{};
  for (std::size_t i = 0; i < turns_.size(); ++i) lines[i % 2] += turns_[i];
  return lines[0] == count_lines(out) && lines[1] == count_lines(err);
}

std::optional<std::string> LineOrder::merged(std::string_view out, std::string_view err) const {
  std::string text;
  text.reserve(out.size() + err.size());
  std::array<Lines, 2> lines{Lines(out), Lines(err)};
  for (std::size_t i = 0; i < turns_.size(); ++i)
    for (std::uint64_t n = 0; n < turns_[i]; ++n) {
      if (lines[i % 2].at_end()) return std::nullopt;
      text += i % 2 == 0 ? out_prefix : err_prefix;
      text += lines[i % 2].next();
      text += '\n';
    }
  return text;
}

void LineOrder::add(std::size_t stream, std::uint64_t lines) {
  if (lines == 0) return;
  if (turns_.empty() && stream == 1) turns_.push_back(0);
  if (!turns_.empty() && (turns_.size() - 1) % 2 == stream)
    turns_.back() += lines;
  else
    turns_.push_back(lines);
}

}  // namespace executors
