#include "prose/tokens.h"

#include <algorithm>
#include <map>
#include <utility>

#include "prose/characters.h"

namespace prose {

namespace {

bool is_greek(char32_t code) {
  return code >= 0x391 && code <= 0x3C9;
}

bool ignorable(char32_t code) {
  return code == '*' || code == '~' || code == '\\';
}

bool joins(char32_t code) {
  return code == '-' || code == 0x2010 || code == 0x2011 || code == '\'' || code == 0x2019 || ignorable(code);
}

bool groups(char32_t code) {
  return code == '.' || code == ',' || code == '_' || code == '\'' || code == 0x2019 || code == 0xA0 ||
         code == 0x202F || (code >= 0x2002 && code <= 0x200A) || code == '/' || code == 0x2215 || code == ':' ||
         code == '^' || ignorable(code);
}

class Reader {
 public:
  Reader(std::string_view text, Markup markup, const Facts& facts)
      : text_(text), list_(characters(text)), spans_(opaque_spans(text, markup)), facts_(facts) {
    for (const std::string& name : facts.names)
      if (!name.empty()) names_[name[0]].push_back(name);
    for (auto& [first, names] : names_)
      std::ranges::stable_sort(names, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }

  std::vector<Token> read() {
    auto span = spans_.begin();
    while (at_ < list_.size()) {
      while (span != spans_.end() && span->offset < offset()) ++span;
      limit_ = span == spans_.end() ? text_.size() : span->offset;
      if (span != spans_.end() && span->offset == offset()) {
        opaque(*span);
      } else if (space(code())) {
        blank();
        continue;
      } else if (!name() && !numeral() && !word()) {
        sign();
      }
      gap_ = false;
    }
    return std::move(out_);
  }

 private:
  char32_t code(std::size_t ahead = 0) const {
    return at_ + ahead < list_.size() && list_[at_ + ahead].offset < limit_ ? list_[at_ + ahead].code : 0;
  }
  char32_t before(std::size_t back = 1) const { return at_ >= back ? list_[at_ - back].code : 0; }
  std::size_t offset() const { return at_ < list_.size() ? list_[at_].offset : text_.size(); }

  Token& add(Token::Kind kind, std::size_t from) {
    Token token;
    token.kind = kind;
    token.offset = from;
    token.length = offset() - from;
    token.text = std::string(text_.substr(from, token.length));
    token.glued = !gap_ && !out_.empty() && out_.back().offset + out_.back().length == from;
    out_.push_back(std::move(token));
    return out_.back();
  }

  void blank() {
    // Two line ends close a paragraph.
    int lines = 0;
    const std::size_t from = offset();
    for (; at_ < list_.size() && offset() < limit_ && space(code()); ++at_) lines += code() == '\n' ? 1 : 0;
    if (lines > 1) add(Token::Kind::sign, from).folded = "\n";
    gap_ = true;
  }

  void opaque(const Span& span) {
    while (at_ < list_.size() && offset() < span.end()) ++at_;
    static constexpr Token::Kind kinds[] = {Token::Kind::reference, Token::Kind::url, Token::Kind::code,
                                            Token::Kind::citation};
    Token& token = add(kinds[static_cast<std::size_t>(span.kind)], span.offset);
    if (token.kind == Token::Kind::reference) token.text = std::string(address_of(text_, span));
  }

  bool name() {
    const std::size_t from = offset();
    const auto known = names_.find(text_[from]);
    if (known == names_.end() || letter(before()) || digit(before()) || before() == '_') return false;
    for (const std::string& candidate : known->second) {
      if (text_.substr(from, candidate.size()) != candidate || from + candidate.size() > limit_) continue;
      std::size_t end = at_;
      while (end < list_.size() && list_[end].offset < from + candidate.size()) ++end;
      const char32_t next = end < list_.size() ? list_[end].code : 0;
      if (letter(next) || numeric(next) || next == '_') continue;
      // The name "2" is not part of "2.5".
      if ((next == '.' || next == ',') && end + 1 < list_.size() && numeric(list_[end + 1].code)) continue;
      at_ = end;
      Token& token = add(Token::Kind::name, from);
      token.folded = lowered(token.text);
      token.parts = {token.folded};
      return true;
    }
    return false;
  }

  /// Whether the digits at `ahead` begin a number.
  bool number_starts(std::size_t ahead) const {
    return numeric(code(ahead)) || (code(ahead) == '.' && numeric(code(ahead + 1)));
  }

  bool numeral() {
    // Exponents of brackets are not numbers; those of short words belong to the word.
    const bool raised = superscript(code()) || subscript(code());
    if (raised && (before() == ')' || superscript(before()))) return false;
    const bool plus_or_minus = dash(code()) || code() == '+' || code() == 0xB1;
    const bool free = !letter(before()) && !numeric(before()) && before() != ')' && before() != '}';
    const std::size_t sign = plus_or_minus && free ? 1 : 0;
    if (!number_starts(sign) || (sign == 0 && code() == '.' && numeric(before()))) return false;
    const std::size_t from = offset();
    at_ += sign;
    while (at_ < list_.size() && offset() < limit_) {
      if (numeric(code()) || superscript(code()))
        ++at_;
      else if (groups(code()) && numeric(code(1)))
        at_ += 2;
      else if (groups(code()) && ignorable(code(1)) && numeric(code(2)))
        at_ += 3;
      else if ((code() == 'e' || code() == 'E') &&
               (numeric(code(1)) || ((dash(code(1)) || code(1) == '+') && numeric(code(2)))))
        at_ += numeric(code(1)) ? 2 : 3;
      else
        break;
    }
    const std::size_t end = offset();
    while (letter(code()) || code() == '_' || code() == '%' || code() == 0x2030 || code() == 0xB0 ||
           (digit(code()) && letter(before())))
      ++at_;
    Token& token = add(Token::Kind::numeral, from);
    token.number = std::string(text_.substr(from, end - from));
    token.suffix = lowered(std::string(text_.substr(end, offset() - end)));
    return true;
  }

  bool word() {
    if (!letter(code()) && code() != '_') return false;
    const std::size_t from = offset();
    std::string folded_text, part;
    std::vector<std::string> parts;
    bool latin = false, greek = false, digits = false, capital = false;
    while (at_ < list_.size() && offset() < limit_) {
      const char32_t c = code();
      if (letter(c)) {
        capital = capital || (c == 'I' && at_ > 0 && folded(before()) && before() >= 'a' && before() <= 'z');
        // µ stands before units.
        latin = latin || folded(c);
        greek = greek || (is_greek(c) && c != 0x3BC);
        part += folded(c) ? std::string(1, folded(c)) : std::string(text_.substr(list_[at_].offset, list_[at_].length));
      } else if (digit(c) || c == '_') {
        digits = true;
        part += static_cast<char>(c);
      } else if ((superscript(c) || subscript(c) || c == 0x207B) && part.size() <= 3) {
        // An exponent, as of units.
      } else if (joins(c) && letter(code(1))) {
        if (!ignorable(c) && c != '\'' && c != 0x2019) parts.push_back(std::exchange(part, ""));
        if (c == '\'' || c == 0x2019) part += '\'';
      } else if (ignorable(c) && ignorable(code(1)) && letter(code(2))) {
        ++at_;
      } else {
        break;
      }
      ++at_;
    }
    parts.push_back(part);
    for (const std::string& p : parts) folded_text += (folded_text.empty() ? "" : "-") + p;
    Token& token = add(latin && greek ? Token::Kind::hidden
                       : digits       ? Token::Kind::identifier
                                      : Token::Kind::word,
                       from);
    // Readers take a capital I inside a word for an l.
    if (capital) std::replace(folded_text.begin() + 1, folded_text.end(), 'i', 'l');
    // An id stays an id whatever it spells.
    if (facts_.ids.contains(token.text)) {
      token.kind = Token::Kind::name;
      token.folded = lowered(token.text);
      token.parts = {token.folded};
      return true;
    }
    token.folded = folded_text;
    token.parts = capital ? std::vector<std::string>{folded_text} : parts;
    return true;
  }

  void sign() {
    const std::size_t from = offset();
    const char32_t c = code();
    ++at_;
    Token& token = add(readable(c) ? Token::Kind::sign : Token::Kind::hidden, from);
    token.folded = dash(c) ? "-" : token.text;
  }

  std::string_view text_;
  std::vector<Character> list_;
  std::vector<Span> spans_;
  const Facts& facts_;
  std::map<char, std::vector<std::string>> names_;
  std::vector<Token> out_;
  std::size_t at_ = 0, limit_ = 0;
  bool gap_ = false;
};

bool abbreviation(const Token& token) {
  static const Words known = {"vs", "e",   "g",    "i", "al", "approx", "fig", "eq",
                              "cf", "etc", "resp", "p", "pp", "sec",    "ch",  "no"};
  return token.kind == Token::Kind::word && known.contains(token.folded);
}

}  // namespace

std::vector<Token> tokens(std::string_view text, Markup markup, const Facts& facts) {
  return Reader(text, markup, facts).read();
}

std::vector<Sentence> sentences(const std::vector<Token>& list) {
  std::vector<Sentence> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Token& t = list[i];
    if (t.kind != Token::Kind::sign) continue;
    const bool apart = i + 1 == list.size() || !list[i + 1].glued || list[i + 1].kind == Token::Kind::sign;
    const bool stop = t.is(".") && apart && !(i > 0 && abbreviation(list[i - 1]) && i + 1 < list.size());
    if (!stop && !(t.is("!") && apart) && !(t.is("?") && apart) && !t.is(";") && !t.is("\n")) continue;
    out.push_back({begin, i + 1});
    begin = i + 1;
  }
  if (begin < list.size()) out.push_back({begin, list.size()});
  return out;
}

}  // namespace prose
