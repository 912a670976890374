#include "tests/fakes/model_server.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace fakes {

namespace {

using nlohmann::json;

/// Headers and body; empty: the connection was closed.
bool read_request(int socket, ModelServer::Asked& asked) {
  std::string bytes;
  char buffer[65536];
  const auto more = [&] {
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (bytes.empty()) asked.arrived = std::chrono::steady_clock::now();
    if (got > 0) bytes.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = bytes.npos;
  while ((end = bytes.find("\r\n\r\n")) == bytes.npos)
    if (!more()) return false;
  asked.headers = bytes.substr(0, end);
  const std::size_t length = asked.headers.find("Content-Length: ");
  const std::size_t size = length == bytes.npos ? 0 : std::stoul(asked.headers.substr(length + 16));
  bytes.reserve(end + 4 + size);
  while (bytes.size() < end + 4 + size)
    if (!more()) return false;
  asked.body = bytes.substr(end + 4, size);
  const std::size_t path = asked.headers.find(' ') + 1;
  asked.path = asked.headers.substr(path, asked.headers.find(' ', path) - path);
  return true;
}

}  // namespace

std::string ModelServer::Asked::text() const {
  const json said = json::parse(body, nullptr, false);
  if (!said.is_object() || !said.contains("messages") || said["messages"].empty()) return "";
  const json& last = said["messages"].back()["content"];
  return last.is_string() ? last.get<std::string>() : "";
}

void ModelServer::Answer::send_all(std::string_view bytes) {
  while (alive_ && !bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    alive_ = sent > 0;
    if (alive_) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void ModelServer::Answer::chunk(std::string_view bytes) {
  if (!began_) send_all("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  began_ = true;
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  send_all(size);
  send_all(bytes);
  send_all("\r\n");
}

void ModelServer::Answer::event(std::string_view data) {
  chunk("data: " + std::string(data) + "\n\n");
}

void ModelServer::Answer::say(std::string_view text) {
  event(json({{"id", "r"}, {"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}).dump());
}

void ModelServer::Answer::end() {
  event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
  event(R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}})");
  event("[DONE]");
  ended_ = true;
}

void ModelServer::Answer::end_of_body() {
  if (!began_) chunk(": nothing\n\n");
  ended_ = true;
}

void ModelServer::Answer::refuse(int status, std::string_view body, std::string_view retry_after) {
  std::string text = "HTTP/1.1 " + std::to_string(status) +
                     " No\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  if (!retry_after.empty()) text += "Retry-After: " + std::string(retry_after) + "\r\n";
  send_all(text + "\r\n" + std::string(body));
}

void ModelServer::Answer::reply(std::string_view body) {
  refuse(200, body);
  ended_ = replied_ = true;
}

void ModelServer::Answer::wait(double seconds) const {
  // Until the client leaves, at most.
  for (double waited = 0; waited < seconds; waited += 0.02) {
    char byte;
    if (recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

ModelServer::ModelServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 256) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for the fake model server");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ModelServer::~ModelServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

std::string ModelServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void ModelServer::accept_all() {
  for (int socket = 0; (socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const int at_once = 1;  // Each event in its own packet, without waiting for the last one's receipt.
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    const std::lock_guard lock(mutex_);
    open_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void ModelServer::serve(int socket) {
  Asked asked;
  while (read_request(socket, asked)) {
    Answer answer(socket);
    handler_(asked, answer);
    if (!answer.whole()) break;
    if (answer.replied()) continue;
    if (send(socket, "0\r\n\r\n", 5, MSG_NOSIGNAL) != 5) break;
  }
  const std::lock_guard lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), socket));
  close(socket);
}

}  // namespace fakes
