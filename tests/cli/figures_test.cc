#include "apps/cli/figures.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace cli;
using nlohmann::json;

TEST_CASE("a figure has four significant digits, and whole numbers stay whole") {
  CHECK(figure(12.34567) == "12.35");
  CHECK(figure(0.000123456) == "0.0001235");
  CHECK(figure(1234567.0) == "1234567");
  CHECK(figure(123456.7) == "123457");
  CHECK(figure(3.2e-9) == "3.2e-09");
  CHECK(figure(0.0) == "0");
  CHECK(figure(-2.5) == "-2.5");
}

TEST_CASE("what is not known is a dash, what is not a number says so") {
  CHECK(figure(json()) == "–");
  CHECK(figure(json("NaN")) == "NaN");
  CHECK(figure(json("-Infinity")) == "-Infinity");
  CHECK(figure(json(3)) == "3");
  CHECK(probability(json()) == "–");
  CHECK(duration(json()) == "–");
  CHECK(bytes(json()) == "–");
  CHECK(with_unit("–", "ms") == "–");
}

TEST_CASE("an effect is shown to the digits that its interval justifies") {
  const Estimate fine = estimate(-12.345678, json::array({-12.9012, -11.7901}));
  CHECK(fine.value == "-12.35");
  CHECK(fine.interval == "[-12.90, -11.79]");
  const Estimate coarse = estimate(1234.56, json::array({900.1, 1600.2}));
  CHECK(coarse.value == "1235");
  CHECK(coarse.interval == "[900, 1600]");
  const Estimate small = estimate(0.00123456, json::array({0.0011, 0.00134}));
  CHECK(small.value == "0.00123");
  CHECK(small.interval == "[0.00110, 0.00134]");
}

TEST_CASE("an unbounded end is infinite and an absent interval a dash") {
  const Estimate half = estimate(2.0, json::array({nullptr, 3.5}));
  CHECK(half.value == "2.0");
  CHECK(half.interval == "[-∞, 3.5]");
  CHECK(estimate(2.5, json::array({nullptr, nullptr})).interval == "[-∞, ∞]");
  CHECK(estimate(2.5, json()).interval == "–");
  CHECK(estimate(json(), json()).value == "–");
}

TEST_CASE("an interval of no width is printed as it is") {
  const Estimate exact = estimate(3, json::array({3, 3}));
  CHECK(exact.value == "3");
  CHECK(exact.interval == "[3, 3]");
}

TEST_CASE("probabilities keep two digits and are never rounded to nothing or to certainty beyond them") {
  CHECK(probability(0.0321) == "0.032");
  CHECK(probability(0.00123) == "0.0012");
  CHECK(probability(0.00001) == "< 0.0001");
  CHECK(probability(0.5) == "0.50");
  CHECK(probability(1.0) == "1.0");
}

TEST_CASE("durations and sizes use the unit a person would") {
  CHECK(duration(0.0042) == "4 ms");
  CHECK(duration(12.34) == "12.3 s");
  CHECK(duration(59.97) == "1 min 00 s");
  CHECK(duration(82) == "1 min 22 s");
  CHECK(duration(3599.6) == "1 h 00 min");
  CHECK(duration(11100) == "3 h 05 min");
  CHECK(duration(187200) == "2 d 4 h");
  CHECK(bytes(812) == "812 B");
  CHECK(bytes(1468006) == "1.4 MiB");
  CHECK(bytes(1024) == "1.0 KiB");
  CHECK(bytes(104857600) == "100 MiB");
}
