#pragma once
// The HTTP API under /api/v1 as one table: what answers, to what, and in one line why. Handlers run on the server's
// threads; they read through connections of their own and send the kernel commands.

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "apps/server/compared.h"
#include "apps/server/past.h"
#include "apps/server/tail.h"
#include "apps/session/session.h"

namespace httplib {
struct Request;
struct Response;
class Server;
}  // namespace httplib

namespace server {

inline constexpr char api_root[] = "/api/v1";

class Door;

/// What handlers work with; borrowed for the server's life. `door`: of the page; null where none is served.
struct Api {
  explicit Api(session::Session& kernel, Door* of_the_page = nullptr)
      : session(kernel), door(of_the_page), past(kernel.home().root), tail(kernel.home().root, kernel.feed()) {}
  session::Session& session;
  Door* door;
  Past past;
  Tail tail;
  Compared compared;
  std::mutex capturing;         ///< Two that begin to work in one folder begin one study.
  std::atomic<int> streams{0};  ///< How many follow events just now.
};

struct QueryParameter {
  std::string name, type, meaning;
};

struct Route {
  std::string method;   ///< GET or POST.
  std::string pattern;  ///< Below /api/v1, with {names}.
  std::string summary;
  void (*handle)(Api&, const httplib::Request&, httplib::Response&);
  std::vector<QueryParameter> query = {};
  std::string type = "application/json";  ///< Of the answer.
  int gives = 200;
};

/// How every list pages.
inline const std::vector<QueryParameter> paging = {{"limit", "integer", "at most that many, up to 1000"},
                                                   {"cursor", "string", "the one of the page before"}};

const std::vector<Route>& routes();

// One list per thing; routes() joins them.
std::vector<Route> study_routes();
std::vector<Route> history_routes();
std::vector<Route> control_routes();
std::vector<Route> capture_routes();
std::vector<Route> run_routes();
std::vector<Route> artifact_routes();
std::vector<Route> event_routes();
std::vector<Route> entry_routes();

/// Puts every route on the server, and answers for what is no route. The Api must outlive it.
void install(httplib::Server&, Api&);

}  // namespace server
