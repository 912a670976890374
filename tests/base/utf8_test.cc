// UTF-8 is checked and decoded alike, and cut between characters only.

#include "base/utf8.h"

#include <string>

#include <catch2/catch.hpp>

using kernel::utf8_at;
using kernel::utf8_prefix;
using kernel::valid_utf8;

TEST_CASE("every character is read as what it was written as, and nothing else is valid") {
  for (char32_t code = 0; code <= 0x110000; code += code < 0x3000 ? 1 : 0x111) {
    std::string text = "a";
    kernel::append_utf8(text, code);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF, beyond = code > 0x10FFFF;
    const kernel::Utf8Character read = utf8_at(text, 1);
    if (surrogate || beyond || read.code != code || read.length != text.size() - 1) {
      CAPTURE(static_cast<unsigned>(code));
      CHECK((surrogate || beyond));
      CHECK(read.length == 0);
      CHECK_FALSE(valid_utf8(text));
    }
  }
}

TEST_CASE("overlong forms, stray bytes and cut characters are malformed") {
  for (const std::string text :
       {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xE2\x28\xA1"}) {
    CAPTURE(text.size());
    CHECK(utf8_at(text, 0).length == 0);
    CHECK_FALSE(valid_utf8(text));
  }
}

TEST_CASE("a text is cut before the character that has no room") {
  const std::string text = "aé€😀";
  const std::size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t most = 0; most < std::size(kept); ++most) CHECK(utf8_prefix(text, most).size() == kept[most]);
  CHECK(utf8_prefix("\x80\x80\x80", 2).empty());
}
