#pragma once
// The HTTP API under /api/v1 as one table of routes with their handlers and descriptions, and the context of the
// handlers: the assembled kernel, the access rules of the page, and the caches. Handlers run on the server's threads;
// they read through connections of their own and send commands to the kernel.

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/server/caches/caches.h"
#include "apps/server/caches/request_turns.h"
#include "apps/session/control/session.h"
#include "studyfile/load.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace server {

class AccessControl;
struct Api;

struct QueryParameter {
  std::string name, type, meaning;
};

struct Route {
  std::string method;   ///< GET or POST.
  std::string pattern;  ///< Below /api/v1, with {names}.
  std::string summary;
  void (*handle)(Api&, const httplib::Request&, httplib::Response&);
  std::vector<QueryParameter> query = {};
  std::string type = "application/json";  ///< Media type of the answer.
  int gives = 200;
  bool ranges = false;  ///< Whether clients may ask for part of the answer.
};

/// Of one request, in bytes.
inline constexpr std::size_t largest_body = 16U << 20;

/// The media type of routes that send events.
inline constexpr const char* stream_type = "text/event-stream";

/// The route, answering 201.
inline Route creating(Route route) {
  route.gives = 201;
  return route;
}

/// The route, whose answer is a file.
inline Route download(Route route) {
  route.ranges = true;
  return route;
}

/// The paging parameters of every list.
inline const std::vector<QueryParameter> paging = {{"limit", "integer", "the most items, up to 1000"},
                                                   {"cursor", "string", "the `cursor` of the previous page"}};

/// What happens to a person's look at values that are withheld.
enum class LookPolicy {
  recorded,
  recorded_before,  ///< By the owner of the home, which passes it on.
  refused,
};

/// Borrowed by handlers for the server's lifetime. `access`: of the page; null if none is served.
struct Api {
  explicit Api(session::Session& kernel, AccessControl* of_the_page = nullptr);
  session::Session& session;
  AccessControl* access;
  HistoryCache history;
  EventCache events;
  ComparisonCache comparisons;
  ConversationCache conversations;
  RequestTurns requests;
  std::mutex capturing;  ///< Two requests that start to capture work in one folder must open one study.
  std::mutex packaging;  ///< Two requests must not write one artifact.
  std::mutex caring;     ///< Held while the home or its machine is checked or backed up.
  std::mutex trying;     ///< Held while a run is tried.
  LookPolicy look_policy = LookPolicy::recorded;
  std::mutex looking;           ///< Guards `looks`.
  std::set<std::string> looks;  ///< Notes of looks that are recorded.
  std::atomic<int> streams{0};  ///< Number of clients that follow events, or wait for a try, at the moment.
  /// For a server that stops: waits until clients that follow events have read the last ones, and a tried run is dead,
  /// but not for long.
  void end_streams();
};

const std::vector<Route>& routes();

// One list per subject; routes() joins them.
std::vector<Route> study_routes();
std::vector<Route> tag_routes();
std::vector<Route> history_routes();
std::vector<Route> control_routes();
std::vector<Route> run_routes();
std::vector<Route> log_routes();
std::vector<Route> cell_routes();
std::vector<Route> timeline_routes();
std::vector<Route> artifact_routes();
std::vector<Route> opened_routes();
std::vector<Route> event_routes();
std::vector<Route> conversation_routes();
std::vector<Route> planning_routes();
std::vector<Route> try_routes();
std::vector<Route> home_routes();
std::vector<Route> export_routes();
std::vector<Route> confirm_routes();

/// The routes as an OpenAPI 3.1 document, with apps/server/schemas for requests and answers. Tests compare real answers
/// with it.
nlohmann::json description_of(const std::vector<Route>&);

/// A problem if the client asks, by "executor", for another executor than this kernel uses.
std::optional<kernel::Problem> another_executor(const Api&, const nlohmann::json& body);
/// The study file that the body names: {"path"}, or {"text","folder"}; also "agents". Throws BadMember.
kernel::Result<studyfile::Parsed> study_file_in(const Api&, const nlohmann::json& body,
                                                studyfile::Use = studyfile::Use::study);
/// A hypothesis that no allowed number of replicates can judge.
std::optional<kernel::Problem> hypothesis_without_verdict(const kernel::StudySpec&);
using ReadStart = std::function<kernel::Result<session::StartRequest>()>;
/// Starts the study that `read` returns. Reads "jobs", "environment" (the client's variables) and "request", a token of
/// the client: a second request with it and the same body gets the same study, without `read`. Answers 201 with the
/// study, or a problem.
void start_for(Api&, const httplib::Request&, const nlohmann::json& body, const ReadStart& read, httplib::Response&);
/// Answers 201 with the document of a study that is open now.
void answer_opened(Api&, const std::string& id, httplib::Response&);

/// The answer to a GET of `path`, below /api/v1, without a connection. Precondition: its handler needs of the session
/// only what one that reads has.
httplib::Response answer_of(Api&, const std::string& path, const std::multimap<std::string, std::string>& query = {});

/// Answers a request by the route's handler; what the handler throws becomes a problem.
void handle(const Route&, Api&, const httplib::Request&, httplib::Response&);

using RouteHandler = std::function<void(const Route&, const httplib::Request&, httplib::Response&)>;
/// Adds every route to the server, and an answer for unknown paths.
void install(httplib::Server&, const RouteHandler&);

}  // namespace server
