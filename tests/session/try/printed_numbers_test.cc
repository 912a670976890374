#include "apps/session/try/printed_numbers.h"

#include <catch2/catch.hpp>

using session::printed_numbers;

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  for (const session::PrintedNumber& number : printed_numbers(text)) list.push_back(number.line);
  return list;
}

}  // namespace

TEST_CASE("numbers after a word are metrics, those of the last lines first; counts are none") {
  CHECK(lines("epoch 1: loss=0.9 acc 0.41\nepoch 2: loss=0.5 acc 0.62\nsaved 3 files\n") ==
        std::vector<std::string>{R"(loss: {goal: minimize, from: {stdout: '\bloss *= *([-+0-9.einfa]+)'}})",
                                 R"(acc: {goal: maximize, from: {stdout: '\bacc +([-+0-9.einfa]+)'}})"});
  CHECK(printed_numbers("epoch 1: loss=0.9\nepoch 2: loss=0.5\n").front().value == "0.5");
  CHECK(lines("val loss: 1.5e-3 ms\n") ==
        std::vector<std::string>{
            R"(val_loss: {goal: minimize, unit: ms, from: {stdout: '\bval loss *: *([-+0-9.einfa]+)'}})"});
}

TEST_CASE("a number before a unit is a time or a rate") {
  CHECK(lines("Benchmark   Time\nsort/qsort/2000  0.137 ms  812.5 MB/s\n") ==
        std::vector<std::string>{R"(time: {goal: minimize, unit: ms, from: {stdout: '([-+0-9.einfa]+) *ms\b'}})",
                                 R"(rate: {goal: maximize, unit: MB/s, from: {stdout: '([-+0-9.einfa]+) *MB/s\b'}})"});
}

TEST_CASE("texts without results give none, whatever they are") {
  CHECK(printed_numbers("").empty());
  CHECK(printed_numbers("done\n\n\n").empty());
  CHECK(printed_numbers("version 3 of v1.2.3 at 10:20:30\n" + std::string(100'000, '=') + " 1.5\n").empty());
}
