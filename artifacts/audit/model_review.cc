#include "artifacts/audit/model_review.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using nlohmann::json;

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

}  // namespace

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

}  // namespace artifacts
