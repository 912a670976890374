#include "artifacts/find/folded_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "artifacts/text/english.h"
#include "artifacts/text/untrusted_text.h"
#include "base/utf8.h"

namespace artifacts {
namespace {

// From U+00C0 and U+0100 on, one letter for each character; '.' is not folded by these tables.
constexpr std::string_view latin_1 = "aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.y";
constexpr std::string_view latin_a =
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkkllllllllll"
    "nnnnnnnnnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

static_assert(latin_1.size() == 64 && latin_a.size() == 128);

constexpr std::array<std::pair<char32_t, char32_t>, 17> greek{{{0x386, 0x3B1},
                                                               {0x388, 0x3B5},
                                                               {0x389, 0x3B7},
                                                               {0x38A, 0x3B9},
                                                               {0x38C, 0x3BF},
                                                               {0x38E, 0x3C5},
                                                               {0x38F, 0x3C9},
                                                               {0x3AC, 0x3B1},
                                                               {0x3AD, 0x3B5},
                                                               {0x3AE, 0x3B7},
                                                               {0x3AF, 0x3B9},
                                                               {0x3C2, 0x3C3},
                                                               {0x3CC, 0x3BF},
                                                               {0x3CD, 0x3C5},
                                                               {0x3CE, 0x3C9},
                                                               {0x401, 0x435},
                                                               {0x451, 0x435}}};

bool between(char32_t code, char32_t first, char32_t last) {
  return code >= first && code <= last;
}

/// Adds the character as it is compared; an accent of its own adds nothing.
void fold(std::string& text, char32_t code) {
  if (between(code, 'A', 'Z')) return text.push_back(static_cast<char>(code - 'A' + 'a'));
  if (between(code, 0x300, 0x36F)) return;
  if (code == 0xC6 || code == 0xE6) return void(text += "ae");
  if (code == 0xDE || code == 0xFE) return void(text += "th");
  if (code == 0xDF) return void(text += "ss");
  if (code == 0x152 || code == 0x153) return void(text += "oe");
  const std::string_view table = between(code, 0xC0, 0xFF) ? latin_1 : between(code, 0x100, 0x17F) ? latin_a : "";
  if (!table.empty()) {
    const char letter = table[code - (table == latin_1 ? 0xC0 : 0x100)];
    if (letter != '.') return text.push_back(letter);
  }
  if (const auto* found = std::ranges::find(greek, code, &std::pair<char32_t, char32_t>::first); found != greek.end())
    code = found->second;
  else if (between(code, 0x391, 0x3A9) || between(code, 0x410, 0x42F))
    code += 0x20;
  else if (between(code, 0x400, 0x40F))
    code += 0x50;
  kernel::append_utf8(text, code);
}

bool is_letter_of(char32_t code) {
  if (code < 0x80) return is_alnum(static_cast<char>(code));
  if (code < 0xC0 || code == 0xD7 || code == 0xF7) return code == 0xAA || code == 0xB5 || code == 0xBA;
  return !between(code, 0x2000, 0x2BFF) && !between(code, 0x3000, 0x303F) && !between(code, 0xFE30, 0xFE6F) &&
         !between(code, 0xFF00, 0xFF0F) && code != 0xFEFF && code != 0xFFFD;
}

/// A character of a script without blanks between words.
bool is_word_itself(char32_t code) {
  return between(code, 0x3040, 0x30FF) || between(code, 0x3400, 0x9FFF) || between(code, 0xAC00, 0xD7A3) ||
         between(code, 0xF900, 0xFAFF) || between(code, 0x20000, 0x3FFFF);
}

kernel::Utf8Character character_at(std::string_view text, std::size_t at) {
  const kernel::Utf8Character found = kernel::utf8_at(text, at);
  return found.length > 0 ? found : kernel::Utf8Character{0xFFFD, 1};
}

}  // namespace

std::string folded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const kernel::Utf8Character one = character_at(text, at);
    fold(result, one.code);
    at += one.length;
  }
  return result;
}

std::vector<FoldedWord> folded_words(std::string_view text) {
  std::vector<FoldedWord> words;
  for (std::size_t at = 0; at < text.size();) {
    FoldedWord word{{}, at, at};
    while (at < text.size()) {
      const kernel::Utf8Character one = character_at(text, at);
      const bool alone = is_word_itself(one.code);
      if (!is_letter_of(one.code) || (alone && word.end > word.begin)) break;
      fold(word.text, one.code);
      at += one.length;
      word.end = at;
      if (alone) break;
    }
    if (word.end == word.begin)
      at += character_at(text, at).length;
    else if (word.text = word_stem(std::move(word.text)); !word.text.empty())
      words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> wanted_words(std::string_view query) {
  std::vector<std::string> all, wanted;
  for (FoldedWord& word : folded_words(query)) {
    const bool filler = is_filler(folded(query.substr(word.begin, word.end - word.begin)));
    std::vector<std::string>& list = filler ? all : wanted;
    if (std::ranges::find(list, word.text) == list.end()) list.push_back(std::move(word.text));
  }
  return wanted.empty() ? all : wanted;
}

}  // namespace artifacts
