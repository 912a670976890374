#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "models/protocols/dialect.h"

using nlohmann::json;

TEST_CASE("every byte is escaped as the JSON library escapes it, wherever it stands") {
  for (int byte = 1; byte < 0x80; ++byte)
    for (std::size_t before = 0; before < 20; ++before) {
      const std::string text =
          std::string(before, 'x') + static_cast<char>(byte) + "\xc3\xa9 and more than eight bytes";
      CAPTURE(byte, before);
      CHECK(models::json_text(text) == json(text).dump());
    }
  const std::string all("a\0\x01\x1f\x7f\"\\\"\\\n\n\t\r\b\f/\xf0\x9f\x8e\xb5", 20);
  CHECK(models::json_text(json{{"k\n", {all, 1, 2.5, nullptr, json::array(), json::object()}}}) ==
        json{{"k\n", {all, 1, 2.5, nullptr, json::array(), json::object()}}}.dump());
}

TEST_CASE("a malformed byte of a text becomes the replacement character") {
  CHECK(models::json_text("caf\xe9 \xff\xc3\xa9") == "\"caf\xef\xbf\xbd \xef\xbf\xbd\xc3\xa9\"");
}
