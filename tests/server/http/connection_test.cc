#include "apps/server/http/connection.h"

#include <future>

#include <catch2/catch.hpp>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apps/server/http/idle_connections.h"

using namespace server;

namespace {

/// Both ends of a connection; ours is to be given away.
struct Ends {
  Ends() {
    int both[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
    ours = both[0];
    theirs = both[1];
  }
  ~Ends() { close_all(); }
  void say(std::string_view text) const {
    REQUIRE(::send(theirs, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  /// Waits for it; only a failing test waits until the limit.
  bool is_hung_up() const {
    const timeval patience{240, 0};
    ::setsockopt(theirs, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char byte;
    return ::recv(theirs, &byte, 1, 0) == 0;
  }
  void close_all() {
    if (theirs >= 0) ::close(theirs);
    theirs = -1;
  }
  int ours = -1, theirs = -1;
};

using Step = Connection::Step;

std::string read_all(Connection& connection, std::size_t size) {
  std::string text(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = connection.read(text.data() + have, size - have);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

/// Waits for it; only a failing test waits until the limit.
int result_of(std::promise<int>& promise) {
  auto result = promise.get_future();
  REQUIRE(result.wait_for(std::chrono::minutes(4)) == std::future_status::ready);
  return result.get();
}

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("a connection is ready when the head of a request is there, however it comes") {
  Ends ends;
  Connection connection(ends.ours, nullptr);
  CHECK(connection.advance() == Step::wants_to_read);
  for (std::size_t i = 0; i < request.size(); ++i) {
    CHECK(connection.advance() == Step::wants_to_read);
    ends.say(request.substr(i, 1));
  }
  CHECK(connection.advance() == Step::ready);
  connection.begin_request();
  CHECK(read_all(connection, request.size()) == request);
}

TEST_CASE("what comes after a head is the next request's, and is not lost") {
  Ends ends;
  Connection connection(ends.ours, nullptr);
  ends.say(std::string(request) + std::string(request) + "GET");
  for (int i = 0; i < 2; ++i) {
    REQUIRE(connection.advance() == Step::ready);
    connection.begin_request();
    CHECK(read_all(connection, request.size()) == request);
    connection.head_is_read(0, false);
    CHECK(connection.is_between_requests());
    connection.await_request(std::chrono::seconds(15));
  }
  CHECK(connection.advance() == Step::wants_to_read);
}

TEST_CASE("time is given for the whole of a head, not anew with each byte") {
  Ends ends;
  Connection connection(ends.ours, nullptr);
  connection.await_request(std::chrono::hours(1));
  const auto idle = connection.deadline();
  ends.say("G");
  CHECK(connection.advance() == Step::wants_to_read);
  const auto begun = connection.deadline();
  CHECK(begun < idle);
  ends.say("E");
  CHECK(connection.advance() == Step::wants_to_read);
  CHECK(connection.deadline() == begun);
}

TEST_CASE("a head without end is ready to be refused, and who hangs up is over") {
  Ends ends;
  Connection connection(ends.ours, nullptr);
  const std::string much(16 << 10, 'x');
  Step step = Step::wants_to_read;
  for (int i = 0; i < 10 && step == Step::wants_to_read; ++i) {
    ends.say(much);
    step = connection.advance();
  }
  CHECK(step == Step::ready);
  Ends others;
  Connection other(others.ours, nullptr);
  others.say("GET / HT");
  CHECK(other.advance() == Step::wants_to_read);
  others.close_all();
  CHECK(other.advance() == Step::over);
}

TEST_CASE("connections that have sent a request are handed over, and the others wait on one thread") {
  Ends asks, waits;
  std::promise<int> handed;
  IdleConnections idle(10, [&](std::unique_ptr<Connection> one) { handed.set_value(one->socket()); });
  idle.enter(std::make_unique<Connection>(waits.ours, nullptr));
  idle.enter(std::make_unique<Connection>(asks.ours, nullptr));
  asks.say(request);
  CHECK(result_of(handed) == asks.ours);
  idle.close();
  CHECK(waits.is_hung_up());
}

TEST_CASE("when too many connections wait, the one that has waited longest is closed") {
  std::vector<std::unique_ptr<Ends>> ends;
  std::promise<int> handed;
  IdleConnections idle(3, [&](std::unique_ptr<Connection> one) { handed.set_value(one->socket()); });
  for (int i = 0; i < 4; ++i) {
    ends.push_back(std::make_unique<Ends>());
    idle.enter(std::make_unique<Connection>(ends.back()->ours, nullptr));
  }
  CHECK(ends[0]->is_hung_up());
  ends[1]->say(request);  // The next one is still there.
  CHECK(result_of(handed) == ends[1]->ours);
  idle.close();
  CHECK(ends[3]->is_hung_up());
}
