
#include "prose/numbers.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

TEST_CASE("a value is rounded at the second digit of its uncertainty") {
  CHECK(prose::rounded(12.3456, 0.123) == "12.35");
  CHECK(prose::rounded(-103.2212, 4.28) == "-103.2");
  CHECK(prose::rounded(1234567, 4300) == "1234600");
  CHECK(prose::rounded(0.00123, 0.00011) == "0.00123");
  CHECK(prose::rounded(2, 0.033) == "2.000");
  CHECK(prose::rounded(0.0004, 5.0) == "0.0");
}

TEST_CASE("a value without uncertainty keeps four digits and no idle zeros") {
  CHECK(prose::rounded(2) == "2");
  CHECK(prose::rounded(0.95) == "0.95");
  CHECK(prose::rounded(3.14159) == "3.142");
  CHECK(prose::rounded(0) == "0");
  CHECK(prose::rounded(123456) == "123500");
}

TEST_CASE("very small and very large values are written in powers of ten") {
  CHECK(prose::rounded(0.00001234, 0.000001) == "1.23e-05");
  CHECK(prose::rounded(6.02214e23) == "6.022e+23");
}

TEST_CASE("a value that is no number is said in words") {
  CHECK(prose::rounded(std::nan("")) == "not a number");
  CHECK(prose::rounded(std::numeric_limits<double>::infinity(), 1.0) == "infinite");
  CHECK(prose::percent(std::nan("")) == "not a number");
  CHECK(prose::probability(std::nan("")) == "not a number");
  CHECK(prose::duration_text(std::nan("")) == "not a number");
  CHECK(prose::rounded(1.5, std::nan("")) == "1.5");
}

TEST_CASE("minus zero loses its sign") {
  CHECK(prose::rounded(-0.001, 3.0) == "0.0");
}

TEST_CASE("ratios are percent") {
  CHECK(prose::percent(-0.97691, 0.00145) == "-97.69 %");
  CHECK(prose::percent(0.5) == "50 %");
}

TEST_CASE("a probability is never rounded to zero or one") {
  CHECK(prose::probability(0) == "< 0.0001");
  CHECK(prose::probability(1) == "> 0.9999");
  CHECK(prose::probability(0.00021) == "0.00021");
  CHECK(prose::probability(0.0123456) == "0.0123");
  CHECK(prose::probability(0.5) == "0.500");
}

TEST_CASE("an unbounded end of an interval is named") {
  CHECK(prose::interval_text(1.0, 3.0, 1.0) == "[1.0, 3.0]");
  CHECK(prose::interval_text(std::nullopt, 3.0, 1.0) == "(unbounded, 3.0]");
  CHECK(prose::percent_interval_text(-0.5, std::nullopt, 0.1) == "[-50 %, unbounded)");
  CHECK(prose::half_width(1.0, 2.0, std::nullopt) == 1.0);
  CHECK(prose::half_width(std::nullopt, 2.0, std::nullopt) == std::nullopt);
}

TEST_CASE("counts agree with their noun") {
  CHECK(prose::counted(1, "run") == "1 run");
  CHECK(prose::counted(0, "run") == "0 runs");
  CHECK(prose::counted(2, "registered hypothesis") == "2 registered hypotheses");
  CHECK(prose::counted(3, "entry") == "3 entries");
}

TEST_CASE("sizes and durations are written for people") {
  CHECK(prose::bytes_text(999) == "999 bytes");
  CHECK(prose::bytes_text(1400) == "1.4 kB");
  CHECK(prose::bytes_text(12'345'678) == "12 MB");
  CHECK(prose::bytes_text(999'999) == "1.0 MB");
  CHECK(prose::duration_text(0.423) == "0.42 s");
  CHECK(prose::duration_text(75) == "1 min 15 s");
  CHECK(prose::duration_text(7500) == "2 h 5 min");
}
