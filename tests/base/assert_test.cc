#include "base/assert.h"

#include <catch2/catch.hpp>

#include "base/boxed_optional.h"
#include "base/shell_text.h"
#include "tests/aborts.h"

namespace {

int whole_half(int number) {
  return ETUDE_ASSERT(number % 2 == 0), number / 2;
}

}  // namespace

TEST_CASE("an assertion that holds does nothing, also within an expression") {
  CHECK(whole_half(4) == 2);
  CHECK_FALSE(last_words([] { whole_half(4); }));
}

TEST_CASE("an assertion that does not hold says file, line and condition, and aborts") {
  const auto words = last_words([] { whole_half(3); });
  REQUIRE(words);
  CHECK_THAT(*words, Catch::Matchers::Contains("assert_test.cc:12: assertion failed: number % 2 == 0\n"));
}

TEST_CASE("a condition with a comma is one condition") {
  const auto words = last_words([] { ETUDE_ASSERT(std::pair<int, int>(1, 2).first == 2); });
  REQUIRE(words);
  CHECK_THAT(*words, Catch::Matchers::Contains("assertion failed: std::pair<int, int>(1, 2).first == 2\n"));
}

TEST_CASE("the value of a box that has none, and a quoted word where quoting is lost, are defects") {
  const kernel::BoxedOptional<int> none;
  CHECK(last_words([&] { static_cast<void>(*none); }));
  kernel::ShellText shell;
  for (const char c : {'`'}) shell.take(c);
  CHECK(last_words([&] { static_cast<void>(shell.quoted("a b")); }));
}
