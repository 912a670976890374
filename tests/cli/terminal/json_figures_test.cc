#include "apps/cli/terminal/json_figures.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace cli;
using nlohmann::json;

TEST_CASE("a figure has four significant digits, and whole numbers stay whole") {
  CHECK(figure(12.34567) == "12.35");
  CHECK(figure(0.000123456) == "0.0001235");
  CHECK(figure(1234567) == "1234567");
  CHECK(figure(0) == "0");
  CHECK(figure(-2.5) == "-2.5");
}

TEST_CASE("what is not known is a dash, what is not a number says so") {
  CHECK(figure(json()) == "–");
  CHECK(figure("NaN") == "NaN");
  CHECK(figure("-Infinity") == "-Infinity");
  CHECK(probability(json()) == "–");
  CHECK(duration(json()) == "–");
  CHECK(bytes(json()) == "–");
  CHECK(level(json()) == "–");
  CHECK(with_unit("–", "ms") == "–");
  CHECK(with_unit("3", "ms") == "3 ms");
  CHECK(with_unit("3", "") == "3");
}

TEST_CASE("an expected time has its range, unless both ends read like it") {
  CHECK(expected_words({{"expected", 8}, {"low", 7}, {"high", 10}}) == "8.0 s (7.0 s to 10 s)");
  CHECK(expected_words({{"expected", 22.1}, {"low", 21.9}, {"high", 22.3}}) == "22 s");
}

TEST_CASE("an effect is shown to the digits that its interval justifies") {
  const ShownEstimate fine = estimate(-12.345678, {-12.9012, -11.7901});
  CHECK(fine.value == "-12.35");
  CHECK(fine.interval == "[-12.90, -11.79]");
  const ShownEstimate coarse = estimate(1234.56, {900.1, 1600.2});
  CHECK(coarse.value == "1230");
  CHECK(coarse.interval == "[900, 1600]");
  const ShownEstimate ratio = estimate_percent(-0.51234, {-0.52, -0.50});
  CHECK(ratio.value == "-51.2 %");
  CHECK(ratio.interval == "[-52.0 %, -50.0 %]");
}

TEST_CASE("an unbounded end says so and an absent interval is a dash") {
  CHECK(estimate(2.0, {nullptr, 3.5}).interval == "(unbounded, 3.5]");
  CHECK(estimate(2.5, {nullptr, nullptr}).interval == unknown);
  CHECK(estimate(2.5, json()).interval == "–");
  CHECK(estimate(json(), json()).value == "–");
  CHECK(estimate(3, {3, 3}).interval == "[3, 3]");
}

TEST_CASE("durations, sizes and levels use the words of the report") {
  CHECK(duration(0.0042) == "4.2 ms");
  CHECK(duration(0.063) == "63 ms");
  CHECK(duration(12.34) == "12 s");
  CHECK(duration(82) == "1 min 22 s");
  CHECK(bytes(812) == "812 bytes");
  CHECK(bytes(1400000) == "1.4 MB");
  CHECK(level(0.99) == "99 %");
  CHECK(probability(0.00001) == "< 0.0001");
}
