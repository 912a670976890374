#include "agents/thinking/calls/fit_for_services.h"

#include <catch2/catch.hpp>

#include "models/message.h"

namespace {

models::Request conversation(int turns, std::size_t bytes) {
  models::Request request;
  request.max_output = 100;
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

TEST_CASE("what tools said longest ago makes room, and no more of it than is needed") {
  models::Request request = conversation(6, 2000);
  const std::int64_t whole = models::set_aside(request).total();
  CHECK_FALSE(agents::make_room(request, 0));
  CHECK_FALSE(agents::make_room(request, whole));
  CHECK(models::set_aside(request).total() == whole);
  REQUIRE(agents::make_room(request, whole - 1500));
  CHECK(models::set_aside(request).total() <= whole - 1500);
  CHECK(request.messages[2].answers[0].text.find("Left out to make room") == 1);
  CHECK(request.messages[4].answers[0].text.find("Left out to make room") == 1);
  CHECK(request.messages[6].answers[0].text.size() == 2000);
  // The last answer is what the model waits for.
  REQUIRE(agents::make_room(request, 1));
  CHECK(request.messages[10].answers[0].text.size() < 100);
  CHECK(request.messages[12].answers[0].text.size() == 2000);
}
