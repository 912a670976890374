#include "models/failure.h"

#include <catch2/catch.hpp>

#include "models/http.h"
#include "models/message.h"

using models::Failure;

namespace {

Failure of(Failure::Kind kind, std::optional<double> after = {}) {
  Failure failure;
  failure.kind = kind;
  failure.retry_after_s = after;
  return failure;
}

}  // namespace

TEST_CASE("what may pass is tried again after a while that doubles, never before the server asks for it") {
  using Kind = Failure::Kind;
  const auto wait = [](Kind kind, int attempt, double chance, std::optional<double> after = {}) {
    return models::wait_before_retry(of(kind, after), attempt, 6, chance).value_or(-1);
  };
  CHECK(wait(Kind::busy, 1, 0) == 0.25);
  CHECK(wait(Kind::server, 1, 0.5) == 0.375);
  CHECK(wait(Kind::cut_off, 4, 0) == 2);
  CHECK(wait(Kind::unreachable, 5, 0) == 4);
  CHECK(wait(Kind::timed_out, 6, 0) == -1);
  CHECK(wait(Kind::busy, 1, 0, 17) == 17);
  CHECK(wait(Kind::busy, 1, 0, 3600) == -1);
  for (const Kind kind : {Kind::refused, Kind::unauthorised, Kind::too_large, Kind::cancelled})
    CHECK(wait(kind, 1, 0) == -1);
  CHECK(*models::wait_before_retry(of(Kind::server), 40, 100, 0.999) < 60);
}

TEST_CASE("Retry-After is a number of seconds or a date") {
  CHECK(models::retry_after_s(" 30\r\n", 0) == 30);
  CHECK(models::retry_after_s("1.5", 0) == 1.5);
  CHECK(models::retry_after_s("Thu, 01 Jan 1970 00:01:40 GMT", 40) == 60);
  CHECK(models::retry_after_s("Thu, 01 Jan 1970 00:01:40 GMT", 400) == 0);
  for (const char* bad : {"", "soon", "-5", "nan", "1e999"}) CHECK_FALSE(models::retry_after_s(bad, 0));
}

TEST_CASE("what a stranger says is one bounded line of text") {
  CHECK(models::one_line_of("a\r\n\t b\x1b[31m\xff") == "a b [31m?");
  CHECK(models::one_line_of(std::string(5000, 'x')).size() == 600);
  CHECK(models::one_line_of("Grüß") == "Grüß");
  CHECK(models::one_line_of("") == "");
  CHECK(models::shown_url("https://me:secret@host/v1?key=x#y") == "https://host/v1");
  CHECK(models::shown_url("http://host:1/v1/a@b") == "http://host:1/v1/a@b");
}

TEST_CASE("a call costs what its tokens cost, those from the cache at their own price") {
  const models::TokenUsage usage{1000, 200, 5000, 300, true};
  CHECK(models::cost({3, 15, 0.3, 3.75}, usage) == Approx((3000 + 3000 + 1500 + 1125) / 1e6));
  CHECK(models::cost({3, 15, {}, {}}, usage) == Approx((3000 + 3000 + 15000 + 900) / 1e6));
  CHECK(models::cost({}, usage) == 0);
  models::TokenUsage stated = usage;
  stated.usd = 0.004;
  CHECK(models::cost({3, 15, 0.3, 3.75}, stated) == 0.004);
  stated.usd = 0.0000001;  // A price of nothing is not believed.
  CHECK(models::cost({3, 15, 0.3, 3.75}, stated) == models::cost({3, 15, 0.3, 3.75}, usage));
}

TEST_CASE("what is set aside for a call covers all that it sends and may get") {
  models::Request request;
  const auto nothing = models::set_aside(request);
  CHECK(nothing.output == request.max_output);
  request.system = std::string(3000, 'a');
  request.messages.resize(1);
  request.messages[0].answers = {{"c", std::string(3000, 'b'), {{"image/png", "x"}}, false}};
  request.tools = {{"t", "", std::string(600, 'c')}};
  CHECK(models::set_aside(request).input > nothing.input + 6600 / 3 + models::image_tokens);
}

TEST_CASE("the fewest tokens of a call are those of its texts, without schemas and pictures") {
  models::Request request;
  models::Reply reply;
  CHECK(models::fewest_tokens(request, reply) == 0);
  request.system = std::string(1600, 'a');
  request.messages.resize(1);
  request.messages[0].answers = {{"c", std::string(1600, 'b'), {{"image/png", "x"}}, false}};
  request.tools = {{"t", "", std::string(1600, 'c')}};
  reply.text = std::string(160, 'd');
  reply.calls = {{"c", "grep", std::string(156, 'e')}};
  CHECK(models::fewest_tokens(request, reply) == 220);
}
