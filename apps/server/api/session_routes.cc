#include "apps/server/access/access.h"
#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/api/routes.h"

namespace server {

namespace {

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
  if (!api.access) return refuse(response, 409, "whoever may use the socket needs no session");
  const auto cookie = api.access->admit(text_in(*body, "code"), text_in(*body, "token"));
  if (!cookie)
    return refuse(response, 401, "this opens nothing (any more)", "`etude serve --link` prints a link that does");
  response.set_header("Set-Cookie", *cookie);
  answer(response, place(api));
}

void one_time_link(Api& api, const Request&, Response& response) {
  if (!api.access) return refuse(response, 409, "this kernel serves no page", "`etude serve` does");
  answer(response, {{"link", api.access->one_time_link()}, {"address", api.access->address()}}, 201);
}

}  // namespace

std::vector<Route> entry_routes() {
  return {{"GET", "/session", "whether the asker is let in, and where to", show_session},
          {"POST", "/session", "a session for a one-time code or the token", begin_session},
          {"POST", "/link", "a link that opens the page once", one_time_link, {}, "application/json", 201}};
}

}  // namespace server
