#include "prose/contradictions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prose/characters.h"
#include "prose/directions.h"

namespace prose {

namespace {

using Direction = TestFacts::Direction;
using Scale = TestFacts::Scale;

/// What a statement says of treatment against control, or of a slope against its value.
enum class Said { less, greater, not_less, not_greater, equal, different };

struct Meaning {
  Said said = Said::different;
  std::size_t offset = 0, length = 0;
};

bool one_of(const Token& t, const Words& words) {
  return t.kind == Token::Kind::word &&
         (words.contains(t.folded) ||
          std::ranges::any_of(t.parts, [&](const auto& part) { return words.contains(part); }));
}

/// A comparative right before a factor or a level is about the setting: "a larger batch", "fewer workers".
bool describes_setting(const std::vector<Token>& list, const DirectionWord& word, const TestFacts& test) {
  const std::size_t next = word.at + word.words;
  const bool comparative = word.sense == Sense::less || word.sense == Sense::greater;
  if (!comparative || word.transitive || list[word.at].is("less") || next >= list.size()) return false;
  return speaks_of(list[next], test.factors) || speaks_of(list[next], test.arms.treatment) ||
         speaks_of(list[next], test.arms.control);
}

/// "twice as fast as", "half as long as": not the same.
bool is_multiple(const std::vector<Token>& list, const DirectionWord& word) {
  static const Words multiples = {"half",  "twice", "thrice", "times", "third",  "quarter", "fifth", "tenth",
                                  "least", "most",  "more",   "less",  "nearly", "almost",  "not"};
  for (std::size_t back = 1; back <= 3 && back <= word.at; ++back)
    if (one_of(list[word.at - back], multiples) || list[word.at - back].kind == Token::Kind::numeral) return true;
  return false;
}

Said said_by(Sense sense, int side, bool negation, const TestFacts& test) {
  if (sense == Sense::equal) return negation ? Said::different : Said::equal;
  if (sense == Sense::different) return negation ? Said::equal : Said::different;
  int sign = sense == Sense::less                                    ? -1
             : sense == Sense::greater                               ? 1
             : (sense == Sense::better) == test.arms.lower_is_better ? -1
                                                                     : 1;
  sign *= side;
  if (negation) return sign < 0 ? Said::not_less : Said::not_greater;
  return sign < 0 ? Said::less : Said::greater;
}

bool agree(Said said, const TestFacts& test) {
  const bool good_is_less = test.arms.lower_is_better;
  switch (test.direction) {
    case Direction::less:
      return said != Said::greater && said != Said::not_less && said != Said::equal;
    case Direction::greater:
      return said != Said::less && said != Said::not_greater && said != Said::equal;
    case Direction::equal:
      return said == Said::equal || said == Said::not_less || said == Said::not_greater;
    case Direction::different:
      return said == Said::different;
    case Direction::not_worse:
      return said != (good_is_less ? Said::greater : Said::less) && said != Said::different;
  }
  return true;
}

const char* verb_of(Said said) {
  switch (said) {
    case Said::less:
      return "is lower";
    case Said::greater:
      return "is higher";
    case Said::not_less:
      return "is not lower";
    case Said::not_greater:
      return "is not higher";
    case Said::equal:
      return "is the same";
    case Said::different:
      return "differs";
  }
  return "";
}

const char* verb_of(Direction direction) {
  constexpr const char* verbs[] = {"is lower", "is higher", "is the same", "differs", "is not worse"};
  return verbs[static_cast<std::size_t>(direction)];
}

/// Whether it says which side is better; "equal" and "different" do not.
bool is_sided(Said said) {
  return said != Said::equal && said != Said::different;
}

class Statement {
 public:
  Statement(std::string_view text, const Facts& facts, const TestFacts& test)
      : facts_(facts), test_(test), list_(tokens(text, Markup::plain, facts)) {}

  std::optional<Contradiction> read() {
    if (auto found = of_metric()) return found;
    if (test_.scale != Scale::none)
      if (auto found = of_scale()) return found;
    return test_.compares ? of_direction() : std::nullopt;
  }

 private:
  /// Words of a metric's name: "val_loss" is "val" and "loss".
  static std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts(1);
    for (const char c : lowered(name))
      if (letter(static_cast<unsigned char>(c)))
        parts.back() += c;
      else if (!parts.back().empty())
        parts.emplace_back();
    std::erase_if(parts, [](const std::string& part) { return part.size() < 3; });
    return parts;
  }

  bool names_own_metric() const {
    std::set<std::string> names{test_.arms.metric};
    for (std::string& part : parts_of(test_.arms.metric)) names.insert(std::move(part));
    return std::ranges::any_of(list_, [&](const Token& t) { return speaks_of(t, names); });
  }

  /// Another metric's whole name beside a word of direction, and the test's metric nowhere.
  std::optional<Contradiction> of_metric() {
    if (names_own_metric()) return std::nullopt;
    constexpr std::size_t reach = 4;
    for (const Sentence& s : sentences(list_)) {
      for (const DirectionWord& word : direction_words(list_, s, facts_)) {
        if (word.strong) continue;
        const std::size_t from = word.at - std::min(word.at - s.begin, reach);
        const std::size_t to = std::min(s.end, word.at + word.words + reach);
        for (std::size_t i = from; i < to; ++i) {
          const Token& t = list_[i];
          if (t.is(",")) {
            if (i > word.at) break;
            continue;
          }
          if (i < word.at && std::any_of(list_.begin() + static_cast<std::ptrdiff_t>(i),
                                         list_.begin() + static_cast<std::ptrdiff_t>(word.at),
                                         [](const Token& one) { return one.is(","); }))
            continue;
          if (i > 0 && (list_[i - 1].is("with") || list_[i - 1].is("of") || list_[i - 1].is("per"))) continue;
          for (const std::string& name : test_.metrics)
            if (lowered(name) == lowered(t.text) || (t.kind == Token::Kind::word && t.folded == lowered(name)))
              return Contradiction{t.offset, t.length, fmt::format("something of `{}`", name),
                                   fmt::format("about `{}`", test_.arms.metric)};
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Contradiction> of_scale() {
    static const Words logarithms = {"log", "logs", "logarithm", "logarithms", "logarithmic", "logarithmically"};
    static const Words exponential = {"exponential", "exponentially"};
    static const Words squares = {"square", "quadratic", "quadratically"}, cubes = {"cube", "cubic", "cubically"};
    static const Words lines = {"linear", "linearly", "proportion", "proportional", "proportionally"};
    static const char* const names[] = {"", "about a linear slope", "about a log-log slope", "about a semi-log slope",
                                        "about a lin-log slope"};
    const std::string tests = names[static_cast<std::size_t>(test_.scale)];
    const bool any_log = std::ranges::any_of(list_, [&](const Token& t) { return one_of(t, logarithms); });
    const bool than = std::ranges::any_of(list_, [](const Token& t) { return t.is("than"); });
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const Token& t = list_[i];
      if (t.kind != Token::Kind::word || speaks_of(t, facts_.subjects) || is_denied(i)) continue;
      const auto found = [&](std::string says, std::string what) {
        return Contradiction{t.offset, t.length, std::move(says), std::move(what)};
      };
      if (one_of(t, logarithms) && test_.scale == Scale::linear) return found("a logarithm", tests);
      if (one_of(t, exponential) && test_.scale != Scale::semilog) return found("an exponential", tests);
      const double power = one_of(t, squares) ? 2 : one_of(t, cubes) ? 3 : one_of(t, lines) ? 1 : 0;
      if (power == 0 || any_log || than) continue;
      if (power > 1 && test_.scale != Scale::loglog) return found("a power", tests);
      if (power == 1 && (test_.scale == Scale::semilog || test_.scale == Scale::linlog)) return found("a line", tests);
      constexpr double close = 0.5;
      const bool equal = test_.scale == Scale::loglog && test_.direction == Direction::equal;
      if (equal && std::abs(test_.slope - power) >= close)
        return found(fmt::format("the power {}", power), fmt::format("about a log-log slope of {}", test_.slope));
    }
    return std::nullopt;
  }

  bool is_denied(std::size_t at) const {
    for (const Sentence& s : sentences(list_))
      if (at >= s.begin && at < s.end)
        for (std::size_t i = s.begin; i < at; ++i)
          if (negates(list_, i)) return true;
    return false;
  }

  /// What the statement's words of direction mean; none if they say several things or cannot be read.
  std::optional<Meaning> meaning() const {
    std::optional<Meaning> one, weak;
    for (const Sentence& s : sentences(list_)) {
      std::vector<DirectionWord> words = direction_words(list_, s, facts_);
      add_last_word(s, words);
      for (const DirectionWord& word : words) {
        if (describes_setting(list_, word, test_)) continue;
        if (!test_.goal_known && (word.sense == Sense::better || word.sense == Sense::worse)) return std::nullopt;
        const int negation = negated(list_, s, word.at);
        const bool sided = word.sense != Sense::equal && word.sense != Sense::different;
        if (word.sense == Sense::equal && is_multiple(list_, word)) return std::nullopt;
        const int side = sided ? side_in(s, word) : 1;
        if (negation < 0 || side == 0) return std::nullopt;
        const Token& first = list_[word.at];
        const Token& last = list_[word.at + word.words - 1];
        const Meaning now{said_by(word.sense, side, negation > 0, test_), first.offset,
                          last.offset + last.length - first.offset};
        std::optional<Meaning>& of = now.said == Said::different ? weak : one;
        if (of && of->said != now.said) return std::nullopt;
        if (!of) of = now;
      }
    }
    return one ? one : weak;
  }

  /// "Fast costs more.": without `than`, the last word of a sentence.
  void add_last_word(const Sentence& s, std::vector<DirectionWord>& words) const {
    if (!words.empty() || test_.scale != Scale::none || s.end - s.begin < 3) return;
    std::size_t at = s.end - 1;
    while (at > s.begin && list_[at].kind == Token::Kind::sign) --at;
    if (list_[at].is("more") || list_[at].is("less"))
      words.push_back({at, 1, list_[at].is("more") ? Sense::greater : Sense::less, false, false});
  }

  /// A slope has no arms; its words are those of growth and decline.
  int side_in(const Sentence& s, const DirectionWord& word) const {
    if (test_.scale == Scale::none) return orientation(list_, s, word, test_.arms);
    static const Words growth = {"grows",     "grow",      "grew",     "growth",   "rises",  "rise",
                                 "increases", "increase",  "falls",    "fall",     "drops",  "drop",
                                 "shrinks",   "decreases", "decrease", "declines", "decline"};
    return one_of(list_[word.at], growth) ? 1 : 0;
  }

  std::optional<Contradiction> of_direction() {
    std::optional<Meaning> found = meaning();
    if (!found) return std::nullopt;
    if (test_.scale != Scale::none) return of_slope(*found);
    // A word of a difference with its direction is more than a two-sided test shows, if it is sure to be about the
    // arms.
    const bool unsure = test_.direction == Direction::different || test_.direction == Direction::equal;
    if (agree(found->said, test_) || (unsure && is_sided(found->said) && !compares_arms())) return std::nullopt;
    const std::string& metric = test_.arms.metric;
    return Contradiction{found->offset, found->length,
                         fmt::format("that `{}` {} under {}", metric, verb_of(found->said), arms(found->said)),
                         fmt::format("whether it {} there", verb_of(test_.direction))};
  }

  std::optional<Contradiction> of_slope(const Meaning& found) const {
    const bool growth = found.said == Said::greater, decline = found.said == Said::less;
    const bool than = std::ranges::any_of(list_, [](const Token& t) { return t.is("than") || t.is("faster"); });
    if ((!growth && !decline) || than) return std::nullopt;
    const double sign = growth ? 1 : -1;
    const bool against = test_.direction == Direction::equal ? test_.slope * sign <= 0
                         : test_.slope != 0                  ? false
                                                             : (test_.direction == Direction::less && growth) ||
                                                  (test_.direction == Direction::greater && decline);
    if (!against) return std::nullopt;
    return Contradiction{found.offset, found.length, growth ? "that it grows" : "that it falls",
                         fmt::format("whether the slope {} {}",
                                     test_.direction == Direction::less      ? "is below"
                                     : test_.direction == Direction::greater ? "is above"
                                                                             : "equals",
                                     test_.slope)};
  }

  /// Whether both arms are named around a comparison.
  bool compares_arms() const {
    const auto named = [&](const std::set<std::string>& levels) {
      return std::ranges::any_of(list_, [&](const Token& t) { return speaks_of(t, levels); });
    };
    return named(test_.arms.treatment) && named(test_.arms.control) &&
           std::ranges::any_of(list_, [](const Token& t) { return t.is("than"); });
  }

  std::string arms(Said said) const {
    const char* joint = said == Said::equal       ? "as under"
                        : said == Said::different ? "from what it is under"
                                                  : "than under";
    if (test_.arms.treatment.empty() || test_.arms.control.empty())
      return fmt::format("the treatment {} the control", joint);
    return fmt::format("{} (treatment) {} {} (control)", fmt::join(test_.arms.treatment, ", "), joint,
                       fmt::join(test_.arms.control, ", "));
  }

  const Facts& facts_;
  const TestFacts& test_;
  const std::vector<Token> list_;
};

}  // namespace

std::optional<Contradiction> contradiction(std::string_view statement, const Facts& facts, const TestFacts& test) {
  return Statement(statement, facts, test).read();
}

}  // namespace prose
