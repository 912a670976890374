#include <array>
#include <cctype>

#include "studyfile/literature/bibtex.h"

namespace studyfile {

namespace {

struct TexAccent {
  char mark;
  const char* combining;  ///< The Unicode character that follows the letter.
  const char* letters;    ///< For these letters there is a single character:
  std::array<const char*, 18> whole;
};
constexpr TexAccent tex_accents[] = {
    {'\'',
     "\u0301",
     "aeiouyAEIOUYcnszCN",
     {"á", "é", "í", "ó", "ú", "ý", "Á", "É", "Í", "Ó", "Ú", "Ý", "ć", "ń", "ś", "ź", "Ć", "Ń"}},
    {'`', "\u0300", "aeiouAEIOU", {"à", "è", "ì", "ò", "ù", "À", "È", "Ì", "Ò", "Ù"}},
    {'^', "\u0302", "aeiouAEIOU", {"â", "ê", "î", "ô", "û", "Â", "Ê", "Î", "Ô", "Û"}},
    {'"', "\u0308", "aeiouyAEIOU", {"ä", "ë", "ï", "ö", "ü", "ÿ", "Ä", "Ë", "Ï", "Ö", "Ü"}},
    {'~', "\u0303", "anoANO", {"ã", "ñ", "õ", "Ã", "Ñ", "Õ"}},
    {'c', "\u0327", "cCsS", {"ç", "Ç", "ş", "Ş"}},
    {'v', "\u030C", "csznreCSZ", {"č", "š", "ž", "ň", "ř", "ě", "Č", "Š", "Ž"}},
    {'u', "\u0306", "agAG", {"ă", "ğ", "Ă", "Ğ"}},
    {'=', "\u0304", "aeiou", {"ā", "ē", "ī", "ō", "ū"}},
    {'.', "\u0307", "zZ", {"ż", "Ż"}},
    {'H', "\u030B", "ouOU", {"ő", "ű", "Ő", "Ű"}},
    {'k', "\u0328", "aeAE", {"ą", "ę", "Ą", "Ę"}},
    {'r', "\u030A", "aA", {"å", "Å"}},
};

/// TeX commands and the characters that replace them.
constexpr std::string_view tex_commands[][2] = {{"ss", "ß"}, {"o", "ø"},         {"O", "Ø"},     {"l", "ł"},
                                                {"L", "Ł"},  {"aa", "å"},        {"AA", "Å"},    {"ae", "æ"},
                                                {"AE", "Æ"}, {"oe", "œ"},        {"OE", "Œ"},    {"i", "i"},
                                                {"j", "j"},  {"LaTeX", "LaTeX"}, {"TeX", "TeX"}, {"textendash", "-"}};

bool tex_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The base of an accent, from `at` on: `{\i}`, `{e}`, ` e`, `e`. Moves `at` past it and its braces.
std::string base_of(std::string_view tex, std::size_t& at) {
  while (at < tex.size() && tex[at] == ' ') ++at;
  const bool braced = at < tex.size() && tex[at] == '{';
  if (braced) ++at;
  if (at < tex.size() && tex[at] == '\\') ++at;
  std::string base;
  if (at < tex.size() && tex_letter(tex[at])) base = tex[at++];
  if (braced && at < tex.size() && tex[at] == '}') ++at;
  return base;
}

std::string with_accent(const TexAccent& accent, const std::string& base) {
  if (base.empty()) return "";
  const std::size_t place = std::string_view(accent.letters).find(base[0]);
  if (place != std::string_view::npos && place < accent.whole.size() && accent.whole[place]) return accent.whole[place];
  return base + accent.combining;
}

/// Reads a command; `at` is after its backslash.
std::string tex_command(std::string_view tex, std::size_t& at) {
  if (at >= tex.size()) return "";
  std::size_t end = at;
  while (end < tex.size() && tex_letter(tex[end])) ++end;
  const std::string_view name = tex.substr(at, end > at ? end - at : 1);
  at += name.size();
  if (name.size() == 1)
    for (const TexAccent& accent : tex_accents)
      if (accent.mark == name[0]) return with_accent(accent, base_of(tex, at));
  if (end > at - name.size())
    while (at < tex.size() && tex[at] == ' ') ++at;
  for (const auto& [known, text] : tex_commands)
    if (known == name) return std::string(text);
  return tex_letter(name[0]) ? "" : std::string(name);
}

}  // namespace

std::string plain_tex(std::string_view tex) {
  std::string out;
  const auto put = [&](std::string_view text) {
    for (const char c : text) {
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (blank && (out.empty() || out.back() == ' ')) continue;
      if (!blank && static_cast<unsigned char>(c) < ' ') continue;
      out += blank ? ' ' : c;
    }
  };
  for (std::size_t at = 0; at < tex.size();) {
    const char c = tex[at++];
    if (c == '\\')
      put(tex_command(tex, at));
    else if (c == '~')
      put(" ");
    else if (c == '-' && at < tex.size() && tex[at] == '-')
      continue;
    else if (c != '{' && c != '}' && c != '$')
      put(std::string_view(&c, 1));
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace studyfile
