#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_quoted = 16u << 20;
// Real claims have a few dozen numbers and quotes; larger ones are not judged, to bound the time.
constexpr std::size_t most_numbers = 300, most_labels = 100, longest_bracket = 2000;
constexpr std::size_t most_derived = 5000;
constexpr std::size_t most_searched = std::size_t{1} << 30;

/// Normalises a text for comparing quotes: no escapes, no emphasis, single blanks.
std::string plainly(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '*' || c == '`') continue;
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return std::string(trimmed(result));
}

/// Labels such as "Table 3", "Fig. 4" and "Figure 4" as "table 3" and "figure 4", with the offset of their ends.
struct Label {
  std::string name;
  std::size_t begin = 0, end = 0;
};
std::vector<Label> labels_in(std::string_view text) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && is_alnum(text[i - 1])) continue;
    for (const std::string_view word : {"Table", "Tab.", "Figure", "Fig."}) {
      if (text.size() < i + word.size() || !same_word(text.substr(i, word.size()), word)) continue;
      std::size_t at = i + word.size();
      while (at < text.size() && (text[at] == ' ' || text[at] == '_')) ++at;
      std::size_t end = at;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (end == at || end - at > 4) continue;
      labels.push_back({(word[0] == 'T' ? "table " : "figure ") + std::string(text.substr(at, end - at)), i, end});
    }
  }
  return labels;
}

struct Page {
  const Layer* layer;
  std::string_view text;
  std::vector<NumberInText> numbers;
};

/// Whether two numbers agree at the smaller number of decimals.
bool agrees(const NumberInText& said, double value) {
  return std::abs(said.value - std::abs(value)) <= 0.5000001 * std::pow(10.0, -said.decimals);
}

bool holds(const std::vector<NumberInText>& numbers, const NumberInText& said) {
  return std::ranges::any_of(numbers, [&](const auto& n) { return agrees(said, n.value); });
}

/// The same for many values, sorted.
bool holds_sorted(const std::vector<double>& values, const NumberInText& said) {
  const double slack = 0.5000001 * std::pow(10.0, -said.decimals);
  const auto at = std::ranges::lower_bound(values, said.value - slack);
  return at != values.end() && *at <= said.value + slack;
}

/// Whether it is a difference, a ratio or a relative change of two of them.
bool derives(const std::vector<NumberInText>& numbers, const NumberInText& said) {
  constexpr std::size_t most = 200;  // Beyond this, nearly every number is the difference of two others.
  if (numbers.size() > most) return true;
  for (const NumberInText& a : numbers)
    for (const NumberInText& b : numbers) {
      if (agrees(said, a.value - b.value)) return true;
      if (b.value != 0 && (agrees(said, a.value / b.value) || agrees(said, 100 * (a.value - b.value) / b.value)))
        return true;
    }
  return false;
}

class Sources {
 public:
  Sources(const Artifact& artifact, const SafeRoot& root, Findings& findings)
      : artifact_(artifact), root_(root), findings_(findings) {}

  void judge() {
    for (const Layer& layer : artifact_.evidence) {
      Page& page = pages_.emplace_back(Page{&layer, text_of(layer.file), {}});
      page.numbers = numbers_of(page.text);
      for (const NumberInText& n : page.numbers) known_.push_back(n.value);
      for (const Label& label : labels_in(page.text.substr(0, 600)))
        under_label_[label.name].push_back(pages_.size() - 1);
    }
    for (const char* file : {"logic/problem.md", "logic/experiments.md", "logic/concepts.md", "logic/related_work.md",
                             "logic/solution/constraints.md", "src/environment.md"})
      for (const NumberInText& n : numbers_of(text_of(file))) known_.push_back(n.value);
    std::ranges::sort(known_);
    for (const IndexRow& row : artifact_.evidence_index)
      if (const auto path = joined("evidence", row.target)) indexed_.emplace(*path, row.rest);
    for (const Block& claim : artifact_.claims.blocks)
      if (is_id(claim.id, "C")) judge_claim(claim);
    for (const Page& page : pages_) judge_labels(page);
  }

 private:
  const std::string& text_of(const std::string& file) {
    const auto [at, fresh] = texts_.try_emplace(file);
    if (fresh) {
      const FileBytes read = root_.read(file, largest_quoted);
      if (read.whole()) at->second = clean(read.bytes).text;
    }
    return at->second;
  }

  bool follows(const std::vector<NumberInText>& numbers, const NumberInText& said) {
    return ++derived_ > most_derived || derives(numbers, said);
  }

  bool says(const std::string& file, const std::string& quoted) {
    const auto [at, fresh] = plain_.try_emplace(file);
    if (fresh) at->second = plainly(text_of(file));
    searched_ += at->second.size();
    return searched_ > most_searched || at->second.find(quoted) != std::string::npos;
  }

  void judge_claim(const Block& claim) {
    if (const Field* sources = claim.field("Sources")) {
      int line = sources->text_line;
      for (const std::string_view entry : lines_of(sources->text)) source(claim, entry, line++);
    }
    if (const Field* basis = claim.field("Evidence basis")) tables(claim, *basis);
    if (is_supported(claim)) statement(claim);
  }

  void wrong(const Block& claim, int line, std::string_view what) {
    findings_.add(RuleId::source_mismatch, artifact_.claims.file, line, fmt::format("{}: {}", claim.id, what));
  }

  /// `value ← reference «verbatim quote» [input|result]`
  void source(const Block& claim, std::string_view entry, int line) {
    static constexpr std::string_view arrow = "←", open = "«", close = "»";
    const auto at = entry.find(arrow);
    if (at == std::string_view::npos) return;
    const std::string_view rest = entry.substr(at + arrow.size());
    const auto from = rest.find(open), to = rest.rfind(close);
    if (from == std::string_view::npos || to == std::string_view::npos || to < from) return;
    const std::string quoted = plainly(rest.substr(from + open.size(), to - from - open.size()));
    const std::vector<NumberInText> in_quote = numbers_of(quoted);
    // A name before the value ("interval at 95 %: 3.1") is not part of the quote.
    std::string_view value = entry.substr(0, at);
    if (const auto colon = value.rfind(": "); colon != std::string_view::npos) value = value.substr(colon + 2);
    for (const NumberInText& n : numbers_of(value))
      if (!holds(in_quote, n))
        wrong(claim, line, fmt::format("the source of {} does not hold it: {}", n.text, quote(quoted)));
    const std::vector<Reference> named = references_in(rest.substr(0, from), line);
    const auto file = std::ranges::find_if(named, [](const auto& r) { return r.kind == Reference::Kind::path; });
    if (file == named.end()) return;
    const FoundPath found =
        find_path(root_, {{"", file->text}, {"evidence", file->text}, {"logic", file->text}, {"logic", file->target}});
    if (!require_path(found, file->text, artifact_.claims.file, line, fmt::format("Sources of {}", claim.id),
                      Severity::error, findings_))
      return;
    if (!quoted.empty() && !found.directory && !says(found.path, quoted))
      wrong(claim, line, fmt::format("{} does not say {}", quote(found.path), quote(quoted)));
  }

  /// The numbers on the pages with this label.
  std::vector<NumberInText> numbers_under(const std::string& label) const {
    std::vector<NumberInText> numbers;
    const auto found = under_label_.find(label);
    if (found == under_label_.end()) return numbers;
    for (const std::size_t page : found->second)
      if (numbers.size() < 10 * most_numbers)
        numbers.insert(numbers.end(), pages_[page].numbers.begin(), pages_[page].numbers.end());
    return numbers;
  }

  /// "Table 2 (plain-18 = 27.94%, …)": numbers in the brackets must be in the table, or follow from it.
  void tables(const Block& claim, const Field& basis) {
    const std::string& text = basis.text;
    std::vector<Label> labels = labels_in(text);
    if (labels.size() > most_labels) labels.resize(most_labels);
    for (const Label& label : labels) {
      std::size_t at = label.end;
      while (at < text.size() && (text[at] == ' ' || text[at] == ',')) ++at;
      if (at == text.size() || text[at] != '(') continue;
      std::size_t end = at + 1;
      for (int depth = 1; end < std::min(text.size(), at + longest_bracket) && depth > 0; ++end)
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      const std::string_view said = std::string_view(text).substr(at, end - at);
      const std::vector<NumberInText> there = numbers_under(label.name);
      if (there.empty()) continue;
      // Numbers in brackets with another label belong to that label.
      if (!labels_in(said).empty()) continue;
      std::vector<NumberInText> numbers = numbers_of(said);
      if (numbers.size() > most_numbers) numbers.resize(most_numbers);
      for (const NumberInText& n : numbers)
        if (n.decimals > 0 && !holds(there, n) && !follows(there, n))
          wrong(claim, basis.text_line, fmt::format("{} does not hold {}", label.name, n.text));
    }
  }

  /// Numbers of the statement must be in the evidence, or follow from what the claim quotes.
  void statement(const Block& claim) {
    const Field* statement = claim.field("Statement");
    if (!statement || known_pages_without_numbers()) return;
    std::vector<NumberInText> own;
    for (const std::string_view name : {"Sources", "Evidence basis", "Conditions"})
      if (const Field* field = claim.field(name))
        for (NumberInText& n : numbers_of(field->text)) own.push_back(std::move(n));
    std::vector<NumberInText> said = numbers_of(statement->text);
    if (said.size() > most_numbers) said.resize(most_numbers);
    std::vector<NumberInText> around = own;
    around.insert(around.end(), said.begin(), said.end());
    for (const NumberInText& n : said) {
      if ((n.decimals == 0 && !n.percent) || holds(own, n) || holds_sorted(known_, n)) continue;
      std::vector<NumberInText> others;
      for (const NumberInText& o : around)
        if (o.text != n.text) others.push_back(o);
      if (follows(others, n)) continue;
      findings_.add(
          RuleId::unsourced_number, artifact_.claims.file, statement->line,
          fmt::format("{} says {}, which no page of evidence holds and nothing quoted gives", claim.id, n.text));
    }
  }

  bool known_pages_without_numbers() const {
    return std::ranges::all_of(pages_, [](const Page& page) { return page.numbers.empty(); });
  }

  /// Checks the label in the heading, in **Source**, in the file's name and in the index.
  void judge_labels(const Page& page) {
    const std::string& file = page.layer->file;
    const bool table = file.starts_with("evidence/tables/"), figure = file.starts_with("evidence/figures/");
    if (!table && !figure) return judge_results(page);
    std::string name = file.substr(file.rfind('/') + 1);
    // A page derived from another one has that page's label in its name and source.
    const bool derived = name.find("derived") != std::string::npos || name.find("subset") != std::string::npos;
    std::map<std::string, std::string> said;
    const auto take = [&](std::string_view where, std::string_view text) {
      for (const Label& label : labels_in(text)) {
        said.emplace(label.name, where);
        break;
      }
    };
    take("its name", name);
    bool has_table = false;
    for (const Block& block : page.layer->blocks) {
      if (block.level == 1) take("its heading", block.heading);
      if (const Field* source = block.field("Source")) take("its Source", source->text);
      has_table = has_table || !block.tables.empty();
    }
    if (const auto row = indexed_.find(file); row != indexed_.end()) take("the index", row->second);
    if (said.size() > 1 && !derived)
      findings_.add(RuleId::label_mismatch, file, 1,
                    fmt::format("{} says {}, {} says {}", said.begin()->second, said.begin()->first,
                                said.rbegin()->second, said.rbegin()->first));
    if (table && !has_table && page.text.find('|') == std::string::npos)
      findings_.add(RuleId::label_mismatch, file, 1, "the page is filed as a table and holds none");
  }

  /// evidence/results/E02.md must be about E02.
  void judge_results(const Page& page) {
    const std::string& file = page.layer->file;
    if (!file.starts_with("evidence/results/")) return;
    const std::string stem = file.substr(file.rfind('/') + 1, file.size() - file.rfind('/') - 4);
    if (!is_id(stem, "E")) return;
    for (const Block& block : page.layer->blocks) {
      if (block.level != 1) continue;
      const std::vector<Reference> ids = ids_in(block.heading, "E", block.line);
      if (!ids.empty() && std::ranges::none_of(ids, [&](const auto& r) { return r.text == stem; }))
        findings_.add(RuleId::label_mismatch, file, block.line,
                      fmt::format("its name says {}, its heading {}", stem, ids.front().text));
    }
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  Findings& findings_;
  std::map<std::string, std::string> texts_;
  std::vector<Page> pages_;
  std::vector<double> known_;                                    ///< Sorted.
  std::map<std::string, std::vector<std::size_t>> under_label_;  ///< "table 3" → pages with that label.
  std::map<std::string, std::string> indexed_;                   ///< Page → its row in the evidence index.
  std::map<std::string, std::string> plain_;
  std::size_t searched_ = 0, derived_ = 0;
};

}  // namespace

void audit_sources(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  Sources(artifact, root, findings).judge();
}

}  // namespace artifacts
