#include "agents/thinking/calls/room.h"

#include <catch2/catch.hpp>

namespace {

models::Request conversation(int turns, std::size_t bytes) {
  models::Request request;
  request.max_output = 1000;
  request.messages.resize(1);
  request.messages[0].text = "Begin.";
  for (int i = 0; i < turns; ++i) {
    models::Message said, answered;
    said.by = models::Speaker::assistant;
    said.calls = {{"c", "read_file", "{}"}};
    answered.answers = {{"c", std::string(bytes, 'x'), {}, false}};
    request.messages.push_back(said);
    request.messages.push_back(answered);
  }
  return request;
}

}  // namespace

TEST_CASE("a reply gets what the context has left, and a conversation without a quarter of it begins anew") {
  const models::Request request = conversation(6, 3000);
  const std::int64_t tokens = agents::estimated_tokens(request);
  CHECK(tokens > 6000);
  CHECK(tokens < 6500);
  CHECK(agents::room_for_reply(request, 0) == 1000);
  CHECK(agents::room_for_reply(request, 100000) == 1000);
  CHECK(agents::room_for_reply(request, 8800) == 1000);
  CHECK_FALSE(agents::room_for_reply(request, 7000));
  models::Request long_reply = request;
  long_reply.max_output = 100000;
  CHECK(*agents::room_for_reply(long_reply, 9000) == 9000 - tokens);
}

TEST_CASE("exchanges at the end are dropped until a summary fits, never what comes before") {
  models::Request request = conversation(6, 3000);
  agents::drop_to_fit(request, 5000);
  CHECK(agents::estimated_tokens(request) <= 3750);
  CHECK(request.messages.size() % 2 == 1);
  CHECK(request.messages.back().by == models::Speaker::user);
  CHECK(request.messages[2].answers[0].text.size() == 3000);
  agents::drop_to_fit(request, 10);
  CHECK(request.messages.size() == 1);
}

TEST_CASE("a prompt that its server cut is told from one that it counts otherwise") {
  using agents::Counted;
  using agents::is_cut;
  CHECK_FALSE(is_cut({0, 9000}, {}));
  CHECK_FALSE(is_cut({7000, 9000}, {}));
  CHECK_FALSE(is_cut({100, 900}, {}));
  CHECK(is_cut({4096, 9000}, {}));        // 27 KB in a context of 4,096.
  CHECK_FALSE(is_cut({5100, 9000}, {}));  // 5.3 bytes to a token: dense text.
  CHECK(is_cut({2000, 9000}, {}));
  // Continued, but shorter: messages were left out.
  CHECK(is_cut({3900, 6000}, {4000, 5500}));
  // Only what was not in the server's cache.
  CHECK_FALSE(is_cut({300, 6000}, {4000, 5500}));
  CHECK_FALSE(is_cut({4600, 6000}, {4000, 5500}));
  // It stays what it was, whatever is added.
  CHECK(is_cut({4096, 6000}, {4096, 5500}));
  // A template that leaves earlier thinking out of the prompt.
  CHECK_FALSE(is_cut({3500, 6000, 2000}, {4000, 5500, 1500}));
}
