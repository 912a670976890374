#include "apps/server/listen/socket_server.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <thread>

#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "apps/server/api/answers.h"
#include "apps/server/api/api.h"
#include "apps/server/http/connection.h"
#include "apps/server/http/workers.h"
#include "apps/server/protocol/protocol.h"

namespace server {

namespace {

constexpr std::size_t most_threads = 256;
constexpr std::chrono::milliseconds last_answers{300};

/// Closes every connection of the socket at `path`, so that a client that reads slowly or not at all does not block the
/// end.
void close_all(const std::string& path) {
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end; it.increment(error)) {
    const int fd = std::atoi(it->path().filename().c_str());
    sockaddr_un name{};
    socklen_t size = sizeof name;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 && name.sun_family == AF_UNIX &&
        path == std::string(name.sun_path, ::strnlen(name.sun_path, sizeof name.sun_path)))
      ::shutdown(fd, SHUT_RDWR);
  }
}

}  // namespace

struct SocketServer::Parts {
  Parts(session::Session& session, AccessControl* access) : api(session, access), path(session.home().socket()) {}

  Api api;
  SocketPath path;
  httplib::Server http;
  std::thread thread;
};

SocketServer::SocketServer(session::Session& session, AccessControl* access)
    : parts_(std::make_unique<Parts>(session, access)) {
  httplib::Server& http = parts_->http;
  http.new_task_queue = [] { return new Workers(most_threads); };
  http.set_address_family(AF_UNIX);
  http.set_payload_max_length(largest_body);
  http.set_keep_alive_max_count(1000);
  http.set_keep_alive_timeout(1);  // An idle client must not delay the end of this process.
  http.set_write_timeout(10);
  http.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (const auto refusal = refuses_framing(request)) {
      refuse(response, refusal->status, refusal->title, refusal->detail);
      response.set_header("Connection", "close");
      return httplib::Server::HandlerResponse::Handled;
    }
    // It is httplib's own variable, which it passes as const and uses to read the body afterwards.
    normalise_body_headers(const_cast<httplib::Request&>(request));
    return httplib::Server::HandlerResponse::Unhandled;
  });
  install(http, [&api = parts_->api](const Route& route, const httplib::Request& request, httplib::Response& response) {
    handle(route, api, request, response);
  });
  const std::string& path = parts_->path.text();
  ::unlink(path.c_str());
  // The home is private, so the socket must be private from the start.
  const mode_t before = ::umask(0177);
  const bool bound = http.bind_to_port(path, 80);
  ::umask(before);
  if (!bound) throw std::runtime_error(session.home().socket() + ": the socket cannot be made");
  parts_->thread = std::thread([&http] { http.listen_after_bind(); });
  while (!http.is_running()) std::this_thread::yield();
}

SocketServer::~SocketServer() {
  parts_->api.end_streams();
  parts_->http.stop();  // Closes event streams, too.
  std::promise<void> ended;
  std::thread impatient([this, end = ended.get_future()] {
    if (end.wait_for(last_answers) == std::future_status::timeout) close_all(parts_->path.text());
  });
  parts_->thread.join();
  ended.set_value();
  impatient.join();
  ::unlink(parts_->path.text().c_str());
}

}  // namespace server
