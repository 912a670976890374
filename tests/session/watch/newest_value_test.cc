#include "apps/session/watch/newest_value.h"

#include <catch2/catch.hpp>

TEST_CASE("the newest value is that of the last whole line with the metric") {
  const std::string log =
      "ss\", \"value\": 9}\n{\"name\": \"loss\", \"value\": 0.5, \"step\": 10}\nnoise\n"
      "{\"name\": \"lr\", \"value\": 1}\n";
  const auto known = session::newest_value(log, "loss");
  REQUIRE(known);
  CHECK(known->value == 0.5);
  CHECK(known->step == 10);
  const auto newer =
      session::newest_value(log + "{\"name\": \"loss\", \"value\": 0.25}\n{\"name\": \"loss\", \"val", "loss");
  REQUIRE(newer);
  CHECK(newer->value == 0.25);
  CHECK_FALSE(newer->step);
  for (const char* none :
       {"", "\n\n", "{\"name\": \"loss\", \"value\": 1}", "{\"name\": \"loss\", \"value\": null}\n", "[1]\n7\n"})
    CHECK_FALSE(session::newest_value(none, "loss"));
}
