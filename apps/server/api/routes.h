#pragma once
// The HTTP API under /api/v1 as one table of routes with their handlers and descriptions. Handlers run on the server's
// threads; they read through connections of their own and send commands to the kernel.

#include <vector>

#include "apps/server/api/route.h"

namespace httplib {
class Server;
}

namespace server {

const std::vector<Route>& routes();

// One list per subject; routes() joins them.
std::vector<Route> study_routes();
std::vector<Route> history_routes();
std::vector<Route> control_routes();
std::vector<Route> capture_routes();
std::vector<Route> run_routes();
std::vector<Route> artifact_routes();
std::vector<Route> event_routes();
std::vector<Route> entry_routes();

/// Adds every route to the server, and an answer for unknown paths. The Api must outlive it.
void install(httplib::Server&, Api&);

}  // namespace server
