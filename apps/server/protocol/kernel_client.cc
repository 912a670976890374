#include "apps/server/protocol/kernel_client.h"

#include <atomic>

#include <httplib.h>
#include <sys/socket.h>

#include "apps/server/protocol/protocol.h"
#include "apps/session/home/home.h"
#include "models/sse.h"

namespace server {

namespace {

std::optional<KernelClient::Reply> reply_of(const httplib::Result& result) {
  if (!result) return std::nullopt;
  return KernelClient::Reply{result->status, nlohmann::json::parse(result->body, nullptr, false)};
}

std::optional<KernelClient::Reply> post_by(httplib::Client& client, const std::string& path,
                                           const nlohmann::json& body) {
  return reply_of(client.Post((api_root + path).c_str(),
                              body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "application/json"));
}

}  // namespace

struct KernelClient::Parts {
  Parts(const std::string& home, int patience_s)
      : path(session::HomePaths{home}.socket()), calls(path.text(), 80), streams(path.text(), 80) {
    for (httplib::Client* client : {&calls, &streams}) {
      client->set_address_family(AF_UNIX);
      client->set_read_timeout(patience_s);
    }
  }
  SocketPath path;
  httplib::Client calls, streams;
  std::atomic<bool> stopped{false};

  /// Reads a stream of events, as `follow` says.
  void read(const std::string& stream, std::int64_t after, const std::function<bool()>& news, const SaidIn& said);
};

KernelClient::KernelClient(const std::string& home, int patience_s)
    : parts_(std::make_unique<Parts>(home, patience_s)) {}
KernelClient::~KernelClient() = default;

std::optional<KernelClient::Reply> KernelClient::get(const std::string& path) {
  return reply_of(parts_->calls.Get((api_root + path).c_str()));
}

std::optional<KernelClient::Reply> KernelClient::post(const std::string& path, const nlohmann::json& body) {
  return post_by(parts_->calls, path, body);
}

std::optional<KernelClient::Reply> KernelClient::post_to(const std::string& address, const std::string& token,
                                                         const std::string& path, const nlohmann::json& body) {
  httplib::Client server(address);
  server.set_bearer_token_auth(token);
  return post_by(server, path, body);
}

void KernelClient::Parts::read(const std::string& stream, std::int64_t after, const std::function<bool()>& news,
                               const SaidIn& said) {
  const httplib::Headers headers = {{"Last-Event-ID", std::to_string(after)}};
  bool words = false, others = false;  // Kinds of the data that have just arrived.
  models::SseReader reader([&](std::string_view event, std::string_view data) {
    (event == "text" ? words : others) = true;
    const auto piece = event == "text" ? nlohmann::json::parse(data, nullptr, false) : nlohmann::json();
    if (said && piece.is_object()) said(piece.value("study", ""), piece.value("line", ""), piece.value("text", ""));
  });
  const std::string whole = api_root + stream + (said ? "?text=true" : "");
  streams.Get(whole.c_str(), headers, [&](const char* bytes, std::size_t size) {
    words = others = false;
    if (said) reader.feed({bytes, size});
    return !stopped && ((words && !others) || news());
  });
}

void KernelClient::follow(const std::string& study, std::int64_t after, const std::function<bool()>& news,
                          const Said& said) {
  SaidIn of_study;
  if (said) of_study = [&](const std::string&, const std::string& line, const std::string& text) { said(line, text); };
  parts_->read("/studies/" + study + "/events", after, news, of_study);
}

void KernelClient::follow_all(std::int64_t after, const std::function<bool()>& news, const SaidIn& said) {
  parts_->read("/events", after, news, said);
}

void KernelClient::stop() {
  parts_->stopped = true;
  parts_->streams.stop();
}

}  // namespace server
