#include "artifacts/audit/level2_review.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/read/safe_root.h"
#include "artifacts/read/unpack.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {

using nlohmann::json;

namespace {

constexpr std::size_t largest_reviewed = 4u << 20;

/// The most important first: paths, or folders with all pages below.
constexpr std::string_view order[] = {
    "logic/claims.md",    "logic/experiments.md",  "trace/exploration_tree.yaml",
    "logic/problem.md",   "logic/solution/",       "PAPER.md",
    "evidence/README.md", "evidence/tables/",      "evidence/results/",
    "logic/concepts.md",  "logic/related_work.md", "evidence/",
    "src/environment.md", "src/configs/",          "logic/",
    "data/dataset.md",
};

std::size_t rank(const std::string& path) {
  for (std::size_t i = 0; i < std::size(order); ++i)
    if (order[i].ends_with('/') ? path.starts_with(order[i]) : path == order[i]) return i;
  return std::size(order);
}

bool is_page(const Entry& entry) {
  return entry.kind == FileKind::regular && (entry.path.ends_with(".md") || entry.path.ends_with(".yaml")) &&
         rank(entry.path) < std::size(order);
}

constexpr std::size_t least_quote = 12, most_quote = 600, most_reason = 600, most_spans = 16;

/// The text with runs of white space as one blank each; for every byte, its original line.
struct Squeezed {
  std::string text;
  std::vector<int> line;
};

Squeezed squeezed(std::string_view text) {
  Squeezed out;
  int line = 1;
  bool blank = true;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space || !blank) {
      out.text += space ? ' ' : c;
      out.line.push_back(line);
    }
    blank = space;
    if (c == '\n') ++line;
  }
  if (!out.text.empty() && out.text.back() == ' ') {
    out.text.pop_back();
    out.line.pop_back();
  }
  return out;
}

std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? clean(found->get_ref<const std::string&>()).text : std::string();
}

/// The text between the outermost braces, since models often wrap JSON in words or fences.
json object_in(std::string_view answer) {
  const std::size_t begin = answer.find('{'), end = answer.rfind('}');
  if (begin == answer.npos || end == answer.npos || end < begin) return json();
  json read = json::parse(answer.substr(begin, end - begin + 1), nullptr, false);
  return read.is_object() ? std::move(read) : json();
}

class Reading {
 public:
  explicit Reading(const ReviewPages& pages) : pages_(pages) {}

  Review all(std::string_view answer) {
    const json read = object_in(answer);
    const json none = json::array();
    const json& list =
        read.is_object() && read.contains("dimensions") && read["dimensions"].is_array() ? read["dimensions"] : none;
    if (list.empty()) refuse("the answer is no JSON object with a list `dimensions`");
    for (const std::string_view id : review_dimensions) {
      const auto found =
          std::ranges::find_if(list, [&](const json& d) { return d.is_object() && text_of(d, "id") == id; });
      review_.dimensions.push_back({std::string(id), {}, "", {}});
      if (found != list.end())
        score(*found, review_.dimensions.back());
      else if (!list.empty())
        refuse(fmt::format("{}: not scored", id));
    }
    return std::move(review_);
  }

 private:
  void refuse(std::string why) { review_.refused.push_back(shortened(why, 400)); }

  void score(const json& given, DimensionScore& into) {
    into.reason = shortened(text_of(given, "reason"), most_reason);
    if (const auto spans = given.find("spans"); spans != given.end() && spans->is_array())
      // Each span is searched in a whole page, and an answer may be long.
      for (std::size_t i = 0; i < std::min(spans->size(), most_spans); ++i) take((*spans)[i], into);
    const auto points = given.find("score");
    if (points == given.end() || !points->is_number_integer() || *points < 1 || *points > 5)
      refuse(fmt::format("{}: `score` is no integer from 1 to 5", into.id));
    else if (into.spans.empty())
      refuse(fmt::format("{}: no quotation holds, so the score is not taken", into.id));
    else
      into.score = points->get<int>();
  }

  void take(const json& span, DimensionScore& into) {
    if (!span.is_object()) return refuse(fmt::format("{}: a span is no object with `file` and `quote`", into.id));
    const std::string file = text_of(span, "file"), words = squeezed(text_of(span, "quote")).text;
    const auto page = std::ranges::find_if(pages_.shown, [&](const ReviewPage& p) { return p.path == file; });
    if (page == pages_.shown.end())
      return refuse(fmt::format("{}: no page `{}` was shown", into.id, shortened(file, 80)));
    if (words.size() < least_quote || words.size() > most_quote)
      return refuse(fmt::format("{}: a quotation has {} to {} characters: \"{}\"", into.id, least_quote, most_quote,
                                shortened(words, 80)));
    const Squeezed whole = squeezed(page->text);
    const std::size_t at = whole.text.find(words);
    if (at == whole.text.npos)
      return refuse(fmt::format("{}: {} does not say \"{}\"", into.id, file, shortened(words, 200)));
    into.spans.push_back({file, whole.line[at], words});
  }

  const ReviewPages& pages_;
  Review review_;
};

struct Dimension {
  std::string_view id;
  std::array<std::string_view, 7>
      rules;  ///< The rules that concern this dimension; the others are about form or record.
};
constexpr std::array dimensions{
    Dimension{review_dimensions[0],
              {"no-proof", "unknown-experiment", "one-sided-proof", "source-mismatch", "unsourced-number",
               "broken-link", "bad-source"}},
    Dimension{review_dimensions[1], {"no-falsification", "tautological-falsification"}},
    Dimension{review_dimensions[2], {"unbounded-claim"}},
    Dimension{review_dimensions[3],
              {"fallen-dependency", "unknown-claim", "cycle", "label-mismatch", "count-mismatch"}},
    Dimension{review_dimensions[4],
              {"rejected-branch", "provenance", "support-level", "source-refs", "dead-end-children", "unknown-node"}},
    Dimension{review_dimensions[5],
              {"orphan-experiment", "constant-metric", "copied-result", "no-work", "unused-factor", "missing-code",
               "expected-numbers"}},
};

json of(const std::vector<Finding>& findings, const std::function<bool(const Finding&)>& wanted) {
  json list = json::array();
  for (const Finding& f : findings)
    if (wanted(f)) list.push_back(to_json(f));
  return list;
}

bool bears_on(const Dimension& dimension, const Finding& f) {
  return std::ranges::find(dimension.rules, std::string_view(f.rule)) != dimension.rules.end();
}

}  // namespace

kernel::Result<ReviewPages> review_pages(const std::string& artifact, std::size_t most_bytes) {
  const auto arrived = Arrived::open(artifact);
  if (!arrived) return arrived.problem();
  auto root = SafeRoot::open(arrived->folder());
  if (!root) return root.problem();
  std::vector<std::string> paths;
  for (const Entry& entry : root->list().entries)
    if (is_page(entry)) paths.push_back(entry.path);
  std::ranges::stable_sort(paths, [](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  ReviewPages pages;
  std::size_t room = most_bytes;
  for (const std::string& path : paths) {
    const FileBytes read = root->read(path, largest_reviewed);
    // Less than this of a page says less than the name of a missing page.
    constexpr std::size_t least = 400;
    if (!read.whole() || room < std::min(least, read.bytes.size())) {
      pages.left_out.push_back(printable(path));
      continue;
    }
    ReviewPage page{printable(path), clean(read.bytes).text, 0};
    page.bytes = page.text.size();
    // No page may take the room of all others.
    const std::size_t share = std::max(least, std::min(room, most_bytes * 2 / 5));
    if (page.text.size() > share) page.text = shortened(page.text, share - std::string_view("…").size());
    room -= std::min(room, page.text.size());
    pages.shown.push_back(std::move(page));
  }
  return pages;
}

std::string review_schema() {
  const json text = {{"type", "string"}};
  const json span = {{"type", "object"},
                     {"properties", {{"file", text}, {"quote", text}}},
                     {"required", {"file", "quote"}},
                     {"additionalProperties", false}};
  const json dimension = {{"type", "object"},
                          {"properties",
                           {{"id", {{"type", "string"}, {"enum", review_dimensions}}},
                            {"score", {{"type", "integer"}, {"enum", {1, 2, 3, 4, 5}}}},
                            {"reason", text},
                            {"spans", {{"type", "array"}, {"items", span}}}}},
                          {"required", {"id", "score", "reason", "spans"}},
                          {"additionalProperties", false}};
  return json{{"type", "object"},
              {"properties", {{"dimensions", {{"type", "array"}, {"items", dimension}}}}},
              {"required", {"dimensions"}},
              {"additionalProperties", false}}
      .dump();
}

Review read_review(std::string_view answer, const ReviewPages& pages) {
  return Reading(pages).all(answer);
}

json to_json(const Review& review) {
  json dimensions = json::array();
  for (const DimensionScore& d : review.dimensions) {
    json spans = json::array();
    for (const Quotation& q : d.spans) spans.push_back({{"file", q.file}, {"line", q.line}, {"quote", q.quote}});
    dimensions.push_back({{"id", d.id},
                          {"score", d.score ? json(*d.score) : json()},
                          {"reason", d.reason},
                          {"spans", std::move(spans)}});
  }
  return {{"model", review.model}, {"dimensions", std::move(dimensions)}, {"refused", review.refused}};
}

std::string to_text(const Review& review) {
  std::string text =
      fmt::format("scored by {}, with quotations that were looked up; an opinion, no finding:\n", review.model);
  for (const DimensionScore& d : review.dimensions) {
    std::string name = d.id;
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("  {:<22} {}  {}\n", name, d.score ? fmt::format("{}/5", *d.score) : " - ",
                        d.score ? shortened(squeezed(d.reason).text, 160) : "no score: no quotation holds");
    for (const Quotation& q : d.spans)
      text += fmt::format("  {:<22}      {}:{} \"{}\"\n", "", q.file, q.line, shortened(q.quote, 100));
  }
  return text;
}

json level2_report(const CheckReport& report, const std::string& tool_version, const Review* review) {
  json scored = json::array();
  const json opinion = review ? to_json(*review) : json();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    json entry = review ? opinion["dimensions"][i]
                        : json{{"id", dimensions[i].id}, {"score", nullptr}, {"reason", ""}, {"spans", json::array()}};
    entry["findings"] = of(report.findings, [&](const Finding& f) { return bears_on(dimensions[i], f); });
    scored.push_back(std::move(entry));
  }
  json summary = json::object();
  for (const Severity severity : {Severity::critical, Severity::error, Severity::warning, Severity::info})
    summary[std::string(name_of(severity))] =
        std::ranges::count_if(report.findings, [&](const Finding& f) { return f.severity == severity; });
  return {{"level", 2},
          {"artifact", report.artifact},
          {"tool", "etude " + tool_version},
          {"method", review ? "deterministic and model" : "deterministic"},
          {"model", review ? json(review->model) : json()},
          {"ok", report.ok},
          {"summary", std::move(summary)},
          {"dimensions", std::move(scored)},
          {"other", of(report.findings, [](const Finding& f) {
             return std::ranges::none_of(dimensions, [&](const Dimension& d) { return bears_on(d, f); });
           })}};
}

}  // namespace artifacts
