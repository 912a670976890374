#include "apps/server/api/api.h"

#include <chrono>
#include <regex>
#include <thread>

#include "apps/server/access/access.h"
#include "apps/server/api/answers.h"
#include "apps/server/http/ranges.h"
#include "apps/server/protocol/protocol.h"
#include "apps/session/home/blob_texts.h"

namespace server {

namespace {

constexpr std::chrono::milliseconds last_events_wait{1000};
/// Recollections on the pages before the one that is asked for.
constexpr int most_recalled = 1'000'000;

/// {id} matches one segment.
std::string expression(const std::string& pattern) {
  std::string out = api_root;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      out += pattern[i] == '.' ? "\\." : std::string(1, pattern[i]);
      continue;
    }
    out += "([^/]+)";
    i = pattern.find('}', i);
  }
  return out;
}

json machine_of(const kernel::Machine& machine) {
  json gpus = json::array();
  for (const kernel::AvailableGpu& gpu : machine.gpus)
    gpus.push_back({{"id", gpu.id}, {"memory_bytes", gpu.memory_bytes}, {"model", gpu.model}});
  return {{"cpus", machine.cpus}, {"memory_bytes", machine.memory_bytes}, {"gpus", std::move(gpus)}};
}

json loop_of(const kernel::Delays& delays) {
  return {{"median_ms", delays.median_ms}, {"p99_ms", delays.p99_ms}, {"worst_ms", delays.worst_ms}, {"of", delays.of}};
}

void health(Api& api, const Request&, Response& response) {
  // `studies`: those that this kernel works on.
  answer(response, {{"ok", true},
                    {"studies", api.session.in_hand()},
                    {"version", ETUDE_VERSION},
                    {"process", ::getpid()},
                    {"home", api.session.home().root},
                    {"executor", api.session.backend().name()},
                    {"page", api.access ? json(api.access->address()) : json()},
                    {"machine", machine_of(api.session.machine())},
                    {"loop", loop_of(api.session.delays())},
                    {"last_event", memory::Reader(api.session.home().root).last_event()}});
}

void forecasts(Api& api, const Request& request, Response& response) {
  json list = list_of(request, kernel::forecasts_shape(memory::Reader(api.session.home().root).forecasts()));
  list["forecasts"] = list.at("items");  // The older name of the list.
  answer(response, list);
}

/// `where`: KEY=VALUE, may be repeated. `cursor`: how many items were listed before.
void recall(Api& api, const Request& request, Response& response) {
  kernel::RecallQuery query;
  query.words = request.get_param_value("q");
  constexpr const char* wanted = "a number from 1 to 1000";
  const int limit = number_in(request, "limit", query.most, wanted);
  if (limit < 1 || limit > 1000) throw BadParameter{"limit", wanted};
  const int before = number_in(request, "cursor", 0);
  if (before > most_recalled) throw BadParameter{"cursor", "that of a page before"};
  query.most = before + limit + 1;  // One more tells whether there is another page.
  for (const std::string& where : values_of(request, "where")) {
    if (where.empty()) continue;
    if (const auto problem = kernel::narrow(query, where)) return refuse(response, *problem, 400);
  }
  auto found = memory::Reader(api.session.home().root).recall(query);
  const int all = static_cast<int>(found.size()), end = std::min(before + limit, all);
  const bool last = end == all;
  found.erase(found.begin() + end, found.end());
  found.erase(found.begin(), found.begin() + std::min(before, end));
  answer(response, {{"items", kernel::recollections_shape(found, query.words)},
                    {"cursor", last ? json() : json(std::to_string(end))},
                    {"total", last ? json(all) : json()}});
}

/// What a page may know about its server.
json place(Api& api) {
  return {{"version", ETUDE_VERSION},
          {"home", api.session.home().root},
          {"read_only", api.access && api.access->read_only()}};
}

void show_session(Api& api, const Request&, Response& response) {
  answer(response, place(api));
}

/// {"code"} or {"token"}: begins a session for the browser.
void begin_session(Api& api, const Request& request, Response& response) {
  const auto body = body_of(request, response);
  if (!body) return;
  if (!api.access) return refuse(response, 409, "a client of the socket needs no session");
  const auto cookie = api.access->admit(text_in(*body, "code"), text_in(*body, "token"));
  if (!cookie)
    return refuse(response, 401, "the code or token is not valid, or no longer",
                  "`etude serve --link` prints a link that does");
  response.set_header("Set-Cookie", *cookie);
  answer(response, place(api));
}

void one_time_link(Api& api, const Request&, Response& response) {
  if (!api.access) return refuse(response, 409, "this kernel serves no page", "`etude serve` does");
  answer(response, {{"link", api.access->one_time_link()}, {"address", api.access->address()}}, 201);
}

void metrics(Api& api, const Request&, Response& response) {
  response.set_content(api.session.exposition(), "text/plain; version=0.0.4; charset=utf-8");
}

void describe(Api&, const Request&, Response& response) {
  static const std::string description = description_of(routes()).dump();
  answer_text(response, description);
}

void list_problems(Api&, const Request& request, Response& response) {
  json items = json::array();
  for (const ProblemKind& kind : problem_kinds())
    items.push_back({{"type", uri_of(kind.type)}, {"status", kind.status}, {"meaning", kind.meaning}});
  answer(response, list_of(request, std::move(items)));
}

httplib::Server::Handler guarded(const Route& route, Api& api) {
  std::vector<std::string> known;
  for (const QueryParameter& one : route.query) known.push_back(one.name);
  return [&route, &api, known = std::move(known)](const Request& request, Response& response) {
    try {
      if (!refused_unknown(request, known, response)) route.handle(api, request, response);
    } catch (const BadMember& bad) {
      refuse_member(response, bad);
    } catch (const BadParameter& bad) {
      refuse(response, ProblemType::invalid_parameter, "`" + bad.name + "` is not " + bad.wanted);
    } catch (const json::exception& e) {
      refuse(response, 400, "the body cannot be read", e.what());
    } catch (const std::exception& e) {
      // A retry gets the same answer: the machine is at fault.
      refuse(response, kernel::Problem{"", 0, "", e.what(), "", true}, 503);
    }
  };
}

/// The methods that the path has a route for, as the Allow header lists them.
std::string methods_of(const std::string& path) {
  std::string methods;
  for (const Route& route : routes())
    if (std::regex_match(path, std::regex(expression(route.pattern))))
      methods += (methods.empty() ? "" : ", ") + route.method + (route.method == "GET" ? ", HEAD" : "");
  return methods;
}

httplib::Server::HandlerResponse refuse_unrouted(const Request& request, Response& response) {
  if (!response.body.empty()) return httplib::Server::HandlerResponse::Unhandled;
  if (response.status == 404)
    if (const std::string methods = methods_of(request.path); !methods.empty()) {
      response.set_header("Allow", methods);
      response.status = 405;
    }
  const char* title = response.status == 404   ? "this path does not exist"
                      : response.status == 405 ? "this method is not allowed here"
                      : response.status == 413 ? "the body is larger than 16 MB"
                      : response.status == 416 ? "the Range header cannot be understood"
                                               : "the request cannot be understood";
  refuse(response, response.status, title, request.method + " " + request.path);
  return httplib::Server::HandlerResponse::Handled;
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> joined = {
        {"GET", "/health", "whether the kernel answers, its home and machine", health},
        {"GET", "/forecasts", "how good each role's confidence was", forecasts, paging},
        {"GET", "/metrics", "what the kernel counts, in Prometheus' text format", metrics, {}, "text/plain"},
        {"GET", "/openapi.json", "this description (OpenAPI 3.1)", describe},
        {"GET", "/problems", "the kinds of refusals, and what each `type` means", list_problems, paging},
        {"GET",
         "/recall",
         "search the memory of all studies",
         recall,
         {{"q", "string", "words; without them the newest"},
          {"limit", "integer", "the most items: 10 by default, up to 1000"},
          {"cursor", "string", "the `cursor` of the previous page"},
          {"where", "string", "KEY=VALUE (study, kind or verdict); may be repeated"}}}};
    const std::vector<Route> entry = {{"GET", "/session", "whether the client has access, and to what", show_session},
                                      {"POST", "/session", "a session for a one-time code or the token", begin_session},
                                      creating({"POST", "/link", "a link that opens the page once", one_time_link})};
    for (const auto& part :
         {study_routes(), tag_routes(), history_routes(), control_routes(), run_routes(), log_routes(), cell_routes(),
          timeline_routes(), artifact_routes(), opened_routes(), event_routes(), conversation_routes(),
          planning_routes(), try_routes(), home_routes(), export_routes(), confirm_routes(), entry})
      joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }();
  return all;
}

Api::Api(session::Session& kernel, AccessControl* of_the_page)
    : session(kernel),
      access(of_the_page),
      history(kernel.home().root),
      events(kernel.home().root, kernel.feed()),
      conversations(kernel.home().root, session::blob_texts(kernel.home())) {}

void Api::end_streams() {
  session.feed().close();
  const auto deadline = std::chrono::steady_clock::now() + last_events_wait;
  while (streams > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void handle(const Route& route, Api& api, const Request& request, Response& response) {
  guarded(route, api)(request, response);
}

Response answer_of(Api& api, const std::string& path, const std::multimap<std::string, std::string>& query) {
  // Compiled once: a copy of the page asks thousands of times.
  static const std::vector<std::pair<std::regex, const Route*>> known = [] {
    std::vector<std::pair<std::regex, const Route*>> all;
    for (const Route& route : routes())
      if (route.method == "GET") all.emplace_back(expression(route.pattern), &route);
    return all;
  }();
  Request request;
  request.method = "GET";
  request.path = api_root + path;
  request.params = query;
  Response response;
  for (const auto& [pattern, route] : known) {
    if (!std::regex_match(request.path, request.matches, pattern)) continue;
    handle(*route, api, request, response);
    // As httplib does after a handler that sets none.
    if (response.status == -1) response.status = 200;
    return response;
  }
  refuse(response, 404, "this path does not exist", path);
  return response;
}

/// Reads the body, which may come in chunks without a length; what is too much is read and dropped. Returns whether it
/// was read; if not, the response says why.
static bool read_body(const Request& request, Response& response, const httplib::ContentReader& read) {
  constexpr std::size_t most_dropped = 1U << 30;
  if (request.is_multipart_form_data())  // No route takes one.
    return read([](const httplib::MultipartFormData&) { return true; }, [](const char*, std::size_t) { return true; });
  // httplib's own variable, which it passes as const and fills itself where it reads the body.
  std::string& body = const_cast<Request&>(request).body;
  std::size_t dropped = 0;
  const bool whole = read([&](const char* bytes, std::size_t size) {
    if (dropped == 0 && body.size() + size <= largest_body) {
      body.append(bytes, size);
      return true;
    }
    dropped += size;
    return dropped <= most_dropped;
  });
  if (dropped == 0) return whole;
  refuse(response, ProblemType::too_large, "the body is larger than 16 MB", request.method + " " + request.path);
  if (!whole) response.set_header("Connection", "close");
  return false;
}

/// Sends the part of the file that the request asks for.
static void send_range(Request& request, Response& response) {
  if (response.status != -1 && response.status != 200) return;
  response.set_header("Accept-Ranges", "bytes");
  switch (narrow_ranges(request, response.body)) {
    case SentPart::whole:
      response.status = 200;
      return;
    case SentPart::range:
      response.status = 206;
      response.set_header("ETag", entity_tag(response.body));
      request.headers.erase("Accept-Encoding");  // The range is of the bytes that are not compressed.
      return;
    case SentPart::nothing:
      response.set_header("Content-Range", "bytes */" + std::to_string(response.body.size()));
      response.headers.erase("Content-Disposition");
      refuse(response, ProblemType::range_not_satisfiable, "the file has none of the bytes that Range asks for",
             "it has " + std::to_string(response.body.size()));
  }
}

void install(httplib::Server& http, const RouteHandler& answer) {
  for (const Route& route : routes()) {
    const auto handler = [&route, answer](const Request& asked, Response& response) {
      Request& request = const_cast<Request&>(asked);  // httplib's own variable, by which it cuts the body.
      if (!route.ranges) request.ranges.clear();
      answer(route, request, response);
      if (route.ranges) send_range(request, response);
      if (!route.ranges && request.method == "HEAD") response.set_header("Accept-Ranges", "none");
    };
    if (route.method == "GET")
      http.Get(expression(route.pattern), handler);
    else
      http.Post(expression(route.pattern),
                [handler](const Request& request, Response& response, const httplib::ContentReader& read) {
                  if (read_body(request, response, read)) handler(request, response);
                });
  }
  http.set_error_handler(httplib::Server::HandlerWithResponse([](const Request& request, Response& response) {
    // httplib's own variable, by which it would cut a refusal into the ranges that were requested.
    const_cast<Request&>(request).ranges.clear();
    return refuse_unrouted(request, response);
  }));
}

}  // namespace server
