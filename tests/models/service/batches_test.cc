// Requests in batches, over HTTP against a provider that a test scripts.
#include <atomic>
#include <future>
#include <map>
#include <mutex>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/service/service.h"
#include "tests/fakes/model_server.h"

namespace in_batches {

using fakes::ModelServer;
using models::BatchOutcome;
using models::BatchTicket;
using models::Failure;
using models::Model;
using models::ModelOutcome;
using models::Protocol;
using models::Request;
using models::Service;
using nlohmann::json;

namespace {

/// A provider with one batch at a time: what it says at each address, by the number of requests there before.
class Provider {
 public:
  using Words = std::function<std::pair<int, std::string>(int before)>;

  explicit Provider(std::map<std::string, Words> script)
      : script_(std::move(script)), server([this](const ModelServer::Asked& asked, ModelServer::Answer& answer) {
          const std::string line = asked.headers.substr(0, asked.headers.find(' ')) + " " + asked.path;
          std::pair<int, std::string> said{404, R"({"error":{"message":"no such address"}})"};
          {
            const std::lock_guard lock(mutex_);
            const int before = asked_[line]++;
            bodies_[line] = asked.body;
            headers_[line] = asked.headers;
            if (const auto known = script_.find(line); known != script_.end()) said = known->second(before);
          }
          said.first == 200 ? answer.reply(said.second) : answer.refuse(said.first, said.second);
        }) {}

  int asked(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(line);
    return found == asked_.end() ? 0 : found->second;
  }
  std::string body(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return bodies_.at(line);
  }
  std::string headers(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return headers_.at(line);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Words> script_;
  std::map<std::string, int> asked_;
  std::map<std::string, std::string> bodies_, headers_;

 public:
  ModelServer server;  ///< The last member, so that it ends first.
};

Provider::Words always(std::string body, int status = 200) {
  return [=](int) { return std::pair(status, body); };
}

Provider::Words after(int looks, std::string then) {
  return [=](int before) { return std::pair(200, before < looks ? R"({"id":"b1","status":"in_progress"})" : then); };
}

const std::string completed = R"({"id":"b1","status":"completed","output_file_id":"out"})";

std::string line_of(int status, const json& body) {
  return json{{"custom_id", "etude"}, {"response", {{"status_code", status}, {"body", body}}}, {"error", nullptr}}
             .dump() +
         "\n";
}

json replying(const std::string& text) {
  return {{"id", "r"},
          {"choices", {{{"index", 0}, {"finish_reason", "stop"}, {"message", {{"content", text}}}}}},
          {"usage", {{"prompt_tokens", 40}, {"completion_tokens", 5}}}};
}

/// OpenAI's addresses; what is given takes the place of the usual.
std::map<std::string, Provider::Words> openai(std::map<std::string, Provider::Words> own = {}) {
  own.insert({{"POST /files", always(R"({"id":"f1"})")},
              {"POST /batches", always(R"({"id":"b1","status":"validating"})")},
              {"GET /batches/b1", after(2, completed)},
              {"GET /files/out/content", always(line_of(200, replying("by batch")))},
              {"POST /batches/b1/cancel", always(R"({"id":"b1","status":"cancelling"})")}});
  return own;
}

Model at(const Provider& provider, Protocol api = Protocol::openai) {
  Model model;
  model.name = "m";
  model.endpoint.api = api;
  model.endpoint.base_url = provider.server.url();
  model.endpoint.key = "sk-secret-1234";
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
  std::future<BatchOutcome> outcome;
  std::uint64_t call = 0;
};

Asked ask(Service& service, const Model& model, Request request, models::BatchAsking asking = {}) {
  auto promise = std::make_shared<std::promise<BatchOutcome>>();
  if (asking.patience_s == 0) asking.patience_s = 240;
  asking.pace = {0.01, 0.05, 0.5};
  if (!asking.on_submitted) asking.on_submitted = [](const BatchTicket&) {};
  asking.on_end = [promise](BatchOutcome outcome) { promise->set_value(std::move(outcome)); };
  Asked asked{promise->get_future(), 0};
  asked.call = service.ask_in_batch(model, std::move(request), std::move(asking));
  return asked;
}

std::string said(const BatchOutcome& outcome) {
  if (const auto* missed = std::get_if<models::BatchMissed>(&outcome))
    return fmt::format("missed{}: {}", missed->maybe_paid ? ", maybe paid" : "", missed->why);
  if (const auto* left = std::get_if<models::BatchLeft>(&outcome)) return "left: " + left->failure.message;
  const auto& answered = std::get<ModelOutcome>(outcome);
  if (const auto* failure = std::get_if<Failure>(&answered))
    return fmt::format("{}: {}", models::name(failure->kind), failure->message);
  return std::get<models::Reply>(answered).text;
}

std::string answer(Service& service, const Model& model, models::BatchAsking asking = {}) {
  return said(ask(service, model, say("hello"), std::move(asking)).outcome.get());
}

}  // namespace

TEST_CASE("a request in a batch is submitted once, and its reply is that of the batch") {
  Provider provider(openai());
  Service service;
  std::vector<BatchTicket> tickets;
  models::BatchAsking asking;
  asking.on_submitted = [&](const BatchTicket& ticket) { tickets.push_back(ticket); };
  const BatchOutcome outcome = ask(service, at(provider), say("hello"), asking).outcome.get();
  CHECK(said(outcome) == "by batch");
  CHECK(std::get<models::Reply>(std::get<ModelOutcome>(outcome)).usage.input == 40);
  REQUIRE(tickets.size() == 1);
  CHECK(tickets[0].id == "b1");
  CHECK(tickets[0].service == provider.server.url());
  CHECK(provider.body("POST /files").find(R"("content":"hello")") != std::string::npos);
  CHECK(provider.body("POST /files").find(R"("stream")") == std::string::npos);
  CHECK(json::parse(provider.body("POST /batches")).at("input_file_id") == "f1");
  CHECK(provider.headers("GET /files/out/content").find("Bearer sk-secret-1234") != std::string::npos);
  CHECK((provider.asked("POST /files") == 1 && provider.asked("POST /batches") == 1));
  CHECK(provider.asked("GET /batches/b1") == 3);
  CHECK(provider.asked("POST /batches/b1/cancel") == 0);
}

TEST_CASE("Anthropic's results are read at its own host, whatever address it states") {
  std::atomic<int> elsewhere = 0;
  ModelServer evil([&](const ModelServer::Asked&, ModelServer::Answer& answer) {
    ++elsewhere;
    answer.reply("{}");
  });
  const json message = {{"content", {{{"type", "text"}, {"text", "by batch"}}}},
                        {"stop_reason", "end_turn"},
                        {"usage", {{"input_tokens", 40}, {"output_tokens", 5}}}};
  const json line = {{"custom_id", "etude"}, {"result", {{"type", "succeeded"}, {"message", message}}}};
  const json ended = {{"id", "m1"}, {"processing_status", "ended"}, {"results_url", evil.url() + "/results"}};
  Provider provider({{"POST /v1/messages/batches", always(R"({"id":"m1","processing_status":"in_progress"})")},
                     {"GET /v1/messages/batches/m1", always(ended.dump())},
                     {"GET /v1/messages/batches/m1/results", always(line.dump())}});
  Service service;
  CHECK(answer(service, at(provider, Protocol::anthropic)) == "by batch");
  CHECK(elsewhere == 0);
  const json order = json::parse(provider.body("POST /v1/messages/batches"));
  CHECK(order.at("requests").size() == 1);
  CHECK(order["requests"][0]["params"]["messages"][0]["role"] == "user");
}

TEST_CASE("a server without a batch API says so once, and is not asked for a batch again") {
  Provider provider({});
  Service service;
  const std::string words = "missed: its batch API refused the request: HTTP 404: no such address";
  CHECK(answer(service, at(provider)) == words);
  CHECK(answer(service, at(provider)) == words);
  CHECK(provider.asked("POST /files") == 1);
}

TEST_CASE("a refused batch is missed, and the next one is tried") {
  Provider provider(openai({{"POST /batches", [](int before) {
                               return before == 0 ? std::pair(400, std::string(R"({"error":{"message":"too many"}})"))
                                                  : std::pair(200, std::string(R"({"id":"b1"})"));
                             }}}));
  Service service;
  CHECK(answer(service, at(provider)) == "missed: its batch API refused the request: HTTP 400: too many");
  CHECK(answer(service, at(provider)) == "by batch");
}

TEST_CASE("a batch that ends without a reply is missed, in the provider's words") {
  const auto ending = [](const std::string& batch, const std::string& file = "{}") {
    Provider provider(openai({{"GET /batches/b1", always(batch)}, {"GET /files/err/content", always(file)}}));
    Service service;
    return answer(service, at(provider));
  };
  CHECK(ending(R"({"id":"b1","status":"failed","errors":{"data":[{"message":"no batches for m"}]}})") ==
        "missed: batch b1 failed: no batches for m");
  CHECK(
      ending(
          R"({"id":"b1","status":"expired","error_file_id":"err"})",
          R"({"custom_id":"etude","response":null,"error":{"code":"batch_expired","message":"It took too long."}})") ==
      "missed: batch b1 expired: It took too long.");
  CHECK(ending(R"({"id":"b1","status":"cancelled"})") == "missed: batch b1 cancelled");
}

TEST_CASE("a refused request in a batch is a failure as over HTTP, and teaches") {
  const auto refusing = [](const std::string& message) {
    return line_of(400, {{"error", {{"message", message}, {"type", "invalid_request_error"}}}});
  };
  std::atomic<int> read = 0;
  Provider provider(openai({{"GET /files/out/content", [&](int before) {
                               ++read;
                               return std::pair(200, before == 0 ? refusing("`temperature` is not supported")
                                                                 : line_of(200, replying("without it")));
                             }}}));
  Service service;
  std::vector<std::string> learnt;
  int submitted = 0;
  models::BatchAsking asking;
  asking.on_learnt = [&](std::string what) { learnt.push_back(std::move(what)); };
  asking.on_submitted = [&](const BatchTicket&) { ++submitted; };
  Request warm = say("hello");
  warm.temperature = 0.5;
  CHECK(said(ask(service, at(provider), warm, asking).outcome.get()) == "without it");
  CHECK(submitted == 2);
  REQUIRE(learnt.size() == 1);
  CHECK(learnt[0].find("it refuses `temperature`") == 0);
  CHECK(provider.body("POST /files").find("temperature") == std::string::npos);

  Provider small(
      openai({{"GET /files/out/content",
               always(refusing("This model's maximum context length is 4096 tokens, and you asked for 9000"))}}));
  const BatchOutcome outcome = ask(service, at(small), say("hello")).outcome.get();
  CHECK(std::get<Failure>(std::get<ModelOutcome>(outcome)).kind == Failure::Kind::too_long);
  CHECK(std::get<Failure>(std::get<ModelOutcome>(outcome)).context == 4096);
}

TEST_CASE("once the patience is over the batch is cancelled first, and what was served until then is read") {
  models::BatchAsking asking;
  asking.patience_s = 0.2;
  Service service;
  {
    std::atomic<bool> cancelled = false;
    Provider slow(openai({{"POST /batches/b1/cancel",
                           [&](int) {
                             cancelled = true;
                             return std::pair(200, std::string("{}"));
                           }},
                          {"GET /batches/b1", [&](int) {
                             return std::pair(200, std::string(cancelled ? R"({"id":"b1","status":"cancelled"})"
                                                                         : R"({"id":"b1","status":"in_progress"})"));
                           }}}));
    CHECK(answer(service, at(slow), asking) == "missed: batch b1 had no reply in time, and was cancelled");
    CHECK(slow.asked("POST /batches/b1/cancel") == 1);
  }
  {
    std::atomic<bool> cancelled = false;
    Provider late(openai({{"POST /batches/b1/cancel",
                           [&](int) {
                             cancelled = true;
                             return std::pair(409, std::string("{}"));
                           }},
                          {"GET /batches/b1", [&](int) {
                             return std::pair(200, cancelled ? completed : R"({"id":"b1","status":"finalizing"})");
                           }}}));
    CHECK(answer(service, at(late), asking) == "by batch");
  }
  Provider deaf(openai({{"GET /batches/b1", always(R"({"id":"b1","status":"cancelling"})")}}));
  CHECK(answer(service, at(deaf), asking) ==
        "missed, maybe paid: batch b1 had no reply in time, and it is not known whether it was cancelled");
}

TEST_CASE("a batch of an earlier program is taken up where it was submitted, and nothing is submitted again") {
  Provider provider(openai());
  Service service;
  models::BatchAsking asking;
  asking.ticket = BatchTicket{"b1", provider.server.url(), std::int64_t{1} << 50};
  CHECK(answer(service, at(provider), asking) == "by batch");
  CHECK((provider.asked("POST /files") == 0 && provider.asked("POST /batches") == 0));
  const int looks = provider.asked("GET /batches/b1");

  asking.ticket->service = "https://api.openai.com/v1";
  CHECK(answer(service, at(provider), asking) ==
        fmt::format("missed, maybe paid: batch b1 is at https://api.openai.com/v1, and the model is at {} now",
                    provider.server.url()));
  asking.ticket = BatchTicket{"../files", provider.server.url(), std::int64_t{1} << 50};
  CHECK(answer(service, at(provider), asking) == "missed, maybe paid: `../files` is no batch");
  CHECK(provider.asked("GET /batches/b1") == looks);

  Provider forgetful(openai({{"GET /batches/b1", always(R"({"error":{"message":"no batch b1"}})", 404)}}));
  asking.ticket = BatchTicket{"b1", forgetful.server.url(), std::int64_t{1} << 50};
  CHECK(answer(service, at(forgetful), asking) ==
        "missed, maybe paid: batch b1 cannot be looked at: HTTP 404: no batch b1");
}

TEST_CASE("a provider that is out of reach for a while is looked at again, and a wrong key leaves the batch") {
  Service service;
  Provider shaky(openai(
      {{"GET /batches/b1",
        [](int before) { return before < 3 ? std::pair(503, std::string("{}")) : std::pair(200, completed); }},
       {"GET /files/out/content", [](int before) {
          return before < 2 ? std::pair(500, std::string("{}")) : std::pair(200, line_of(200, replying("at last")));
        }}}));
  CHECK(answer(service, at(shaky)) == "at last");
  CHECK(shaky.asked("POST /batches") == 1);
  Provider locked(openai({{"GET /batches/b1", always(R"({"error":{"message":"no such key: sk-secret-1234"}})", 401)}}));
  CHECK(answer(service, at(locked)) == "left: HTTP 401: no such key: [redacted: m key]");
}

TEST_CASE("a submission that fails for a while is repeated, and a failure that stays is reported") {
  Service service;
  const std::string overloaded = R"({"error":{"message":"overloaded"}})";
  Provider shaky(openai({{"POST /files", [&](int before) {
                            return before == 0 ? std::pair(503, overloaded)
                                               : std::pair(200, std::string(R"({"id":"f1"})"));
                          }}}));
  std::vector<std::string> retries;
  models::BatchAsking asking;
  asking.on_retry = [&](const Failure& failure, double) { retries.push_back(failure.message); };
  CHECK(answer(service, at(shaky), asking) == "by batch");
  CHECK(retries == std::vector<std::string>{"HTTP 503: overloaded"});
  Provider down(openai({{"POST /files", always(overloaded, 503)}}));
  Model once = at(down);
  once.most_attempts = 1;
  CHECK(answer(service, once) == "server error: HTTP 503: overloaded");
}

TEST_CASE("who stops waiting leaves the batch, unless it is to be cancelled") {
  std::promise<void> submitted[2];
  Service service;
  for (const bool cancels : {false, true}) {
    std::promise<void> cancelled;
    Provider provider(openai({{"GET /batches/b1", always(R"({"id":"b1","status":"in_progress"})")},
                              {"POST /batches/b1/cancel", [&](int) {
                                 cancelled.set_value();
                                 return std::pair(200, std::string("{}"));
                               }}}));
    models::BatchAsking asking;
    asking.on_submitted = [&](const BatchTicket&) { submitted[cancels].set_value(); };
    Asked asked = ask(service, at(provider), say("hello"), asking);
    submitted[cancels].get_future().wait();
    cancels ? service.cancel_batch(asked.call) : service.cancel(asked.call);
    CHECK(said(asked.outcome.get()) == "left: cancelled");
    if (cancels)
      cancelled.get_future().wait();
    else
      CHECK(provider.asked("POST /batches/b1/cancel") == 0);
  }
}

}  // namespace in_batches
