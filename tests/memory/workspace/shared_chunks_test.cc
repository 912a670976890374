// Copies that were changed are copies.
#include "memory/workspace/shared_chunks.h"

#include <random>

#include <catch2/catch.hpp>

using memory::SharedChunks;

namespace {

std::string table(std::uint32_t seed, int rows, bool labels) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    for (int column = 0; column < 12; ++column) text += std::to_string(random() % 10'000) + ",";
    text += (labels ? std::to_string(random() % 2) : (random(), std::string())) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a file is found in another that holds it, with a line more or with one line of many changed") {
  const std::string sealed = table(1, 2000, true);
  const SharedChunks pieces(sealed);
  CHECK(pieces.share_in(sealed) == 1);
  CHECK(pieces.share_in("label\n" + sealed) == 1);
  CHECK(pieces.share_in("x = '''" + sealed + "'''\nprint(x)\n") == 1);
  std::string changed = sealed;
  for (std::size_t at = 20'000; at < changed.size(); at += 30'000) changed[at] = 'x';
  CHECK(pieces.share_in(changed) > 0.9);
  CHECK(pieces.share_in(sealed.substr(sealed.size() / 2) + sealed.substr(0, sealed.size() / 2)) > 0.95);
}

TEST_CASE("what only resembles it is none of it") {
  const std::string sealed = table(1, 2000, true);
  const SharedChunks pieces(sealed);
  CHECK(pieces.share_in(table(2, 2000, true)) == 0);
  // The same rows without the labels, which a job may well be given.
  CHECK(pieces.share_in(table(1, 2000, false)) < 0.1);
  CHECK(pieces.share_in("") == 0);
  CHECK(pieces.share_in(sealed.substr(0, 100)) == 0);
  // A part is that part: what was trained on may be among what is sealed.
  const double half = pieces.share_in(sealed.substr(0, sealed.size() / 2));
  CHECK(half > 0.4);
  CHECK(half < 0.6);
}

TEST_CASE("of a small file only the whole counts, and of a tiny one nothing") {
  const std::string small = table(3, 3, true);
  REQUIRE(small.size() > 64);
  REQUIRE(small.size() < 256);
  CHECK(SharedChunks(small).share_in("a\n" + small + "b") == 1);
  CHECK(SharedChunks(small).share_in(small.substr(1)) == 0);
  CHECK(SharedChunks("0\n1\n0\n").share_in("0\n1\n0\n") == 0);
}

TEST_CASE("bytes that repeat take no longer, however often they do") {
  const std::string zeros(4 << 20, '\0');
  CHECK(SharedChunks(zeros).share_in(zeros) == 1);
  const std::string sealed = table(1, 2000, true) + std::string(1 << 20, 'a');
  CHECK(SharedChunks(sealed).share_in(std::string(8 << 20, 'a')) < 1);
}
