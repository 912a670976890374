#include "models/service/service.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/fakes/model_server.h"

using fakes::ModelServer;
using models::Failure;
using models::Model;
using models::ModelOutcome;
using models::Request;
using models::Service;

namespace {

std::string said(const ModelOutcome& outcome) {
  if (const auto* failure = std::get_if<Failure>(&outcome))
    return fmt::format("{}: {}", models::name(failure->kind), failure->message);
  return std::get<models::Reply>(outcome).text;
}

/// Limits that only a service reaches that does not see what it waits for.
constexpr models::TimeLimits patient = {240, 240, 240, 600};
/// For a server that says nothing more before its client has left.
constexpr double for_ever = 1000;

Model at(const ModelServer& server, int attempts = 1) {
  Model model;
  model.name = "m";
  model.endpoint.base_url = server.url();
  model.endpoint.limits = patient;
  model.most_attempts = attempts;
  return model;
}

Request say(std::string text) {
  Request request;
  request.model = "m";
  request.messages.resize(1);
  request.messages[0].text = std::move(text);
  return request;
}

struct Asked {
  std::future<ModelOutcome> outcome;
  std::uint64_t call = 0;
};

Asked ask(Service& service, const Model& model, Request request, models::Asking asking = {}) {
  auto promise = std::make_shared<std::promise<ModelOutcome>>();
  asking.on_end = [promise](ModelOutcome outcome) { promise->set_value(std::move(outcome)); };
  Asked asked{promise->get_future(), 0};
  asked.call = service.ask(model, std::move(request), std::move(asking));
  return asked;
}

std::string answer(Service& service, const Model& model, Request request) {
  return said(ask(service, model, std::move(request)).outcome.get());
}

}  // namespace

TEST_CASE("a reply comes over HTTP as it is streamed") {
  ModelServer server([](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
    answer.say("You said ");
    answer.say(asked.text());
    answer.end();
  });
  Service service;
  std::atomic<int> pieces = 0;
  models::Asking asking;
  asking.on_text = [&](std::string_view) { ++pieces; };
  CHECK(said(ask(service, at(server), say("hello"), asking).outcome.get()) == "You said hello");
  CHECK(pieces == 2);
}

TEST_CASE("what may pass is tried again, and what was half said is forgotten") {
  std::atomic<int> asked = 0;
  ModelServer server([&](const ModelServer::Asked&, ModelServer::Answer& answer) {
    const int n = ++asked;
    if (n == 1) return answer.refuse(500, "oops");
    if (n == 2) return answer.say("half");  // And the connection closes.
    if (n == 3) return answer.refuse(429, "later", "0.3");
    answer.say("whole");
    answer.end();
  });
  Service service;
  std::vector<std::string> retries;
  models::Asking asking;
  asking.on_retry = [&](const Failure& failure, double wait) {
    retries.push_back(fmt::format("{}{}", models::name(failure.kind), failure.began ? ", begun" : ""));
    if (failure.kind == Failure::Kind::busy) CHECK(wait >= 0.3);
  };
  CHECK(said(ask(service, at(server, 4), say("hello"), asking).outcome.get()) == "whole");
  CHECK(retries == std::vector<std::string>{"server error", "cut off, begun", "busy"});
  CHECK(asked == 4);
}

TEST_CASE("what cannot pass is not tried again") {
  std::atomic<int> asked = 0;
  ModelServer server([&](const ModelServer::Asked&, ModelServer::Answer& answer) {
    ++asked;
    answer.refuse(401, R"({"error":{"message":"wrong key"}})");
  });
  Service service;
  CHECK(answer(service, at(server, 5), say("hello")) == "unauthorised: HTTP 401: wrong key");
  CHECK(asked == 1);
}

TEST_CASE("a key that the server quotes is not passed on") {
  ModelServer server([&](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
    if (asked.text() == "echo") {
      answer.say(asked.headers);
      return answer.end();
    }
    answer.refuse(401, R"({"error":{"message":"no such key: sk-secret-1234"}})");
  });
  Service service;
  Model model = at(server);
  model.endpoint.key = "sk-secret-1234";
  CHECK(answer(service, model, say("x")) == "unauthorised: HTTP 401: no such key: [redacted: m key]");
  const std::string echoed = answer(service, model, say("echo"));
  CHECK(echoed.find("Bearer [redacted: m key]") != std::string::npos);
  CHECK(echoed.find("sk-secret") == std::string::npos);
}

TEST_CASE("every silence has its limit") {
  ModelServer server([](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
    if (asked.text() == "mute") return answer.wait(for_ever);
    answer.say("a");
    if (asked.text() == "stuck") return answer.wait(for_ever);
    while (answer.alive()) {
      answer.say("a");
      answer.wait(0.1);
    }
  });
  Service service;
  Model model = at(server);
  // One limit each, so that a slow machine reaches no other before it.
  model.endpoint.limits.first_byte = 0.3;
  auto mute = ask(service, model, say("mute"));
  model.endpoint.limits = patient;
  model.endpoint.limits.idle = 0.3;
  auto stuck = ask(service, model, say("stuck"));
  model.endpoint.limits = patient;
  model.endpoint.limits.total = 1.2;
  auto endless = ask(service, model, say("endless"));
  CHECK(said(mute.outcome.get()) == "timed out: no byte of a reply came for 0.3 s");
  CHECK(said(stuck.outcome.get()) == "timed out: nothing more came for 0.3 s");
  CHECK(said(endless.outcome.get()).starts_with("timed out: Operation timed out"));
  model.endpoint.limits = patient;
  model.endpoint.base_url = "http://127.0.0.1:1";
  CHECK(answer(service, model, say("x")).starts_with("unreachable: "));
}

TEST_CASE("a stream that has said its end is a reply though the connection stays open") {
  ModelServer server([](const ModelServer::Asked&, ModelServer::Answer& answer) {
    answer.say("done");
    answer.end();
    answer.wait(for_ever);
  });
  Service service;
  CHECK(answer(service, at(server), say("x")) == "done");
}

TEST_CASE("a reply without end is cut off, and an empty one is none") {
  ModelServer server([](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
    if (asked.text() == "nothing") return answer.end_of_body();
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 50 && answer.alive(); ++i) answer.say(megabyte);
    answer.end();
  });
  Service service;
  Model model = at(server);
  CHECK(answer(service, model, say("much")) == "too large: more than 16 MB");
  CHECK(answer(service, model, say("nothing")) == "cut off: the stream was empty");
}

TEST_CASE("a stream that ends before the reply began is asked for as a whole reply, which says why") {
  std::atomic<int> asked = 0;
  ModelServer server([&](const ModelServer::Asked& asked_for, ModelServer::Answer& answer) {
    ++asked;
    if (nlohmann::json::parse(asked_for.body).contains("stream")) return answer.end_of_body();
    if (asked_for.text() == "long")
      return answer.refuse(400, R"({"error":{"message":"This model's maximum context length is 2048 tokens."}})");
    answer.refuse(200, R"({"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]})");
  });
  Service service;
  const auto outcome = ask(service, at(server, 3), say("long")).outcome.get();
  CHECK(said(outcome) == "too long: HTTP 400: This model's maximum context length is 2048 tokens.");
  CHECK(std::get<Failure>(outcome).context == 2048);
  CHECK(asked == 2);
  CHECK(answer(service, at(server, 3), say("short")) == "whole");
  // The next request is streamed again.
  CHECK(answer(service, at(server, 1), say("short")) == "cut off: the stream was empty");
}

TEST_CASE("a call is cancelled while it waits, while it is sent, and while it waits to be repeated") {
  std::atomic<int> asked = 0;
  ModelServer server([&](const ModelServer::Asked& said, ModelServer::Answer& answer) {
    ++asked;
    if (said.text() == "busy") return answer.refuse(429, "", "30");
    answer.say("a");
    answer.wait(for_ever);
  });
  Service service;
  Model one = at(server, 3);
  one.limits.at_once = 1;
  auto sent = ask(service, one, say("x"));
  auto waiting = ask(service, one, say("y"));
  while (asked < 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  service.cancel(waiting.call);
  CHECK(said(waiting.outcome.get()) == "cancelled: cancelled");
  service.cancel(sent.call);
  CHECK(said(sent.outcome.get()) == "cancelled: cancelled");
  std::promise<void> refused;
  models::Asking asking;
  asking.on_retry = [&](const Failure&, double) { refused.set_value(); };
  auto later = ask(service, one, say("busy"), asking);
  refused.get_future().wait();
  service.cancel(later.call);
  CHECK(said(later.outcome.get()) == "cancelled: cancelled");
  service.cancel(later.call);
  CHECK(asked == 2);
}

TEST_CASE("many at once on one thread, and a service that goes away in the middle says nothing more") {
  std::atomic<int> alive = 0, most = 0;
  ModelServer server([&](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
    most = std::max(most.load(), ++alive);
    answer.say(asked.text());
    if (asked.text() == "long") answer.wait(for_ever);
    // Nobody is answered before nine have asked.
    for (int i = 0; most <= 8 && i < 12'000; ++i) answer.wait(0.02);
    --alive;
    answer.end();
  });
  std::vector<Asked> calls;
  {
    Service service;
    for (int i = 0; i < 40; ++i) calls.push_back(ask(service, at(server), say(std::to_string(i))));
    for (int i = 0; i < 40; ++i) CHECK(said(calls[static_cast<std::size_t>(i)].outcome.get()) == std::to_string(i));
    calls.push_back(ask(service, at(server), say("long")));
  }
  CHECK(most > 8);
  CHECK_THROWS_AS(calls.back().outcome.get(), std::future_error);
}

TEST_CASE("a key is not shown while it is said, wherever its pieces are cut") {
  ModelServer server([](const ModelServer::Asked&, ModelServer::Answer& answer) {
    for (const char* piece : {"the key: sk-se", "cret-", "1234 an", "d sk-se", "e"}) answer.say(piece);
    answer.end();
  });
  Service service;
  Model model = at(server);
  model.endpoint.key = "sk-secret-1234";
  std::mutex mutex;
  std::string shown;
  models::Asking asking;
  asking.on_text = [&](std::string_view text) {
    const std::lock_guard lock(mutex);
    shown += text;
  };
  const std::string whole = said(ask(service, model, say("x"), asking).outcome.get());
  CHECK(whole == "the key: [redacted: m key] and sk-see");
  const std::lock_guard lock(mutex);
  CHECK(shown == whole);
}

TEST_CASE("a use of fewer tokens than the texts can be counts as not stated") {
  ModelServer server([](const ModelServer::Asked&, ModelServer::Answer& answer) {
    answer.say("right");
    answer.end();  // States 15 tokens, which are at most 240 bytes.
  });
  Service service;
  for (const auto& [bytes, known] : {std::pair(230, true), std::pair(260, false)}) {
    const auto outcome = ask(service, at(server), say(std::string(bytes, 'x'))).outcome.get();
    REQUIRE(std::holds_alternative<models::Reply>(outcome));
    CHECK(std::get<models::Reply>(outcome).usage.known == known);
  }
}

TEST_CASE("texts are embedded in bounded batches, one after the other, in their order") {
  std::atomic<int> asked = 0, most = 0;
  ModelServer server([&](const ModelServer::Asked& asked_for, ModelServer::Answer& answer) {
    if (++asked == 2) return answer.refuse(503, "later");
    const auto body = nlohmann::json::parse(asked_for.body);
    CHECK(asked_for.path == "/embeddings");
    CHECK(body.at("model") == "e-1");
    most = std::max<int>(most, static_cast<int>(body.at("input").size()));
    nlohmann::json data = nlohmann::json::array();
    for (const auto& text : body.at("input"))
      data.push_back({{"index", data.size()}, {"embedding", {std::stof(text.get<std::string>()), 0.5}}});
    answer.refuse(200, nlohmann::json({{"data", data}, {"usage", {{"prompt_tokens", data.size()}}}}).dump());
  });
  Service service;
  std::vector<std::string> texts;
  for (int i = 0; i < 150; ++i) texts.push_back(std::to_string(i));
  const auto embed = [&](const Model& model, std::vector<std::string> what) {
    std::promise<std::variant<models::Embedded, Failure>> ended;
    service.embed(model, "e-1", std::move(what), [&](auto outcome) { ended.set_value(std::move(outcome)); });
    return ended.get_future().get();
  };
  const auto outcome = embed(at(server, 3), texts);
  REQUIRE(std::holds_alternative<models::Embedded>(outcome));
  const auto& embedded = std::get<models::Embedded>(outcome);
  REQUIRE(embedded.vectors.size() == 150);
  for (std::size_t i = 0; i < 150; ++i) CHECK(embedded.vectors[i] == std::vector<float>{static_cast<float>(i), 0.5f});
  CHECK((embedded.usage.known && embedded.usage.input == 150));
  CHECK(asked == 4);  // Three batches, of which one came twice.
  CHECK(most == 64);
  asked = 10;
  CHECK(std::get<models::Embedded>(embed(at(server), {"1" + std::string(200000, ' '), "2" + std::string(200000, ' ')}))
            .vectors.size() == 2);
  CHECK(asked == 12);
  CHECK(std::get<models::Embedded>(embed(at(server), {})).vectors.empty());
  Model other = at(server);
  other.endpoint.api = models::Protocol::anthropic;
  CHECK(std::get<Failure>(embed(other, {"1"})).kind == Failure::Kind::refused);
}

TEST_CASE("an embedding that fails hides the key and says why") {
  ModelServer server([&](const ModelServer::Asked&, ModelServer::Answer& answer) {
    answer.refuse(401, R"({"error":{"message":"no such key: sk-secret-1234"}})");
  });
  Service service;
  Model model = at(server, 3);
  model.endpoint.key = "sk-secret-1234";
  std::promise<std::variant<models::Embedded, Failure>> ended;
  service.embed(model, "e", {"1"}, [&](auto outcome) { ended.set_value(std::move(outcome)); });
  CHECK(std::get<Failure>(ended.get_future().get()).message == "HTTP 401: no such key: [redacted: m key]");
}
