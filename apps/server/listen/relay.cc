#include "apps/server/listen/relay.h"

#include <array>

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include "apps/server/api/answers.h"
#include "apps/server/protocol/protocol.h"

namespace server {

namespace {

/// A command waits for the kernel's present work, and a new study for its workspace.
constexpr int patience_s = 600;

/// What this server answers itself: who may enter, streams of events, a run that is tried while its client waits, and
/// what depends on who asks: its owner trusts those who reach its socket.
bool is_own(const Route& route) {
  return route.pattern == "/session" || route.pattern == "/link" || route.pattern == "/artifacts/contents" ||
         route.pattern == "/artifacts/file" || route.pattern == "/artifacts/find" ||
         route.pattern == "/artifacts/ask" || route.pattern == "/try" || route.type == "text/event-stream";
}

/// Headers of an answer that the other connection needs in its own way.
bool is_of_connection(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array own = {"connection", "keep-alive",       "transfer-encoding", "content-length",
                              "date",       "content-encoding", "accept-ranges",     "content-type"};
  return std::ranges::find(own, name) != own.end();
}

}  // namespace

Relay::Relay(session::Session& reading, AccessControl& access)
    : api_(reading, &access), home_(reading.home().root), owner_(home_) {
  api_.look_policy = LookPolicy::recorded_before;
}

void Relay::follow() {
  session::Feed& feed = api_.session.feed();
  const std::int64_t last = memory::Reader(home_).last_event();
  owner_.follow_all(
      last,
      [&] {
        feed.advance();
        return !stopped_;
      },
      [&](const std::string& study, const std::string& line, const std::string& text) { feed.say(study, line, text); });
  // What it stored before it left.
  feed.advance();
}

void Relay::stop() {
  stopped_ = true;
  owner_.stop();
}

void Relay::answer(const Route& route, const Request& request, Response& response) {
  if (is_own(route)) return handle(route, api_, request, response);
  forward(request, response);
  // The owner has refused it or recorded the look; the log is followed here.
  if (route.pattern == "/runs/{id}/log" && asks_for(request, "follow") && response.status == 200)
    handle(route, api_, request, response);
}

/// The target without `follow`: the owner answers with what there is.
std::string Relay::asked_at_once(const Request& request) {
  if (!asks_for(request, "follow")) return request.target;
  std::string query;
  for (const auto& [name, value] : request.params)
    if (name != "follow")
      query += (query.empty() ? "?" : "&") + name + "=" + httplib::detail::encode_query_param(value);
  return request.path + query;
}

void Relay::forward(const Request& request, Response& response) const {
  const SocketPath path(session::HomePaths{home_}.socket());
  httplib::Client owner(path.text(), 80);
  owner.set_address_family(AF_UNIX);
  owner.set_read_timeout(patience_s);
  owner.set_url_encode(false);                                       // The target is as it came.
  const httplib::Headers plain = {{"Accept-Encoding", "identity"}};  // It is compressed once, for the client.
  const httplib::Result answered = request.method == "POST"
                                       ? owner.Post(request.target, plain, request.body, "application/json")
                                       : owner.Get(asked_at_once(request), plain);
  if (answered.error() == httplib::Error::Read)
    return refuse(response,
                  kernel::Problem{"", 0, "home " + home_,
                                  fmt::format("the kernel that owns it gave no answer within {} s", patience_s),
                                  "look whether it was done before you ask again", true},
                  503);
  if (!answered)
    return refuse(response,
                  kernel::Problem{"", 0, "home " + home_, "the kernel that owns it does not answer",
                                  "ask again: it is ending or starting, and this server takes its place", true},
                  503);
  response.status = answered->status;
  for (const auto& [name, value] : answered->headers)
    if (!is_of_connection(name)) response.set_header(name, value);
  response.set_content(answered->body, answered->get_header_value("Content-Type"));
}

}  // namespace server
