#include "models/batches/batch_protocol.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "models/protocols/exchange.h"

namespace batch_protocol {

using models::Endpoint;
using models::HttpRequest;
using models::Protocol;
using nlohmann::json;
namespace batches = models::batches;

namespace {

Endpoint at(Protocol api, std::string base) {
  Endpoint endpoint;
  endpoint.api = api;
  endpoint.base_url = std::move(base);
  endpoint.key = "sk-1";
  return endpoint;
}

const Endpoint openai = at(Protocol::openai, "https://api.openai.com/v1");
const Endpoint anthropic = at(Protocol::anthropic, "https://api.anthropic.com");

std::string header(const HttpRequest& http, const std::string& name) {
  for (const auto& [known, value] : http.headers)
    if (known == name) return value;
  return "";
}

const json request_body = {{"model", "m"},
                           {"messages", {{{"role", "user"}, {"content", "a\n--etude-batch-file\n"}}}},
                           {"stream", true},
                           {"stream_options", {{"include_usage", true}}}};

}  // namespace

TEST_CASE("OpenAI's batch is a file of one line, then an order that names it") {
  const HttpRequest file = batches::upload(openai, request_body);
  CHECK(file.url == "https://api.openai.com/v1/files");
  CHECK(header(file, "Authorization") == "Bearer sk-1");
  CHECK(header(file, "Content-Type") == "multipart/form-data; boundary=etude-batch-file");
  const std::string begin =
      "--etude-batch-file\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
      "--etude-batch-file\r\nContent-Disposition: form-data; name=\"file\"; filename=\"etude.jsonl\"\r\n"
      "Content-Type: application/jsonl\r\n\r\n";
  REQUIRE(file.body.starts_with(begin));
  const std::string rest = file.body.substr(begin.size());
  REQUIRE(rest.ends_with("\n\r\n--etude-batch-file--\r\n"));
  CHECK(rest.find("\n--etude-batch-file") == rest.size() - std::string("\n--etude-batch-file--\r\n").size());
  const json line = json::parse(rest.substr(0, rest.find('\n')));
  CHECK(line == json{{"custom_id", "etude"},
                     {"method", "POST"},
                     {"url", "/v1/chat/completions"},
                     {"body", {{"model", "m"}, {"messages", request_body["messages"]}}}});

  const HttpRequest order = batches::creation(openai, request_body, "file-1");
  CHECK(order.url == "https://api.openai.com/v1/batches");
  CHECK(json::parse(order.body) ==
        json{{"input_file_id", "file-1"}, {"endpoint", "/v1/chat/completions"}, {"completion_window", "24h"}});
  const Endpoint responses = at(Protocol::responses, "http://h/v1?version=2");
  CHECK(json::parse(batches::creation(responses, request_body, "f").body).at("endpoint") == "/v1/responses");
  CHECK(batches::look(responses, "batch_1").url == "http://h/v1/batches/batch_1?version=2");
  CHECK(batches::look(responses, "batch_1").get);
  CHECK(batches::cancellation(responses, "batch_1").url == "http://h/v1/batches/batch_1/cancel?version=2");
}

TEST_CASE("Anthropic's batch holds its requests, and no file is uploaded") {
  CHECK(batches::uploads(openai));
  CHECK_FALSE(batches::uploads(anthropic));
  const HttpRequest order = batches::creation(anthropic, request_body, "");
  CHECK(order.url == "https://api.anthropic.com/v1/messages/batches");
  CHECK(header(order, "x-api-key") == "sk-1");
  CHECK(header(order, "anthropic-version") == "2023-06-01");
  CHECK(json::parse(order.body) ==
        json{{"requests", json::array({{{"custom_id", "etude"},
                                        {"params", {{"model", "m"}, {"messages", request_body["messages"]}}}}})}});
  CHECK(batches::look(anthropic, "msgbatch_1").url == "https://api.anthropic.com/v1/messages/batches/msgbatch_1");
}

TEST_CASE("a batch is over in four ways, and names the files of its results") {
  using Files = std::vector<std::string>;
  const auto view = [](const json& batch) { return *batches::view_of(openai, batch.dump()); };
  for (const char* status : {"validating", "in_progress", "finalizing", "cancelling", "of another day"})
    CHECK_FALSE(view({{"id", "b"}, {"status", status}, {"output_file_id", "f"}}).over);
  const auto done = view({{"id", "b"}, {"status", "completed"}, {"output_file_id", "f-1"}, {"error_file_id", nullptr}});
  CHECK(done.over);
  CHECK(done.results == Files{"https://api.openai.com/v1/files/f-1/content"});
  CHECK(view({{"id", "b"}, {"status", "expired"}, {"error_file_id", "e"}}).results ==
        Files{"https://api.openai.com/v1/files/e/content"});
  const auto failed =
      view({{"id", "b"}, {"status", "failed"}, {"errors", {{"data", {{{"message", "the model\nhas no batches"}}}}}}});
  CHECK((failed.over && failed.results.empty()));
  CHECK(failed.why == "failed: the model has no batches");
  CHECK(view({{"id", "b"}, {"status", "cancelled"}}).why == "cancelled");
  CHECK_FALSE(batches::view_of(openai, "<html>"));
  CHECK_FALSE(batches::view_of(openai, R"({"status":"completed"})"));
}

TEST_CASE("an id or an address that leads elsewhere is not followed") {
  for (const char* id : {"", "a/b", "../files", "a?b", "a b", "a%2f"}) CHECK_FALSE(batches::is_id(id));
  CHECK(batches::is_id("msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d"));
  CHECK(batches::id_in(R"({"id":"file/../../models"})").empty());
  CHECK(batches::view_of(openai, R"({"id":"b","status":"completed","output_file_id":"../x"})")->results.empty());

  const auto results = [](const std::string& url) {
    const json batch = {{"id", "m-1"}, {"processing_status", "ended"}, {"results_url", url}};
    return batches::view_of(anthropic, batch.dump())->results.at(0);
  };
  const std::string own = "https://api.anthropic.com/v1/messages/batches/m-1/results";
  CHECK(results("https://api.anthropic.com/v2/results/7?a=b") == "https://api.anthropic.com/v2/results/7?a=b");
  for (const char* url :
       {"https://evil.example/r", "http://api.anthropic.com/r", "https://api.anthropic.com.evil.example/r",
        "https://api.anthropic.com@evil.example/r", "https://api.anthropic.com:444/r", "https://api.anthropic.com",
        "//api.anthropic.com/r", "", "https://api.anthropic.com/a\r\nx: y"})
    CHECK(results(url) == own);
  CHECK_FALSE(batches::view_of(anthropic, R"({"id":"m","processing_status":"canceling"})")->over);
}

TEST_CASE("a result is the reply or the error as it would have been over HTTP") {
  const auto openai_line = [](const std::string& rest) {
    return batches::result_in(Protocol::openai, R"({"custom_id":"other"})"
                                                "\n\n"
                                                R"({"id":"x","custom_id":"etude",)" +
                                                    rest + "}\n");
  };
  const auto served = openai_line(R"("response":{"status_code":200,"body":{"z":1,"a":"é"}},"error":null)");
  REQUIRE(served);
  CHECK(served->status == 200);
  CHECK(served->body == R"({"z":1,"a":"é"})");
  const auto refused =
      openai_line(R"("response":{"status_code":400,"body":{"error":{"message":"no temperature"}}},"error":null)");
  CHECK(refused->status == 400);
  CHECK(refused->body == R"({"error":{"message":"no temperature"}})");
  const auto expired = openai_line(R"("response":null,"error":{"code":"batch_expired","message":"It took too long."})");
  CHECK(expired->status == 0);
  CHECK(expired->body == "It took too long.");
  CHECK_FALSE(batches::result_in(Protocol::openai, "not JSON\n"));
  CHECK_FALSE(batches::result_in(Protocol::openai, ""));

  const auto anthropic_line = [](const std::string& result) {
    return batches::result_in(Protocol::anthropic, R"({"custom_id":"etude","result":)" + result + "}");
  };
  CHECK(anthropic_line(R"({"type":"succeeded","message":{"z":1,"a":2}})")->body == R"({"z":1,"a":2})");
  const auto errored = anthropic_line(
      R"({"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"m"}}})");
  CHECK(errored->status == 400);
  CHECK(json::parse(errored->body).at("error").at("message") == "m");
  CHECK(anthropic_line(R"({"type":"errored","error":{"type":"error","error":{"type":"overloaded_error"}}})")->status ==
        529);
  CHECK(anthropic_line(R"({"type":"expired"})")->status == 0);
  CHECK(anthropic_line(R"({"type":"canceled"})")->body == "canceled");
}

}  // namespace batch_protocol
