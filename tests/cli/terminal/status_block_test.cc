#include "apps/cli/terminal/status_block.h"

#include <catch2/catch.hpp>

using cli::erasing;

TEST_CASE("a status is removed with all rows that it fills, also on a terminal that became narrower") {
  CHECK(erasing({}, 80).empty());
  CHECK(erasing({79}, 80) == "\r\033[J");
  CHECK(erasing({79, 10, 0}, 80) == "\r\033[2A\033[J");
  CHECK(erasing({79, 10}, 40) == "\r\033[2A\033[J");
  CHECK(erasing({80, 41}, 40) == "\r\033[3A\033[J");
}
