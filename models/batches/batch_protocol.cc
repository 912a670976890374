#include "models/batches/batch_protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/failure.h"
#include "models/protocols/dialect.h"
#include "models/protocols/exchange.h"

namespace models::batches {

using nlohmann::json;

namespace {

/// Names the request within its batch. Anthropic takes letters, digits, `-` and `_`, at most 64.
constexpr std::string_view own_id = "etude";

bool is_anthropic(Protocol api) {
  return api == Protocol::anthropic;
}

std::string batches_url(const Endpoint& endpoint, std::string_view rest = "") {
  std::string path = is_anthropic(endpoint.api) ? path_of(endpoint) + "/batches" : "/batches";
  return url_at(endpoint, path.append(rest));
}

HttpRequest posted(const Endpoint& endpoint, std::string url, std::string type, std::string body) {
  HttpRequest http = http_at(endpoint, std::move(url));
  http.headers.insert(http.headers.begin(), {"Content-Type", std::move(type)});
  http.body = std::move(body);
  return http;
}

HttpRequest got(const Endpoint& endpoint, std::string url) {
  HttpRequest http = http_at(endpoint, std::move(url));
  http.get = true;
  return http;
}

/// The path of the request within OpenAI's API, which does not depend on where that is served.
std::string served_at(const Endpoint& endpoint) {
  return "/v1" + path_of(endpoint);
}

/// Replies in a batch are not streamed.
json whole(json body) {
  body.erase("stream");
  body.erase("stream_options");
  return body;
}

/// Scheme, host and port.
std::string_view origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return "";
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

/// Whether the key may be sent to the address: it is on the server of the configuration, and holds nothing odd.
bool is_own(const Endpoint& endpoint, const std::string& url) {
  const std::string_view origin = origin_of(url);
  return !origin.empty() && origin == origin_of(endpoint.base_url) && url.size() > origin.size() &&
         url[origin.size()] == '/' && std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Whether it ended, and how in words; the status of a batch of OpenAI.
std::optional<std::string> ending_of(const json& batch, const std::string& status) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> endings{
      {{"completed", "completed without a reply"},
       {"failed", "failed"},
       {"expired", "expired"},
       {"cancelled", "cancelled"}}};
  const auto found = std::ranges::find(endings, status, [](const auto& one) { return one.first; });
  if (found == endings.end()) return std::nullopt;
  const json& errors = part_at(part_at(batch, "errors"), "data");
  const std::string said = errors.is_array() && !errors.empty() ? text_at(errors.front(), "message") : "";
  return std::string(found->second) + (said.empty() ? "" : ": " + one_line_of(said));
}

View openai_view(const Endpoint& endpoint, const json& batch) {
  View view;
  if (auto ending = ending_of(batch, text_at(batch, "status"))) {
    view.over = true;
    view.why = std::move(*ending);
    for (const char* key : {"output_file_id", "error_file_id"})
      if (const std::string file = text_at(batch, key); is_id(file))
        view.results.push_back(url_at(endpoint, "/files/" + file + "/content"));
  }
  return view;
}

View anthropic_view(const Endpoint& endpoint, const json& batch, const std::string& id) {
  View view;
  if (text_at(batch, "processing_status") != "ended") return view;
  view.over = true;
  view.why = "ended without a reply";
  // The address must not lead the key to another host; the API documents its own, too.
  const std::string stated = text_at(batch, "results_url");
  view.results.push_back(is_own(endpoint, stated) ? stated : batches_url(endpoint, "/" + id + "/results"));
  return view;
}

/// https://platform.claude.com/docs/en/api/errors
int status_of(const std::string& type) {
  static constexpr std::array<std::pair<std::string_view, int>, 9> statuses{{{"invalid_request_error", 400},
                                                                             {"authentication_error", 401},
                                                                             {"billing_error", 402},
                                                                             {"permission_error", 403},
                                                                             {"not_found_error", 404},
                                                                             {"request_too_large", 413},
                                                                             {"rate_limit_error", 429},
                                                                             {"timeout_error", 504},
                                                                             {"overloaded_error", 529}}};
  const auto found = std::ranges::find(statuses, type, [](const auto& one) { return one.first; });
  return found == statuses.end() ? 500 : found->second;
}

/// Replies keep the order of their members, because what is opaque goes back as it came.
std::string member_text(OrderedJson& object, const char* key) {
  return ordered_text(take_at(object, key));
}

BatchedReply openai_result(const json& line, OrderedJson ordered) {
  const json& response = part_at(line, "response");
  const auto status = static_cast<int>(std::min<std::int64_t>(count_at(response, "status_code"), 999));
  OrderedJson as_it_came = take_at(ordered, "response");
  if (status > 0) return {status, member_text(as_it_came, "body")};
  const json& error = part_at(line, "error");
  std::string said = one_line_of(text_at(error, "message"));
  if (said.empty()) said = one_line_of(text_at(error, "code"));
  return {0, said.empty() ? "it was not served" : said};
}

BatchedReply anthropic_result(const json& line, OrderedJson ordered) {
  const json& result = part_at(line, "result");
  const std::string type = text_at(result, "type");
  OrderedJson as_it_came = take_at(ordered, "result");
  if (type == "succeeded") return {200, member_text(as_it_came, "message")};
  if (type != "errored") return {0, type.empty() ? "it has no result" : one_line_of(type)};
  const json& error = part_at(result, "error");
  const json& inner = part_at(error, "error");
  return {status_of(text_at(inner.is_object() ? inner : error, "type")), member_text(as_it_came, "error")};
}

}  // namespace

bool uploads(const Endpoint& endpoint) {
  return !is_anthropic(endpoint.api);
}

HttpRequest upload(const Endpoint& endpoint, const json& body) {
  const json line{{"custom_id", own_id}, {"method", "POST"}, {"url", served_at(endpoint)}, {"body", whole(body)}};
  const std::string file = json_text(line) + "\n";
  // JSON on one line holds no line that begins with two dashes, so the boundary cannot stand in it.
  static constexpr std::string_view boundary = "etude-batch-file";
  std::string form = fmt::format(
      "--{0}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
      "--{0}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"etude.jsonl\"\r\n"
      "Content-Type: application/jsonl\r\n\r\n",
      boundary);
  form += file + fmt::format("\r\n--{}--\r\n", boundary);
  return posted(endpoint, url_at(endpoint, "/files"), fmt::format("multipart/form-data; boundary={}", boundary),
                std::move(form));
}

HttpRequest creation(const Endpoint& endpoint, const json& body, const std::string& file) {
  const json order =
      uploads(endpoint) ? json{{"input_file_id", file}, {"endpoint", served_at(endpoint)}, {"completion_window", "24h"}}
                        : json{{"requests", json::array({{{"custom_id", own_id}, {"params", whole(body)}}})}};
  return posted(endpoint, batches_url(endpoint), "application/json", json_text(order));
}

HttpRequest look(const Endpoint& endpoint, const std::string& id) {
  return got(endpoint, batches_url(endpoint, "/" + id));
}

HttpRequest cancellation(const Endpoint& endpoint, const std::string& id) {
  return posted(endpoint, batches_url(endpoint, "/" + id + "/cancel"), "application/json", "{}");
}

HttpRequest results(const Endpoint& endpoint, const std::string& url) {
  return got(endpoint, url);
}

bool is_id(const std::string& id) {
  constexpr std::size_t most = 200;
  return !id.empty() && id.size() <= most && id.find("..") == id.npos && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

std::string id_in(std::string_view body) {
  std::string id = text_at(lenient_json(body), "id");
  return is_id(id) ? id : "";
}

std::optional<View> view_of(const Endpoint& endpoint, std::string_view body) {
  const json batch = lenient_json(body);
  const std::string id = text_at(batch, "id");
  if (!is_id(id)) return std::nullopt;
  return is_anthropic(endpoint.api) ? anthropic_view(endpoint, batch, id) : openai_view(endpoint, batch);
}

std::optional<BatchedReply> result_in(Protocol api, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view text = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const json line = lenient_json(text);
    if (text_at(line, "custom_id") != own_id) continue;
    OrderedJson ordered = lenient_ordered(text);
    return is_anthropic(api) ? anthropic_result(line, std::move(ordered)) : openai_result(line, std::move(ordered));
  }
  return std::nullopt;
}

}  // namespace models::batches
