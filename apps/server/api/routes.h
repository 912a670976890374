#pragma once
// The HTTP API under /api/v1 as one table: what answers, to what, and in one line why. Handlers run on the server's
// threads; they read through connections of their own and send the kernel commands.

#include <vector>

#include "apps/server/api/route.h"

namespace httplib {
class Server;
}

namespace server {

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
