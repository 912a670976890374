#include "base/digest.h"

#include <catch2/catch.hpp>

using kernel::base64;

TEST_CASE("base64 agrees with RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
}
