#include "models/sse.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

Events events_of(const std::string& bytes, std::size_t piece) {
  Events events;
  models::SseReader reader([&](std::string_view name, std::string_view data) { events.emplace_back(name, data); });
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(std::string_view(bytes).substr(at, piece));
  return events;
}

}  // namespace

TEST_CASE("a stream is the same events wherever it is cut") {
  const std::string bytes =
      "\xef\xbb\xbf: a comment\r\nevent: start\r\ndata: {\"a\":1}\r\n\r\ndata:one\ndata: two\n\nid: 7\nretry: 10\n\n"
      "data\n\nevent: lonely\n\rdata: last\r\rdata: never finished\n";
  const Events wanted = {{"start", "{\"a\":1}"}, {"", "one\ntwo"}, {"", ""}, {"", "last"}};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) REQUIRE(events_of(bytes, piece) == wanted);
}

TEST_CASE("what is held back is only the line and the event that are not whole yet") {
  models::SseReader reader([](std::string_view, std::string_view) {});
  reader.feed("data: 1\n\ndata: 22");
  CHECK(reader.held() == 8);
  reader.feed("\n\n");
  CHECK(reader.held() == 0);
}
