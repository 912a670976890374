#include <algorithm>

#include "prose/numerals.h"

namespace prose {

namespace {

const Words cardinals = {"two",      "three",     "four",      "five",     "six",      "seven",    "eight",
                         "nine",     "ten",       "eleven",    "twelve",   "thirteen", "fourteen", "fifteen",
                         "sixteen",  "seventeen", "eighteen",  "nineteen", "twenty",   "thirty",   "forty",
                         "fourty",   "fifty",     "sixty",     "seventy",  "eighty",   "ninety",   "hundred",
                         "hundreds", "thousand",  "thousands", "million",  "millions", "billion",  "billions",
                         "trillion", "trillions", "dozen",     "dozens",   "couple",   "zero",     "nought",
                         "umpteen",  "myriad",    "myriads",   "googol"};

/// Multiples, whatever the words around them.
const Words multiples = {
    "half",     "halfway",   "halves",     "halve",      "halved",      "halving",     "quarter",
    "quarters", "quartered", "twice",      "thrice",     "doubles",     "doubled",     "doubling",
    "doubly",   "triple",    "triples",    "tripled",    "tripling",    "treble",      "trebles",
    "trebled",  "quadruple", "quadruples", "quadrupled", "quadrupling", "quintuple",   "quintupled",
    "sextuple", "sextupled", "septuple",   "octuple",    "decuple",     "centuple",    "decimated",
    "bisected", "thirds",    "fourths",    "fifths",     "sixths",      "sevenths",    "eighths",
    "ninths",   "tenths",    "twelfths",   "twentieths", "hundredths",  "thousandths", "millionths"};

/// Ordinals that are fractions after an article or before "of".
const Words ordinals = {"third",   "fourth",    "fifth",     "sixth",    "seventh",   "eighth",     "ninth",    "tenth",
                        "twelfth", "fifteenth", "twentieth", "fiftieth", "hundredth", "thousandth", "millionth"};

/// Technical terms, whose numbers count nothing in a study.
const Words terms = {"sided", "tailed", "stage", "way", "sample", "step", "phase", "dimensional", "shot"};
const Words double_terms = {"precision", "blind",  "check",  "checked",   "checks", "free",
                            "quote",     "quotes", "buffer", "buffering", "descent"};

const Words units = {"nanosecond", "microsecond", "millisecond", "minute",   "hour",     "day",   "week", "percent",
                     "percentage", "byte",        "kilobyte",    "megabyte", "gigabyte", "joule", "watt", "per"};
const Words comparatives = {"faster", "slower",  "quicker", "longer", "shorter", "less",   "more",
                            "fewer",  "greater", "smaller", "larger", "bigger",  "higher", "lower",
                            "better", "worse",   "cheaper", "off",    "earlier", "later",  "as"};
const Words articles = {"a", "an", "one", "by", "per", "each", "every"};

struct At {
  const std::vector<Token>& list;
  std::size_t i;

  const Token* token(int by) const {
    const auto at = static_cast<std::ptrdiff_t>(i) + by;
    return at >= 0 && at < static_cast<std::ptrdiff_t>(list.size()) ? &list[static_cast<std::size_t>(at)] : nullptr;
  }
  bool is(int by, const Words& words) const {
    const Token* t = token(by);
    return t && t->kind != Token::Kind::hidden && words.contains(t->folded);
  }
  bool is(int by, std::string_view word) const { return token(by) && token(by)->is(word); }
  bool number(int by) const {
    const Token* t = token(by);
    return t && (t->kind == Token::Kind::numeral || t->kind == Token::Kind::reference || cardinals.contains(t->folded));
  }
};

bool multiplied_by_fold(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (part.size() <= 4 || !part.ends_with("fold")) continue;
    const std::string head = part.substr(0, part.size() - 4);
    static const Words heads = {"one", "multi", "many", "several", "hundred", "thousand", "x"};
    if (cardinals.contains(head) || heads.contains(head)) return true;
  }
  // "k-fold" is how often one cross-validates.
  return parts.size() > 1 && (parts.back() == "fold" || parts.back() == "folds") && parts.front() != "k";
}

/// Why the word is a number; empty if it is none.
std::string number_in(const At& at) {
  const Token& t = at.list[at.i];
  std::string joined;
  for (const std::string& part : t.parts) joined += part;
  const auto any = [&](const Words& words) {
    return words.contains(joined) ||
           std::ranges::any_of(t.parts, [&](const std::string& part) { return words.contains(part); });
  };
  const bool term = t.parts.size() > 1 && terms.contains(t.parts.back());
  if (!term && any(cardinals)) return "is a number word that nothing supports";
  if (any(multiples) || multiplied_by_fold(t.parts)) return "is a number word that nothing supports";
  if ((t.is("double") || t.parts.front() == "double") && !at.is(1, double_terms) &&
      !(t.parts.size() > 1 && double_terms.contains(t.parts.back())))
    return "is a number word that nothing supports";
  if (t.parts.size() > 1 && ordinals.contains(t.parts.back())) return "is a fraction that nothing supports";
  if (ordinals.contains(t.folded) && (at.is(-1, articles) || at.is(1, "of") || at.is(1, comparatives) || at.number(-1)))
    return "is a fraction that nothing supports";
  // An order of magnitude, also in short forms.
  if (any({"magnitudes"})) return "is a number word that nothing supports";
  if (std::ranges::find(t.parts, "magnitude") != t.parts.end() && t.parts.size() > 1)
    return "is a number word that nothing supports";
  const bool order = t.is("order") || t.is("orders");
  if (order && ((at.is(1, "of") && (at.is(2, "magnitude") || at.is(2, "magnitudes"))) || at.is(1, comparatives)))
    return "is a number word that nothing supports";
  if ((t.is("fold") || t.is("folds")) && (at.number(-1) || at.is(-1, Words{"several", "many", "few"})))
    return "is a number word that nothing supports";
  if ((t.is("a") || t.is("an") || t.is("one")) && at.is(1, units)) return "is an amount that nothing supports";
  if ((t.is("a") || t.is("one")) && at.is(1, "second") && at.is(2, comparatives))
    return "is an amount that nothing supports";
  const bool every = at.is(-1, Words{"every", "each"});
  if (every && (t.is("second") || t.is("other"))) return "is a share that nothing supports";
  if (at.is(-1, "a") && at.is(1, "of") && (t.is("pair") || t.is("score") || t.is("handful")))
    return "is an amount that nothing supports";
  if (t.is("times") && (at.is(1, comparatives) || at.is(1, "over"))) return "multiplies by what nothing supports";
  if (t.is("factor") && at.is(-1, articles) && at.is(-2, "by")) return "multiplies by what nothing supports";
  static const Words after_one = {"order", "time", "times", "point", "points", "cent", "in", "fold", "unit", "units"};
  if (t.is("one") && (at.is(1, after_one) || at.is(1, comparatives) || at.number(1)))
    return "is an amount that nothing supports";
  return "";
}

}  // namespace

bool multiplies(const std::vector<Token>& list, std::size_t i) {
  const At at{list, i};
  static const Words words = {"times",      "time",   "x",     "fold",    "folds",    "percent", "percents",
                              "percentage", "per",    "pct",   "hundred", "thousand", "million", "billion",
                              "dozen",      "orders", "order", "points",  "k"};
  static const Words signs = {"%", "‰", "×", "*", "^", "/", "÷", "·", "√", "+", "±", "∝", "²", "³"};
  const Token* t = at.token(0);
  if (!t) return false;
  if (t->is("as")) return false;
  if (t->kind == Token::Kind::word && (words.contains(t->folded) || comparatives.contains(t->folded) ||
                                       (t->parts.size() > 1 && words.contains(t->parts.front()))))
    return true;
  if (t->kind == Token::Kind::sign && t->is("-") && at.is(1, Words{"fold", "folds", "times", "x"})) return true;
  return t->kind == Token::Kind::sign && signs.contains(t->folded);
}

bool compares_amounts(const std::vector<Token>& list, std::size_t i) {
  return i < list.size() && list[i].kind == Token::Kind::word && comparatives.contains(list[i].folded) &&
         !list[i].is("as");
}

void find_number_words(const std::vector<Token>& list, const Facts& facts, std::vector<Objection>& findings) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Token& t = list[i];
    if (t.kind != Token::Kind::word && t.kind != Token::Kind::identifier) continue;
    std::string why = number_in({list, i});
    if (why.empty() || counts_proposals(list, i, facts)) continue;
    // A level may be called "double", but then the text says so: "dtype = double".
    const bool level = std::ranges::any_of(
        facts.constants, [&](const Constant& c) { return c.spelling == t.text && named_nearby(list, i, c, facts); });
    if (!level)
      findings.push_back({Kind::number, t.offset, t.length, std::move(why),
                          "give the address of the value, such as {{H1.effect_relative}}, or leave it out"});
  }
}

}  // namespace prose
