#include "prose/numerals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "prose/characters.h"

namespace prose {

namespace {

/// Words that may be between a name and its constants: "n was set to 500, 1000 or 2000".
const Words connectives = {"of", "at",    "is",     "are",   "was",    "were",   "from", "to",    "between", "and",
                           "or", "value", "values", "level", "levels", "equals", "set",  "fixed", "only",    "instead",
                           "=",  ":",     "(",      ",",     "[",      "“",      "\"",   "`",     "-"};
const Words structures = {"section",  "sections", "sec",  "table",     "figure",  "fig",      "equation", "eq",
                          "appendix", "chapter",  "step", "phase",     "part",    "item",     "line",     "page",
                          "p",        "pp",       "ch",   "algorithm", "listing", "footnote", "§"};
const Words technical = {"sha1",    "sha256",  "sha512", "md5",   "utf8",  "utf16", "x86",      "x86_64",
                         "x64",     "arm64",   "fp16",   "fp32",  "fp64",  "bf16",  "bfloat16", "float16",
                         "float32", "float64", "int8",   "int16", "int32", "int64", "uint8",    "l1",
                         "l2",      "f1",      "r2",     "log2",  "log10", "log1p", "python3",  "base64",
                         "h0",      "mp3",     "mp4",    "ipv4",  "ipv6"};

/// Accepts thousands grouped by commas; none if a reader could read the number in another way.
std::optional<double> value_of(std::string number) {
  for (std::size_t minus; (minus = number.find("−")) != std::string::npos;) number.replace(minus, 3, "-");
  if (number.starts_with('+')) number.erase(0, 1);
  const std::size_t point = std::min(number.find_first_of(".eE"), number.size());
  std::string whole = number.substr(0, point);
  if (const std::size_t comma = whole.find(','); comma != std::string::npos) {
    const std::size_t lead = whole.starts_with('-') ? comma - 1 : comma;
    if (lead == 0 || lead > 3 || (whole.size() - comma) % 4 != 0) return std::nullopt;
    for (std::size_t i = comma; i < whole.size(); i += 4)
      if (whole[i] != ',') return std::nullopt;
    std::erase(whole, ',');
    number = whole + number.substr(point);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return value;
}

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

struct Numeral {
  const std::vector<Token>& list;
  std::size_t i;
  const Facts& facts;

  const Token& token() const { return list[i]; }
  bool is(std::ptrdiff_t by, std::string_view word) const {
    const auto at = static_cast<std::ptrdiff_t>(i) + by;
    return at >= 0 && at < static_cast<std::ptrdiff_t>(list.size()) && list[static_cast<std::size_t>(at)].is(word);
  }
  bool percent() const { return token().suffix == "%" || is(1, "%") || is(1, "percent"); }

  bool is_value(const Constant& c) const {
    if (token().suffix.empty() && !percent() && token().number == c.spelling) return true;
    const std::optional<double> value = value_of(token().number);
    if (!value || !c.value) return token().text == c.spelling;
    if (percent()) return c.share && same(*value / 100, *c.value);
    return same(*value, *c.value) &&
           (token().suffix.empty() || lowered(c.unit) == token().suffix || token().text == c.spelling);
  }

  /// Whether the words of the name end right before `end`, or begin at `begin`.
  bool name_ends(const std::string& name, std::size_t end) const {
    std::size_t from = name.size();
    for (std::size_t at = end; at-- > 0;) {
      const std::string& word = list[at].folded;
      if (word.empty() || word.size() > from) return false;
      if (name.compare(from - word.size(), word.size(), word) != 0) return false;
      from -= word.size();
      if (from == 0) return true;
      if (name[from - 1] == ' ') --from;
    }
    return false;
  }
  bool name_begins(const std::string& name, std::size_t begin) const {
    std::size_t done = 0;
    for (std::size_t at = begin; at < list.size(); ++at) {
      const std::string& word = list[at].folded;
      if (word.empty()) return false;
      if (name.compare(done, word.size(), word) == 0 && done + word.size() <= name.size())
        done += word.size();
      else
        return done + word.size() == name.size() + 1 && word == name.substr(done) + "s";
      if (done == name.size()) return true;
      if (name[done] == ' ') ++done;
    }
    return false;
  }

  bool named(const Constant& c) const {
    constexpr std::size_t farthest = 60;
    std::size_t after = i + 1;
    if (percent() && token().suffix != "%") ++after;
    if (after < list.size() && list[after].is(c.unit)) ++after;
    for (const std::string& name : c.names)
      if (name_begins(lowered(name), after)) return true;
    for (std::size_t at = i; at > 0 && i - at < farthest; --at) {
      for (const std::string& name : c.names)
        if (name_ends(lowered(name), at)) return true;
      const Token& before = list[at - 1];
      const bool level = before.kind == Token::Kind::numeral || before.kind == Token::Kind::name ||
                         std::ranges::any_of(facts.constants, [&](const Constant& other) {
                           return other.names == c.names && other.spelling == before.text;
                         });
      if (!level && !connectives.contains(before.folded) && !before.is("%")) return false;
    }
    return false;
  }

  /// Whether the words around it make it an amount.
  bool measures(const Constant& c) const {
    if (i > 0) {
      static const Words signs = {"×", "*", "/", "^", "÷", "·",     "√",        "+",  "±", "~",
                                  "≈", "<", ">", "≤", "≥", "minus", "negative", "by", "x"};
      if (signs.contains(list[i - 1].folded)) return true;
    }
    std::size_t after = i + 1;
    if (after >= list.size()) return false;
    if (percent() && token().suffix != "%") ++after;
    if (after < list.size() && multiplies(list, after)) return true;
    // "8 repeats less"
    for (const std::string& name : c.names)
      if (name_begins(lowered(name), after) && compares_amounts(list, after + 1)) return true;
    return after < list.size() && facts.units.contains(list[after].folded) && lowered(c.unit) != list[after].folded;
  }

  bool constant(const Constant*& meant) const {
    for (const Constant& c : facts.constants) {
      if (!is_value(c)) continue;
      meant = &c;
      if (named(c) && !measures(c)) return true;
    }
    return false;
  }

  /// "Table 2", "§ 3.1", "2nd"
  bool structural() const {
    const bool whole =
        std::ranges::all_of(token().number, [](char c) { return digit(static_cast<unsigned char>(c)) || c == '.'; });
    if (!whole || token().number.size() > 5) return false;
    static const Words places = {"st", "nd", "rd", "th"};
    if (multiplies(list, i + 1) || (i + 1 < list.size() && facts.units.contains(list[i + 1].folded))) return false;
    if (places.contains(token().suffix))
      return !is(1, "of") && !is(-1, "a") && !is(-1, "an") && !is(-1, "one") && !is(-1, "by");
    if (!token().suffix.empty() || i == 0) return false;
    if (is(1, "of")) return false;
    if (structures.contains(list[i - 1].folded)) return !subject_is_level(i - 1);
    return list[i - 1].is(".") && i > 1 && list[i - 2].kind == Token::Kind::word &&
           structures.contains(list[i - 2].folded) && list[i - 1].glued;
  }
  /// "algorithm 3" is no listing if `algorithm` is a factor.
  bool subject_is_level(std::size_t at) const {
    return std::ranges::any_of(
               facts.constants,
               [&](const Constant& c) { return std::ranges::find(c.names, list[at].folded) != c.names.end(); }) ||
           facts.subjects.contains(list[at].folded);
  }
};

/// "1. " and "2) " in a Markdown list that counts up from 1.
bool list_marker(std::string_view text, const std::vector<Token>& list, std::size_t i, int& expected) {
  const Token& t = list[i];
  const std::size_t line = t.offset == 0 || text.rfind('\n', t.offset - 1) == std::string_view::npos
                               ? 0
                               : text.rfind('\n', t.offset - 1) + 1;
  if (text.substr(line, t.offset - line).find_first_not_of(' ') != std::string_view::npos || !t.suffix.empty())
    return false;
  if (i + 1 >= list.size() || !list[i + 1].glued || !(list[i + 1].is(".") || list[i + 1].is(")"))) return false;
  if (i + 2 < list.size() && (list[i + 2].glued || multiplies(list, i + 2))) return false;
  // After a line of prose the number would continue that line.
  const bool fresh = line == 0 || (line > 1 && text[line - 2] == '\n');
  if (t.number == "1" && fresh) return expected = 2, true;
  return expected > 1 && t.number == std::to_string(expected) && (++expected, true);
}

std::string advice(const Constant* meant) {
  if (meant && !meant->names.empty())
    return fmt::format("where you mean {}, write `{} = {}`; of a result give the address, such as {{{{H1.effect}}}}",
                       meant->what, meant->names.front(), meant->spelling);
  return "give the address of the value, such as {{H1.effect}}, or leave it out";
}

bool known_identifier(const Token& t, const Facts& facts) {
  if (facts.ids.contains(t.text) || facts.names.contains(t.text)) return true;
  for (const std::string& part : t.parts) {
    const bool digits = std::ranges::any_of(part, [](char c) { return digit(static_cast<unsigned char>(c)); });
    if (!digits || technical.contains(part)) continue;
    const auto id = std::ranges::find_if(facts.ids, [&](const std::string& known) { return lowered(known) == part; });
    if (id != facts.ids.end() && t.text.find(*id) != std::string::npos) continue;
    int run = 0;
    const auto [end, error] = std::from_chars(part.data() + 1, part.data() + part.size(), run);
    if (part[0] == 'r' && error == std::errc() && end == part.data() + part.size() && run >= 1 && run <= facts.runs)
      continue;
    return false;
  }
  return true;
}

/// Roman numerals of I, V and X only; those with more letters are mostly abbreviations.
bool roman(const Token& t) {
  if (t.kind != Token::Kind::word || t.text.size() < 2) return false;
  const bool upper = t.text.find_first_not_of("IVX") == std::string::npos;
  return upper || (t.text != "vi" && t.text.find_first_not_of("ivx") == std::string::npos);
}

bool changes_sign(const Token& t) {
  static const Words words = {"-", "+", "±", "minus", "negative", "√", "×", "*", "/", "÷", "·", "^", "~", "≈"};
  return words.contains(t.folded);
}

}  // namespace

bool named_nearby(const std::vector<Token>& list, std::size_t at, const Constant& constant, const Facts& facts) {
  return Numeral{list, at, facts}.named(constant);
}

void find_numerals(std::string_view text, const std::vector<Token>& list, const Facts& facts, Markup markup,
                   std::vector<Objection>& findings) {
  int expected = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Token& t = list[i];
    const auto add = [&](std::string why, std::string todo) {
      findings.push_back({Kind::number, t.offset, t.length, std::move(why), std::move(todo)});
    };
    if (t.kind == Token::Kind::reference) {
      // A sign next to a value changes it; but a mean may be given with its spread.
      const auto spread = [&](std::size_t sign, std::size_t other) {
        return other < list.size() && list[sign].is("±") && list[other].kind == Token::Kind::reference;
      };
      const bool before = i > 0 && !(i > 1 && spread(i - 1, i - 2)) && changes_sign(list[i - 1]) &&
                          (t.glued || list[i - 1].kind == Token::Kind::word);
      const bool letters = i + 1 < list.size() && list[i + 1].glued && list[i + 1].kind != Token::Kind::sign &&
                           list[i + 1].kind != Token::Kind::reference;
      const bool joined = i + 1 < list.size() && list[i + 1].glued && list[i + 1].kind == Token::Kind::reference;
      if (before || letters || joined || (multiplies(list, i + 1) && !spread(i + 1, i + 2)))
        add("is changed by what stands beside it", "let the value stand by itself: unit, sign and percent are its own");
      continue;
    }
    if (t.kind == Token::Kind::identifier) {
      if (!known_identifier(t, facts))
        add("is no identifier of this study",
            "name a hypothesis, an experiment, a level; of a result give the address, such as {{H1.effect}}");
      continue;
    }
    if (roman(t) && !(i > 0 && structures.contains(list[i - 1].folded)) &&
        !(i > 0 && list[i - 1].is("(") && i + 1 < list.size() && list[i + 1].is(")"))) {
      static const Words types = {"type", "class", "grade", "model"};
      if (!(i > 0 && types.contains(list[i - 1].folded)))
        add("is a Roman numeral that nothing supports", "give the address of the value, or leave it out");
      continue;
    }
    if (t.kind != Token::Kind::numeral) continue;
    const Numeral numeral{list, i, facts};
    if (markup == Markup::markdown && list_marker(text, list, i, expected)) continue;
    const Constant* meant = nullptr;
    if (numeral.constant(meant) || numeral.structural() || counts_proposals(list, i, facts)) continue;
    add("is an unsupported number", advice(meant));
  }
}

}  // namespace prose
