#include "apps/server/api/answers.h"

#include <algorithm>
#include <charconv>
#include <future>

#include "apps/server/protocol/protocol.h"
#include "apps/session/home/placed_artifact.h"
#include "kernel/domain/event.h"
#include "studyfile/yaml/scalars.h"

namespace server {

namespace {

constexpr std::chrono::seconds patience{30};

void send(Response& response, const json& document, int status, const char* type) {
  response.status = status;
  response.set_content(document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", type);
}

void send_problem(Response& response, const json& problem) {
  send(response, problem, problem.at("status"), "application/problem+json");
}

/// The names and values of the query. httplib's own list ends a value at its first `=`, but the value of
/// `where=kind=paper` contains one, and it also has what it takes for a form in the body.
std::vector<std::pair<std::string, std::string>> query_of_target(const Request& request) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string_view rest = request.target;
  rest.remove_prefix(std::min(rest.find('?'), rest.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view pair = rest.substr(0, rest.find('&'));
    const std::size_t sign = std::min(pair.find('='), pair.size());
    const auto decoded = [](std::string_view text) { return httplib::detail::decode_url(std::string(text), true); };
    if (!pair.empty())
      pairs.emplace_back(decoded(pair.substr(0, sign)), decoded(pair.substr(std::min(sign + 1, pair.size()))));
    rest.remove_prefix(pair.size());
  }
  return pairs;
}

double amount_in(const json& budget, const char* name) {
  if (!budget.at(name).is_number() || budget.at(name) <= 0)
    throw BadMember{std::string("budget.") + name, "a number above 0"};
  return budget.at(name);
}

}  // namespace

void answer(Response& response, const json& document, int status) {
  send(response, document, status, "application/json");
}

void answer_text(Response& response, std::string document) {
  response.status = 200;
  document += '\n';
  response.set_content(std::move(document), "application/json");
}

void refuse(Response& response, ProblemType type, const std::string& title, const std::string& detail) {
  json problem = {{"type", uri_of(type)}, {"title", title}, {"status", status_of(type)}};
  if (!detail.empty()) problem["detail"] = detail;
  send_problem(response, problem);
}

void refuse(Response& response, int status, const std::string& title, const std::string& detail) {
  json problem = {{"type", uri_of(type_of_status(status))}, {"title", title}, {"status", status}};
  if (!detail.empty()) problem["detail"] = detail;
  send_problem(response, problem);
}

void refuse(Response& response, const kernel::Problem& problem, int status) {
  send_problem(response, problem_body(problem, problem.machine ? 503 : status));
}

void refuse_member(Response& response, const BadMember& bad) {
  std::string pointer = "/" + bad.name;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  send_problem(response, {{"type", uri_of(ProblemType::invalid_member)},
                          {"title", "`" + bad.name + "` is not " + bad.wanted},
                          {"status", 422},
                          {"pointer", pointer}});
}

std::optional<json> body_of(const Request& request, Response& response) {
  if (request.body.empty()) return json::object();
  json body = json::parse(request.body, nullptr, false);
  if (body.is_object()) return body;
  refuse(response, 400, "the body is no JSON object");
  return std::nullopt;
}

std::string text_in(const json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return "";
  if (!found->is_string()) throw BadMember{name, "a text"};
  return *found;
}

std::vector<std::string> texts_in(const json& body, const char* name) {
  if (!body.contains(name)) return {};
  const json& list = body.at(name);
  if (!list.is_array() || !std::ranges::all_of(list, [](const json& one) { return one.is_string(); }))
    throw BadMember{name, "a list of texts"};
  for (const json& one : list)
    if (one.get_ref<const std::string&>().find('\0') != std::string::npos) throw BadMember{name, "texts without NUL"};
  return list.get<std::vector<std::string>>();
}

int integer_in(const json& body, const char* name, int low, int high) {
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return 0;
  if (!found->is_number_integer() || *found < low || *found > high)
    throw BadMember{name, "an integer from " + std::to_string(low) + " to " + std::to_string(high)};
  return *found;
}

std::optional<int> priority_in(const json& body) {
  if (!body.contains("priority") || body.at("priority").is_null()) return std::nullopt;
  return integer_in(body, "priority", kernel::least_priority, kernel::most_priority);
}

int number_in(const Request& request, const char* name, int otherwise, const char* wanted) {
  int value = otherwise;
  const std::string text = request.get_param_value(name);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size() || value < 0))
    throw BadParameter{name, wanted};
  return value;
}

bool asks_for(const Request& request, const char* name) {
  const std::string given = request.get_param_value(name);
  return request.has_param(name) && given != "false" && given != "0";
}

bool refused_unknown(const Request& request, const std::vector<std::string>& known, Response& response) {
  for (const auto& [name, value] : query_of_target(request)) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string hint = "there are no parameters here";
    if (!known.empty()) hint = "there are " + studyfile::listed(known);
    if (const auto near = studyfile::nearest(name, known)) hint = "did you mean `" + *near + "`?";
    refuse(response, ProblemType::unknown_parameter,
           "`" + studyfile::shown(name) + "` is no parameter of " + request.method + " " + request.path, hint);
    return true;
  }
  return false;
}

std::vector<std::string> values_of(const Request& request, const std::string& name) {
  std::vector<std::string> values;
  for (auto& [known, value] : query_of_target(request))
    if (known == name) values.push_back(std::move(value));
  return values;
}

std::vector<std::string> words_in(const Request& request, const char* name) {
  std::vector<std::string> words;
  std::string_view rest;
  const std::string text = request.get_param_value(name);
  for (rest = text; !rest.empty(); rest.remove_prefix(std::min(rest.size(), words.back().size() + 1)))
    words.emplace_back(rest.substr(0, rest.find(',')));
  return words;
}

bool newest_first(const Request& request) {
  const std::string order = request.get_param_value("order");
  const bool newest = order == "newest" || order == "desc";
  if (!newest && !order.empty() && order != "oldest" && order != "asc")
    throw BadParameter{"order", "`oldest`, `newest`, `asc` or `desc`"};
  return newest;
}

int page_limit(const Request& request) {
  constexpr const char* wanted = "a number from 1 on; more than 1000 count as 1000";
  const int limit = number_in(request, "limit", 100, wanted);
  if (limit < 1) throw BadParameter{"limit", wanted};
  return std::min(limit, 1000);
}

static json page_of(const Request& request, json list, std::size_t most) {
  const std::size_t before = std::min(static_cast<std::size_t>(number_in(request, "cursor", 0)), list.size());
  const std::size_t end = std::min(before + most, list.size());
  json items = json::array();
  for (std::size_t i = before; i < end; ++i) items.push_back(std::move(list[i]));
  return {{"items", std::move(items)},
          {"cursor", end < list.size() ? json(std::to_string(end)) : json()},
          {"total", list.size()}};
}

json page_of(const Request& request, json list) {
  return page_of(request, std::move(list), static_cast<std::size_t>(page_limit(request)));
}

json list_of(const Request& request, json list) {
  const std::size_t most =
      request.get_param_value("limit").empty() ? list.size() : static_cast<std::size_t>(page_limit(request));
  return page_of(request, std::move(list), most);
}

bool asks_for_page(const Request& request) {
  return request.has_param("limit") || request.has_param("cursor");
}

const char* type_of_file(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view ending = dot == path.npos ? "" : path.substr(dot + 1);
  if (ending == "png") return "image/png";
  if (ending == "jpg" || ending == "jpeg") return "image/jpeg";
  for (const char* text :
       {"txt", "log", "json", "jsonl", "csv", "tsv", "md", "yaml", "yml", "toml", "py", "patch", "diff"})
    if (ending == text) return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

std::optional<json> study_or_404(const memory::Reader& reader, const std::string& id, Response& response) {
  if (const auto document = reader.study(id)) return json::parse(*document);
  refuse(response, 404, "there is no study " + id);
  return std::nullopt;
}

std::optional<std::string> artifact_or_404(const memory::Reader& reader, const std::string& id, Response& response) {
  const auto study = study_or_404(reader, id, response);
  if (!study) return std::nullopt;
  const json& path = study->at("artifact");
  const auto replaced = session::artifact_replaced(reader, *study);
  if (path.is_string() && !replaced) return path.get<std::string>();
  if (replaced)
    refuse(response, 404, "another study's artifact has taken the place of this one's", *replaced);
  else
    refuse(response, 404, "the study has no artifact yet", "wait until it ends");
  return std::nullopt;
}

bool obey(Response& response, const std::function<std::optional<kernel::Problem>(kernel::Answer)>& ask, int status) {
  // Shared: the answer may come after we have given up waiting for it.
  auto promise = std::make_shared<std::promise<kernel::CommandOutcome>>();
  std::future<kernel::CommandOutcome> told = promise->get_future();
  const auto problem = ask([promise](const kernel::CommandOutcome& outcome) { promise->set_value(outcome); });
  if (problem) {
    refuse(response, *problem, status);
    return false;
  }
  promise.reset();
  try {
    if (told.wait_for(patience) != std::future_status::ready) {
      refuse(response, 503, "the kernel is busy", "ask again, and look whether it has been done");
      return false;
    }
    const kernel::CommandOutcome outcome = told.get();
    const std::string* why = kernel::why_not(outcome);
    if (!why) return true;
    refuse(response, 409, *why);
  } catch (const std::future_error&) {
    refuse(response, 503, "the kernel is leaving", "ask again: a waiting process takes its place");
  }
  return false;
}

std::optional<std::string> opened_by(Response& response,
                                     const std::function<kernel::Result<std::string>(kernel::Answer)>& open,
                                     int status) {
  std::string id;
  const bool done = obey(
      response,
      [&](kernel::Answer answered) -> std::optional<kernel::Problem> {
        auto opened = open(std::move(answered));
        if (!opened) return opened.problem();
        id = std::move(*opened);
        return std::nullopt;
      },
      status);
  return done ? std::optional(id) : std::nullopt;
}

std::optional<std::map<std::string, std::string>> environment_in(const json& body) {
  if (!body.contains("environment")) return std::nullopt;
  if (!body.at("environment").is_object()) throw BadMember{"environment", "an object of texts"};
  return body.at("environment").get<std::map<std::string, std::string>>();
}

kernel::Budget budget_in(const json& body) {
  kernel::Budget budget;
  if (!body.contains("budget")) return budget;
  if (!body.at("budget").is_object()) throw BadMember{"budget", "an object"};
  for (const auto& [name, amount] : body.at("budget").items()) {
    const double value = amount_in(body.at("budget"), name.c_str());
    if (name == "runs")
      budget.runs = static_cast<std::int64_t>(value);
    else if (name == "wall_s")
      budget.wall_s = value;
    else if (name == "usd")
      budget.usd = value;
    else if (name == "tokens")
      budget.tokens = static_cast<std::int64_t>(value);
    else if (name == "gpu_hours")
      budget.gpu_hours = value;
    else
      throw BadMember{"budget." + name, "a budget: there are runs, wall_s, usd, tokens and gpu_hours"};
  }
  return budget;
}

void answer_file(Response& response, std::string bytes, std::string_view path) {
  const bool drawing = path.ends_with(".svg");
  response.set_content(std::move(bytes), drawing ? "image/svg+xml" : type_of_file(path));
  // Opened by itself, it runs nothing and loads nothing.
  if (drawing)
    response.set_header("Content-Security-Policy",
                        "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'");
}

}  // namespace server
