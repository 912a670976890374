#include "artifacts/merge/three_way_lines.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "artifacts/text/untrusted_text.h"
#include "base/kept_lines.h"

namespace artifacts {
namespace {

using Part = std::span<const std::string_view>;

bool equal_text(std::string_view a, std::string_view b) {
  return a == b;
}

/// For each line of `base` the line of `changed` that it stays as.
std::vector<std::optional<std::size_t>> kept_in(const kernel::Lines& base, const kernel::Lines& changed) {
  std::vector<std::optional<std::size_t>> kept(base.size());
  // What is the same at both ends leaves less to compare.
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(base.size(), changed.size());
  while (head < shorter && base[head] == changed[head]) {
    kept[head] = head;
    ++head;
  }
  while (tail < shorter - head && base[base.size() - 1 - tail] == changed[changed.size() - 1 - tail]) {
    kept[base.size() - 1 - tail] = changed.size() - 1 - tail;
    ++tail;
  }
  const auto inner = [&](const kernel::Lines& lines) {
    return kernel::Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                         lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  if (const auto pairs = kernel::kept_lines(inner(base), inner(changed), equal_text))
    for (const auto& [i, j] : *pairs) kept[head + i] = head + j;
  return kept;
}

bool same_lines(Part a, Part b) {
  return std::ranges::equal(a, b);
}

bool are_rows(Part lines) {
  return !lines.empty() &&
         std::ranges::all_of(lines, [](std::string_view line) { return trimmed(line).starts_with('|'); });
}

std::string joined_lines(Part lines) {
  std::string text;
  for (const std::string_view line : lines) text += std::string(line) + "\n";
  return text;
}

class Merging {
 public:
  Merging(std::string_view base, std::string_view ours, std::string_view theirs, AtConflict at_conflict)
      : base_(kernel::lines_of(base)),
        ours_(kernel::lines_of(ours)),
        theirs_(kernel::lines_of(theirs)),
        newline_(newline_of(ours)),
        at_conflict_(at_conflict) {}

  MergedLines merged() {
    const auto in_ours = kept_in(base_, ours_), in_theirs = kept_in(base_, theirs_);
    for (std::size_t i = 0; i < base_.size(); ++i) {
      if (!in_ours[i] || !in_theirs[i]) continue;
      part(i, *in_ours[i], *in_theirs[i]);
      put(std::span(&ours_[*in_ours[i]], 1));
      b_ = i + 1;
      o_ = *in_ours[i] + 1;
      t_ = *in_theirs[i] + 1;
    }
    part(base_.size(), ours_.size(), theirs_.size());
    return std::move(result_);
  }

 private:
  static Part cut(const kernel::Lines& lines, std::size_t from, std::size_t to) {
    return Part(lines).subspan(from, to - from);
  }

  void put(Part lines) {
    for (const std::string_view line : lines) {
      result_.text += line;
      result_.text += newline_;
      ++line_;
    }
  }

  /// What lies between two lines that all three have.
  void part(std::size_t b, std::size_t o, std::size_t t) {
    const Part base = cut(base_, b_, b), ours = cut(ours_, o_, o), theirs = cut(theirs_, t_, t);
    if (same_lines(ours, theirs) || same_lines(theirs, base)) return put(ours);
    if (same_lines(ours, base)) return put(theirs);
    if (base.empty() && are_rows(ours) && are_rows(theirs)) {
      put(ours);
      for (const std::string_view row : theirs)
        if (std::ranges::find(ours, row) == ours.end()) put(std::span(&row, 1));
      return;
    }
    MergeConflict conflict{fmt::format("L{}", line_), joined_lines(base), joined_lines(ours), joined_lines(theirs)};
    if (at_conflict_ == AtConflict::marks)
      result_.text += marked(conflict, newline_);
    else
      put(ours);
    result_.conflicts.push_back(std::move(conflict));
  }

  kernel::Lines base_, ours_, theirs_;
  std::string_view newline_;
  AtConflict at_conflict_;
  std::size_t b_ = 0, o_ = 0, t_ = 0;
  int line_ = 1;
  MergedLines result_;
};

}  // namespace

std::string_view newline_of(std::string_view text) {
  const auto end = text.find('\n');
  return end != text.npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string with_newlines(std::string_view text, std::string_view newline) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n')
      result += newline;
    else
      result += text[i];
  }
  return result;
}

std::string marked(const MergeConflict& conflict, std::string_view newline) {
  return with_newlines("<<<<<<< ours\n" + conflict.ours + "||||||| base\n" + conflict.base + "=======\n" +
                           conflict.theirs + ">>>>>>> theirs\n",
                       newline);
}

MergedLines merge_lines(std::string_view base, std::string_view ours, std::string_view theirs, AtConflict at_conflict) {
  MergedLines merged = Merging(base, ours, theirs, at_conflict).merged();
  // Only a line end at the end of the text that one of both kept out is left out.
  const bool ended = ours.ends_with('\n') || (theirs.ends_with('\n') && !base.ends_with('\n'));
  if (!ended && merged.text.ends_with('\n')) {
    merged.text.pop_back();
    if (merged.text.ends_with('\r')) merged.text.pop_back();
  }
  return merged;
}

}  // namespace artifacts
