#include "artifacts/merge/page_merge.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "artifacts/edit/page_edits.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/source_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// A piece of a text with a name that it has in all versions.
struct Piece {
  std::string name;
  std::string text;  ///< Whole lines that end with '\n'.
};
using Pieces = std::vector<Piece>;

/// Names are counted, so that none is there twice.
void name_pieces(Pieces& pieces) {
  std::map<std::string, int> times;
  for (Piece& piece : pieces)
    if (const int before = times[piece.name]++; before > 0) piece.name += fmt::format("#{}", before + 1);
}

std::string lines_from(const SourceText& source, int first, int last) {
  std::string text;
  for (int line = first; line <= last; ++line) text += std::string(source.line(line)) + "\n";
  return text;
}

Layer layer_in(std::string_view text, const std::string& file) {
  Findings unused;
  return read_layer(clean(text).text, file, id_prefixes(file), false, unused);
}

/// A piece for each entry; the first one is what stands before them.
Pieces entries_of(std::string_view text, const std::string& file) {
  const SourceText source{std::string(text)};
  const Layer layer = layer_in(text, file);
  Pieces pieces;
  for (std::size_t i = 0; i < layer.blocks.size(); ++i) {
    const Block& block = layer.blocks[i];
    const int last = i + 1 < layer.blocks.size() ? layer.blocks[i + 1].line - 1 : source.lines();
    const int first = block.level == 0 ? 1 : block.line;
    pieces.push_back({block.id.empty() ? block.heading : block.id, lines_from(source, first, last)});
  }
  name_pieces(pieces);
  return pieces;
}

/// A piece for each field of an entry; the first one is its heading.
Pieces fields_of(const std::string& entry, const std::string& file) {
  const SourceText source{entry};
  const Layer layer = layer_in(entry, file);
  Pieces pieces;
  int first = 1;
  std::string name;
  for (const Block& block : layer.blocks)
    for (const Field& field : block.fields) {
      if (field.line <= first && !pieces.empty()) continue;
      pieces.push_back({name, lines_from(source, first, field.line - 1)});
      first = field.line;
      name = field.name;
    }
  pieces.push_back({name, lines_from(source, first, source.lines())});
  name_pieces(pieces);
  return pieces;
}

/// What a piece says, without blank lines at its end and blanks at the ends of lines.
std::string said(const std::string& text) {
  std::string result;
  for (const std::string_view line : kernel::lines_of(text)) {
    const auto last = line.find_last_not_of(" \t\r");
    result += std::string(line.substr(0, last == line.npos ? 0 : last + 1)) + "\n";
  }
  while (result.ends_with("\n\n")) result.pop_back();
  return result == "\n" ? std::string() : result;
}

const Piece* find(const Pieces& pieces, const std::string& name) {
  const auto found = std::ranges::find(pieces, name, &Piece::name);
  return found == pieces.end() ? nullptr : &*found;
}

std::string blank_lines_behind(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  const auto line = text.find('\n', end);
  return line == text.npos ? std::string() : text.substr(line + 1);
}

std::string with_blank_lines(const std::string& text, const std::string& blank) {
  const std::string own = blank_lines_behind(text);
  return text.substr(0, text.size() - own.size()) + blank;
}

class PageMerging {
 public:
  PageMerging(const std::string& file, AtConflict at_conflict) : file_(file), at_conflict_(at_conflict) {}

  MergedPage page(std::string_view base, std::string_view ours, std::string_view theirs) {
    const Pieces b = base.empty() ? Pieces() : entries_of(base, file_);
    Pieces all = merged(b, entries_of(ours, file_), entries_of(theirs, file_), true);
    for (Piece& one : all) result_.text += one.text;
    result_.text = with_newlines(result_.text, newline_of(ours));
    if (!ours.ends_with('\n') && result_.text.ends_with('\n')) result_.text.pop_back();
    return std::move(result_);
  }

 private:
  void took(const std::string& name, bool entries, Taken::How how) {
    if (entries) result_.taken.push_back({name, how});
  }

  std::string conflict(const std::string& name, const std::string& base, const std::string& ours,
                       const std::string& theirs, const std::string& place) {
    MergeConflict one{(entry_.empty() ? "" : entry_ + ".") + name, base, ours, theirs};
    if (entry_.empty() && name.empty()) one.where = "the beginning";
    std::string text = at_conflict_ == AtConflict::marks ? marked(one, "\n") : place;
    result_.conflicts.push_back(std::move(one));
    return text;
  }

  /// The pieces of ours in their order, with what theirs changed, and behind their neighbours those that theirs added.
  Pieces merged(const Pieces& base, const Pieces& ours, const Pieces& theirs, bool entries) {
    Pieces result;
    for (const Piece& one : ours) {
      const Piece* before = find(base, one.name);
      const Piece* other = find(theirs, one.name);
      if (!other) {
        if (before && said(before->text) == said(one.text)) {
          took(one.name, entries, Taken::How::deleted);
          continue;
        }
        std::string text = one.text;
        if (before) text = conflict(one.name, before->text, one.text, "", one.text);
        result.push_back({one.name, std::move(text)});
        continue;
      }
      result.push_back({one.name, both(before, one, *other, entries)});
    }
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const Piece& other = theirs[i];
      if (find(ours, other.name)) continue;
      const Piece* before = find(base, other.name);
      if (before && said(before->text) == said(other.text)) continue;  // Deleted by us.
      std::string text = other.text;
      if (before)
        text = conflict(other.name, before->text, "", other.text, other.text);
      else
        took(other.name, entries, Taken::How::added);
      insert(result, theirs, i, {other.name, std::move(text)}, entries);
    }
    return result;
  }

  std::string both(const Piece* before, const Piece& one, const Piece& other, bool entries) {
    if (said(one.text) == said(other.text)) return one.text;
    if (before && said(before->text) == said(other.text)) return one.text;
    if (before && said(before->text) == said(one.text)) {
      took(one.name, entries, Taken::How::changed);
      return with_blank_lines(other.text, blank_lines_behind(one.text));
    }
    if (entries && before && !one.name.empty()) {
      const std::size_t conflicts = result_.conflicts.size();
      entry_ = one.name;
      const Pieces fields =
          merged(fields_of(before->text, file_), fields_of(one.text, file_), fields_of(other.text, file_), false);
      entry_.clear();
      std::string text;
      for (const Piece& field : fields) text += field.text;
      if (result_.conflicts.size() == conflicts || said(text) != said(one.text))
        took(one.name, true, Taken::How::changed);
      return with_blank_lines(text, blank_lines_behind(one.text));
    }
    const MergedLines lines =
        merge_lines(before ? before->text : std::string(), one.text, other.text, AtConflict::ours);
    if (lines.conflicts.empty() && before) return lines.text;
    return conflict(one.name, before ? before->text : std::string(), one.text, other.text, one.text);
  }

  /// Behind the nearest piece before it that the result has; in front of all if there is none.
  static void insert(Pieces& result, const Pieces& theirs, std::size_t at, Piece piece, bool entries) {
    std::size_t place = 0;
    for (std::size_t i = at; i-- > 0 && place == 0;)
      for (std::size_t k = 0; k < result.size(); ++k)
        if (result[k].name == theirs[i].name) place = k + 1;
    // Entries that only we have stay next to what they stood behind.
    if (entries && at + 1 == theirs.size()) place = result.size();
    if (entries && place > 0 && blank_lines_behind(result[place - 1].text).empty()) {
      result[place - 1].text += "\n";
      if (place == result.size()) piece.text = with_blank_lines(piece.text, "");
    }
    if (entries && place < result.size() && blank_lines_behind(piece.text).empty()) piece.text += "\n";
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(place), std::move(piece));
  }

  const std::string& file_;
  AtConflict at_conflict_;
  std::string entry_;  ///< Whose fields are merged.
  MergedPage result_;
};

}  // namespace

MergedPage merge_page(std::string_view base, std::string_view ours, std::string_view theirs, const std::string& file,
                      AtConflict at_conflict) {
  return PageMerging(file, at_conflict).page(base, ours, theirs);
}

}  // namespace artifacts
