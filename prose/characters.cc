#include "prose/characters.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace prose {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [&](const Range& r) { return code >= r.first && code <= r.last; });
}

// U+00C0 … U+017F without their marks. A dot stands for no letter, or for two.
constexpr std::string_view latin_1 = "aaaaaaaceeeeiiiidnooooo.ouuuuy.saaaaaaaceeeeiiiidnooooo.ouuuuy.y";
constexpr std::string_view latin_a =
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkkllllllllllnnnnnnnnnoooooo.."
    "rrrrrrssssssssttttttuuuuuuuuuuuu"
    "wwyyyzzzzzzs";

}  // namespace

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> list;
  list.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, length] = kernel::utf8_at(text, at);
    list.push_back(length ? Character{code, at, length} : Character{0xFFFD, at, 1});
    at += list.back().length;
  }
  return list;
}

bool digit(char32_t code) {
  return code >= '0' && code <= '9';
}

bool letter(char32_t code) {
  if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  if (code >= 0xC0 && code <= 0x17F) return code != 0xD7 && code != 0xF7;
  return code == 0xB5 || (code >= 0x391 && code <= 0x3A9) || (code >= 0x3B1 && code <= 0x3C9);
}

bool superscript(char32_t code) {
  return code == 0xB2 || code == 0xB3 || code == 0xB9 || (code >= 0x2070 && code <= 0x207F);
}

bool subscript(char32_t code) {
  return code >= 0x2080 && code <= 0x208E;
}

bool space(char32_t code) {
  return code == ' ' || code == '\t' || code == '\n' || code == '\r' || code == 0xA0 || code == 0x202F ||
         (code >= 0x2002 && code <= 0x200A);
}

bool dash(char32_t code) {
  return code == '-' || (code >= 0x2010 && code <= 0x2015) || code == 0x2212;
}

bool numeric(char32_t code) {
  static constexpr std::array ranges = {
      Range{0xB2, 0xB3},       Range{0xB9, 0xB9},       Range{0xBC, 0xBE},       Range{0x660, 0x669},
      Range{0x6F0, 0x6F9},     Range{0x966, 0x96F},     Range{0x9E6, 0x9EF},     Range{0xE50, 0xE59},
      Range{0x2070, 0x2079},   Range{0x2080, 0x2089},   Range{0x2150, 0x218B},   Range{0x2460, 0x249B},
      Range{0x24EA, 0x24FF},   Range{0x2776, 0x2793},   Range{0x3021, 0x3029},   Range{0x3220, 0x3229},
      Range{0x3248, 0x325F},   Range{0x3280, 0x3289},   Range{0xFF10, 0xFF19},   Range{0x1D360, 0x1D378},
      Range{0x1D7CE, 0x1D7FF}, Range{0x1F100, 0x1F10C}, Range{0x1FBF0, 0x1FBF9},
  };
  return digit(code) || within(ranges, code);
}

bool readable(char32_t code) {
  static constexpr std::array ranges = {
      Range{0x20, 0x7E},     Range{0xA0, 0xAC},     Range{0xAE, 0x17F},    Range{0x391, 0x3A9},   Range{0x3B1, 0x3C9},
      Range{0x2002, 0x200A}, Range{0x2010, 0x2015}, Range{0x2018, 0x201F}, Range{0x2020, 0x2022}, Range{0x2026, 0x2026},
      Range{0x202F, 0x2030}, Range{0x2032, 0x2033}, Range{0x2070, 0x208E}, Range{0x20AC, 0x20AC}, Range{0x2150, 0x215F},
      Range{0x2190, 0x2194}, Range{0x21D2, 0x21D2}, Range{0x2208, 0x2209}, Range{0x2211, 0x2212}, Range{0x2215, 0x2215},
      Range{0x221A, 0x221A}, Range{0x221D, 0x221D}, Range{0x2248, 0x2248}, Range{0x2260, 0x2260}, Range{0x2264, 0x2265},
      Range{0x226A, 0x226B}, Range{0x2713, 0x2713}, Range{0x2717, 0x2717},
  };
  return code == '\n' || code == '\t' || code == '\r' || within(ranges, code);
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

char folded(char32_t code) {
  if (code >= 'a' && code <= 'z') return static_cast<char>(code);
  if (code >= 'A' && code <= 'Z') return static_cast<char>(code - 'A' + 'a');
  char c = 0;
  if (code >= 0xC0 && code <= 0xFF) c = latin_1[code - 0xC0];
  if (code >= 0x100 && code - 0x100 < latin_a.size()) c = latin_a[code - 0x100];
  return c == '.' ? '\0' : c;
}

}  // namespace prose
