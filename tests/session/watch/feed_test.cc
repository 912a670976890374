#include "apps/session/watch/feed.h"

#include <catch2/catch.hpp>

TEST_CASE("who watches hears what is said after he came, of his study") {
  session::LiveModelText spoken;
  spoken.say("s1", "hypothesis-1", "before ");
  std::uint64_t heard = spoken.last();
  spoken.say("s1", "hypothesis-1", "one ");
  spoken.say("s2", "hypothesis-1", "another study's ");
  spoken.say("s1", "hypothesis-1", "two");
  const auto pieces = spoken.since(heard, "s1");
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].text + pieces[1].text == "one two");
  CHECK(spoken.since(heard, "s1").empty());
  heard = 0;
  CHECK(spoken.since(heard, "").size() == 4);
}

TEST_CASE("a slow watcher loses the oldest of what was said, and memory stays bounded") {
  session::LiveModelText spoken;
  const std::string text(1000, 'w');
  for (int i = 0; i < 10000; ++i) spoken.say("s1", "hypothesis-1", text);
  spoken.say("s1", "hypothesis-1", "the last");
  std::uint64_t heard = 0;
  const auto pieces = spoken.since(heard, "s1");
  std::size_t bytes = 0;
  for (const session::Piece& piece : pieces) bytes += piece.text.size();
  CHECK(bytes <= session::LiveModelText::most_bytes);
  CHECK(bytes > session::LiveModelText::most_bytes / 2);
  CHECK(pieces.back().text == "the last");
  CHECK(pieces.front().number > 9000);
  spoken.say("s1", "hypothesis-1", std::string(session::LiveModelText::most_bytes + 1, 'w'));
  CHECK(spoken.since(heard, "s1").empty());
}
