#include "agents/thinking/workspace/unified_diff.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/kept_lines.h"
#include "base/utf8.h"

namespace agents {

namespace {

constexpr std::string_view nowhere = "/dev/null";
constexpr std::size_t most_hunks = 500;  // Each one may be searched in a whole file.
/// Larger line numbers could overflow.
constexpr std::size_t most_patch_lines = 10'000'000;

struct Range {
  std::size_t from = 0, count = 1;
};

/// Removes "12,3" or "12" from the front of the text.
std::optional<Range> take_range(std::string_view& text) {
  Range range;
  const auto number = [&](std::size_t& into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc() || into > most_patch_lines) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  if (!number(range.from)) return std::nullopt;
  if (!text.starts_with(',')) return range;
  text.remove_prefix(1);
  return number(range.count) ? std::optional(range) : std::nullopt;
}

struct HunkHeader {
  Range before, after;
};

std::optional<HunkHeader> hunk_header(std::string_view line) {
  if (!line.starts_with("@@ -")) return std::nullopt;
  line.remove_prefix(4);
  const auto before = take_range(line);
  if (!before || !line.starts_with(" +")) return std::nullopt;
  line.remove_prefix(2);
  const auto after = take_range(line);
  if (!after || !line.starts_with(" @@")) return std::nullopt;
  return HunkHeader{*before, *after};
}

/// The name without the time that may follow it.
std::string_view name_in(std::string_view line) {
  line.remove_prefix(4);
  line = line.substr(0, line.find('\t'));
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  return line;
}

class DiffReader {
 public:
  explicit DiffReader(std::string_view patch) : lines_(kernel::lines_of(patch)) {}

  Diff read() {
    while (diff_.wrong.empty() && at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (begins_file())
        file();
      else if (hunk_header(line))
        fail("a hunk comes before the two lines that name its file, `--- a/PATH` and `+++ b/PATH`");
      else if (line.starts_with("rename ") || line.starts_with("copy ") || line.starts_with("GIT binary") ||
               line.starts_with("Binary files"))
        fail("a patch cannot rename or copy files, and cannot write binary files");
      else
        ++at_;  // Lines between files have no meaning: `diff --git`, `index`, words.
    }
    if (diff_.wrong.empty() && diff_.files.empty())
      diff_.wrong = "it is not a unified diff: it has no `--- a/PATH`, `+++ b/PATH` and hunks";
    return std::move(diff_);
  }

 private:
  bool begins_file() const {
    return at_ + 1 < lines_.size() && lines_[at_].starts_with("--- ") && lines_[at_ + 1].starts_with("+++ ");
  }
  void fail(std::string_view why) { diff_.wrong = fmt::format("line {} of the patch: {}", at_ + 1, why); }

  void file() {
    std::string_view before = name_in(lines_[at_]), after = name_in(lines_[at_ + 1]);
    FilePatch patch;
    patch.is_new = before == nowhere;
    patch.removes = after == nowhere;
    if (patch.is_new && patch.removes) return fail("it names no file");
    if (before.starts_with('"') || after.starts_with('"')) return fail("names in quotes are not read");
    const bool marked = (patch.is_new || before.starts_with("a/")) && (patch.removes || after.starts_with("b/"));
    if (marked && !patch.is_new) before.remove_prefix(2);
    if (marked && !patch.removes) after.remove_prefix(2);
    if (!patch.is_new && !patch.removes && before != after) return fail("a patch cannot rename a file");
    patch.path = patch.removes ? before : after;
    const auto same = [&](const FilePatch& other) { return other.path == patch.path; };
    if (std::ranges::any_of(diff_.files, same)) return fail("it has this file twice");
    at_ += 2;
    while (diff_.wrong.empty() && at_ < lines_.size())
      if (const auto header = hunk_header(lines_[at_]))
        hunk(patch, *header);
      else if (lines_[at_].empty())
        ++at_;
      else if (lines_[at_].starts_with("@@"))
        return fail("a hunk begins with `@@ -LINE,LINES +LINE,LINES @@`");
      else
        break;
    if (diff_.wrong.empty() && patch.hunks.empty()) return fail("the file has no hunk");
    diff_.files.push_back(std::move(patch));
  }

  void hunk(FilePatch& patch, const HunkHeader& header) {
    if (++hunks_ > most_hunks) return fail(fmt::format("it has more than {} hunks: apply it in parts", most_hunks));
    const std::size_t begin = at_++;
    Hunk hunk{header.before.from, {}};
    std::size_t old_lines = 0, new_lines = 0;
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      const bool complete = old_lines >= header.before.count && new_lines >= header.after.count;
      const char kind = line.empty() || line == "\r" ? ' ' : line.front();
      // A line that looks like a file header may be removed or added text; an empty one may separate two files.
      if ((complete && (begins_file() || line.empty() || line == "-- ")) ||
          (kind != ' ' && kind != '-' && kind != '+' && kind != '\\'))
        break;
      ++at_;
      if (kind == '\\') {
        if (!hunk.lines.empty() && hunk.lines.back().kind != '-') hunk.open_end = true;
        continue;
      }
      hunk.lines.push_back({kind, line.empty() ? line : line.substr(line.front() == '\r' ? 0 : 1)});
      old_lines += kind != '+' ? 1 : 0;
      new_lines += kind != '-' ? 1 : 0;
    }
    if (old_lines == header.before.count && new_lines == header.after.count && !hunk.lines.empty()) {
      patch.hunks.push_back(std::move(hunk));
      return;
    }
    at_ = begin;
    fail(fmt::format("the hunk says {} old and {} new lines, and has {} and {}", header.before.count,
                     header.after.count, old_lines, new_lines));
  }

  const std::vector<std::string_view> lines_;
  std::size_t at_ = 0, hunks_ = 0;
  Diff diff_;
};

std::string shown_line(std::string_view line) {
  std::string out;
  for (const char c : line.substr(0, 200)) {
    if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out;
}

class Patching {
 public:
  explicit Patching(std::string_view text)
      : lines_(kernel::lines_of(text)), ended_(text.empty() || text.ends_with('\n')), open_end_(!ended_) {}

  /// Returns why it does not fit; empty if it does.
  std::string hunk(const Hunk& hunk) {
    std::vector<std::string_view> old;
    for (const HunkLine& line : hunk.lines)
      if (line.kind != '+') old.push_back(line.text);
    std::size_t stated = hunk.old_from;
    if (!old.empty() && stated > 0) --stated;
    std::optional<std::size_t> place = stated;
    if (stated < next_ || !stands_at(old, stated)) place = old.empty() ? std::nullopt : only_place(old);
    if (!place) return misfit(old, stated);
    while (next_ < *place) out_.push_back(lines_[next_++]);
    for (const HunkLine& line : hunk.lines) {
      if (line.kind != '-') out_.push_back(line.text);
      if (line.kind != '+') ++next_;
    }
    if (next_ == lines_.size()) open_end_ = hunk.open_end || (hunk.lines.back().kind == ' ' && !ended_);
    return "";
  }

  std::size_t misfit_line = 0;  ///< The line where a hunk did not fit.

  std::string text() {
    while (next_ < lines_.size()) out_.push_back(lines_[next_++]);
    std::string text;
    for (const std::string_view line : out_) text.append(line).append("\n");
    if (open_end_ && !text.empty()) text.pop_back();
    return text;
  }

 private:
  bool stands_at(const std::vector<std::string_view>& old, std::size_t at) const {
    return at <= lines_.size() && old.size() <= lines_.size() - at &&
           std::equal(old.begin(), old.end(), lines_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  /// The only position below everything patched so far; none if there are several. Knuth, Morris, Pratt (1977).
  std::optional<std::size_t> only_place(const std::vector<std::string_view>& old) {
    std::vector<std::size_t> border(old.size(), 0);
    for (std::size_t i = 1, k = 0; i < old.size(); ++i) {
      while (k > 0 && old[i] != old[k]) k = border[k - 1];
      border[i] = k += old[i] == old[k] ? 1 : 0;
    }
    std::optional<std::size_t> place;
    for (std::size_t i = next_, k = 0; i < lines_.size(); ++i) {
      while (k > 0 && (k == old.size() || lines_[i] != old[k])) k = border[k - 1];
      k += lines_[i] == old[k] ? 1 : 0;
      if (k < old.size()) continue;
      twice_ = place.has_value();
      if (twice_) return std::nullopt;
      place = i + 1 - old.size();
    }
    return place;
  }

  std::string misfit(const std::vector<std::string_view>& old, std::size_t stated) {
    misfit_line = stated + 1;
    if (twice_) return "its old lines are in more than one place, and none is the stated one";
    if (stated < next_) return fmt::format("it begins at line {}, within the hunk before it", misfit_line);
    for (const std::string_view wanted : old) {
      if (misfit_line > lines_.size()) break;
      if (wanted != lines_[misfit_line - 1])
        return fmt::format("it wants «{}» at line {}", shown_line(wanted), misfit_line);
      ++misfit_line;
    }
    return fmt::format("it wants a line {}, and the file has {}", misfit_line, lines_.size());
  }

  const std::vector<std::string_view> lines_;
  const bool ended_;
  bool open_end_, twice_ = false;
  std::size_t next_ = 0;  ///< The first line of the file that is not in `out_` yet.
  std::vector<std::string_view> out_;
};

}  // namespace

Diff read_diff(std::string_view patch) {
  return DiffReader(patch).read();
}

std::vector<std::pair<int, int>> places_changed(const FilePatch& file) {
  std::vector<std::pair<int, int>> places;
  std::ptrdiff_t shift = 0;
  for (const Hunk& hunk : file.hunks) {
    const bool only_new = std::ranges::none_of(hunk.lines, [](const HunkLine& line) { return line.kind != '+'; });
    std::ptrdiff_t line = static_cast<std::ptrdiff_t>(hunk.old_from) + shift + (only_new ? 1 : 0);
    int from = 0, to = 0;
    for (const HunkLine& one : hunk.lines) {
      if (one.kind != ' ') {
        if (from == 0) from = static_cast<int>(std::max<std::ptrdiff_t>(line, 1));
        to = std::max(to, static_cast<int>(line));
      }
      if (one.kind != '-') ++line;
      shift += one.kind == '+' ? 1 : one.kind == '-' ? -1 : 0;
    }
    if (from > 0) places.emplace_back(from, std::max(from, to));
  }
  return places;
}

int lines_changed(const std::string& diff) {
  int added = 0, removed = 0;
  for (const FilePatch& file : read_diff(diff).files)
    for (const Hunk& hunk : file.hunks)
      for (const HunkLine& line : hunk.lines) {
        added += line.kind == '+' ? 1 : 0;
        removed += line.kind == '-' ? 1 : 0;
      }
  return std::max(added, removed);
}

std::vector<std::string> files_in(const std::string& diff) {
  std::vector<std::string> files;
  for (const std::string_view line : kernel::lines_of(diff))
    for (const std::string_view mark : {"--- a/", "+++ b/"})
      if (line.starts_with(mark)) files.emplace_back(line.substr(mark.size()));
  return files;
}

Patched apply(const FilePatch& patch, std::string_view text) {
  Patching patching(text);
  for (std::size_t i = 0; i < patch.hunks.size(); ++i)
    if (const std::string why = patching.hunk(patch.hunks[i]); !why.empty())
      return {"", fmt::format("hunk {} of {} for {} does not fit: {}", i + 1, patch.hunks.size(), patch.path, why),
              patching.misfit_line};
  return {patching.text(), ""};
}

namespace {

constexpr int context = 3;

/// Lines with their ends, because a last line without one differs from one with it.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines = kernel::lines_of(text);
  for (std::string_view& line : lines)
    if (line.end() < text.end()) line = {line.data(), line.size() + 1};
  return lines;
}

using kernel::Lines;

struct Edit {
  char kind;
  std::string_view line;
};

std::vector<Edit> edits_of(const Lines& a, const Lines& b) {
  kernel::LinePairs kept = kernel::kept_lines(a, b, [](std::string_view x, std::string_view y) {
                             return x == y;
                           }).value_or(kernel::LinePairs());
  kept.emplace_back(a.size(), b.size());
  std::vector<Edit> edits;
  std::size_t i = 0, j = 0;
  for (const auto& [in_a, in_b] : kept) {
    while (i < in_a) edits.push_back({'-', a[i++]});
    while (j < in_b) edits.push_back({'+', b[j++]});
    if (i < a.size()) edits.push_back({' ', a[i++]}), ++j;
  }
  return edits;
}

std::string hunk(const std::vector<Edit>& edits, std::size_t from, std::size_t to, int old_line, int new_line) {
  std::string body;
  int old_count = 0, new_count = 0;
  for (std::size_t i = from; i < to; ++i) {
    old_count += edits[i].kind != '+' ? 1 : 0;
    new_count += edits[i].kind != '-' ? 1 : 0;
    body += edits[i].kind + std::string(edits[i].line);
    if (!edits[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  // For an empty range, the line before it.
  return fmt::format("@@ -{},{} +{},{} @@\n{}", old_line - (old_count == 0 ? 1 : 0), old_count,
                     new_line - (new_count == 0 ? 1 : 0), new_count, body);
}

bool is_text(const std::optional<std::string>& text) {
  return !text || (kernel::valid_utf8(*text) && text->find('\0') == text->npos);
}

}  // namespace

std::string diff_of(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after) {
  if (before == after) return "";
  const std::string names =
      fmt::format("--- {}\n+++ {}\n", before ? "a/" + path : "/dev/null", after ? "b/" + path : "/dev/null");
  if (!is_text(before) || !is_text(after)) return names + "Binary files differ\n";
  const Lines a = whole_lines(before ? *before : std::string_view()),
              b = whole_lines(after ? *after : std::string_view());
  const std::vector<Edit> edits = edits_of(a, b);
  std::string text = names;
  int old_line = 1, new_line = 1;
  for (std::size_t i = 0; i < edits.size();) {
    // Changes whose contexts overlap share a hunk.
    const std::size_t change =
        static_cast<std::size_t>(std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(i), edits.end(),
                                              [](const Edit& e) { return e.kind != ' '; }) -
                                 edits.begin());
    if (change == edits.size()) break;
    const std::size_t from = std::max(i, change > context ? change - context : 0);
    old_line += static_cast<int>(from - i);
    new_line += static_cast<int>(from - i);
    std::size_t to = change, same = 0;
    while (to < edits.size() && same <= 2 * context) same = edits[to++].kind == ' ' ? same + 1 : 0;
    if (same > context) to -= same - context;
    text += hunk(edits, from, to, old_line, new_line);
    for (i = from; i < to; ++i) {
      old_line += edits[i].kind != '+' ? 1 : 0;
      new_line += edits[i].kind != '-' ? 1 : 0;
    }
  }
  return text;
}

}  // namespace agents
