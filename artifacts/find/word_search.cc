#include "artifacts/find/word_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "artifacts/find/folded_words.h"
#include "artifacts/text/untrusted_text.h"
#include "base/utf8.h"

namespace artifacts {
namespace {

constexpr double k1 = 1.2, b = 0.75;
constexpr double title_weight = 2;

}  // namespace

std::string excerpt_around(std::string_view text, std::size_t at, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t begin = at > limit / 3 ? at - limit / 3 : 0;
  begin = std::min(begin, text.size() - limit);
  // From a blank to a blank, if there is one near.
  if (begin > 0)
    if (const auto blank = text.find(' ', begin); blank < begin + 24) begin = blank + 1;
  while (begin < text.size() && !kernel::begins_utf8(text[begin])) ++begin;
  std::string_view rest = kernel::utf8_prefix(text.substr(begin), limit);
  const bool cut = begin + rest.size() < text.size();
  if (cut)
    if (const auto blank = rest.rfind(' '); blank != rest.npos && blank + 24 > rest.size())
      rest = rest.substr(0, blank);
  return (begin > 0 ? "…" : "") + std::string(rest) + (cut ? "…" : "");
}

WordSearch::WordSearch(std::span<const ArtifactPassage> passages) : passages_(passages), lengths_(passages.size()) {
  double all = 0;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    std::map<std::string, double> counts;
    const auto take = [&](std::string_view text, double how_much) {
      for (FoldedWord& word : folded_words(text)) {
        counts[std::move(word.text)] += how_much;
        lengths_[i] += how_much;
      }
    };
    take(passages[i].title, title_weight);
    for (const PassageText& one : passages[i].texts) take(one.text, 1);
    for (const auto& [word, count] : counts) postings_[word].push_back({i, count});
    all += lengths_[i];
  }
  if (all > 0) average_length_ = all / static_cast<double>(passages.size());
}

double WordSearch::weight(const std::string& word) const {
  const auto found = postings_.find(word);
  const double with = found == postings_.end() ? 0 : static_cast<double>(found->second.size());
  return std::log(1 + (static_cast<double>(passages_.size()) - with + 0.5) / (with + 0.5));
}

std::vector<WordHit> WordSearch::find(std::string_view query) const {
  const std::vector<std::string> wanted = wanted_words(query);
  std::vector<WordHit> scored(passages_.size());
  double whole = 0;
  for (const std::string& word : wanted) {
    const double much = weight(word);
    whole += much;
    const auto list = postings_.find(word);
    if (list == postings_.end()) continue;
    for (const Posting& one : list->second) {
      const double size = 1 - b + b * lengths_[one.passage] / average_length_;
      scored[one.passage].score += much * one.count * (k1 + 1) / (one.count + k1 * size);
      scored[one.passage].share += much;
    }
  }
  const std::string named = folded(trimmed(query));
  std::vector<WordHit> found;
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    const bool meant = !named.empty() && folded(passages_[i].address) == named;
    if (scored[i].share == 0 && !meant) continue;
    WordHit one = quoted(passages_[i], wanted);
    one.share = whole > 0 ? scored[i].share / whole : 0;
    one.score = scored[i].score + (meant ? 1000 : 0);
    found.push_back(std::move(one));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &WordHit::score);
  return found;
}

WordHit WordSearch::quoted(const ArtifactPassage& passage, const std::vector<std::string>& wanted) const {
  WordHit best{&passage, 0, 0, {}, passage.title, passage.line};
  std::size_t at = 0;
  double most = 0;
  const auto look = [&](const std::string& field, std::string_view text, int line) {
    std::vector<std::string_view> seen;
    double sum = 0;
    std::size_t first = 0;
    const std::vector<FoldedWord> words = folded_words(text);
    for (const FoldedWord& word : words) {
      if (std::ranges::find(wanted, word.text) == wanted.end() || std::ranges::find(seen, word.text) != seen.end())
        continue;
      if (seen.empty()) first = word.begin;
      seen.push_back(word.text);
      sum += weight(word.text);
    }
    if (sum <= most) return;
    most = sum;
    at = first;
    best.field = field;
    best.quote = text;
    best.line = line;
  };
  for (const PassageText& one : passage.texts) look(one.field, one.text, one.line);
  if (most == 0 && !passage.texts.empty()) {
    const PassageText& first = passage.texts.front();
    best.field = first.field;
    best.quote = first.text;
    best.line = first.line;
  }
  best.quote = excerpt_around(best.quote, at, longest_quote);
  return best;
}

}  // namespace artifacts
