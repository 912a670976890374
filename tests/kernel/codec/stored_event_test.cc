#include <catch2/catch.hpp>

#include "base/digest.h"
#include "kernel/codec/codec.h"

namespace {

using namespace kernel;

StoredEvent example() {
  return to_stored({"s1", "kernel", {1'700'000'000'000, 5000}, RunStarting{3, LaunchToken("tok\"en")}},
                   std::string(chain_start));
}

}  // namespace

TEST_CASE("the hash of an event is that of the byte string its documentation gives") {
  const StoredEvent event = example();
  const std::string bytes =
      "etude-event/1\n"
      "64:0000000000000000000000000000000000000000000000000000000000000000\n"
      "2:s1\n"
      "1:2\n"
      "13:1700000000000\n"
      "4:5000\n"
      "6:kernel\n"
      "11:RunStarting\n"
      "27:{\"run\":3,\"token\":\"tok\\\"en\"}\n";
  CHECK(event.payload == "{\"run\":3,\"token\":\"tok\\\"en\"}");
  CHECK(event.hash == sha256_hex(bytes));
}

TEST_CASE("no field can borrow bytes from its neighbour without changing the hash") {
  StoredEvent a = example(), b = example();
  a.actor = "kernel";
  a.type = "RunStarting";
  b.actor = "kernelRun";
  b.type = "Starting";
  CHECK(a.chain_hash() != b.chain_hash());
}

TEST_CASE("an event's line is read back whole, and its payload byte for byte") {
  StoredEvent event = example();
  event.seq = 17;
  event.study = "s\"1\n";
  const std::string line = event.json_line();
  CHECK(line.find('\n') == line.npos);
  CHECK(line.ends_with(",\"payload\":" + event.payload + "}"));
  const auto back = read_event_line(line);
  REQUIRE(back);
  CHECK(back->seq == 17);
  CHECK(back->study == event.study);
  CHECK(back->payload == event.payload);
  CHECK(back->chain_hash() == event.chain_hash());
  CHECK(back->json_line() == line);
  const Event decoded = back->decoded();
  CHECK(std::get<RunStarting>(decoded.body).token.text() == "tok\"en");
  CHECK(decoded.at.boot_ms == 5000);
}

TEST_CASE("a line that is no event is refused") {
  const std::string line = example().json_line();
  CHECK_FALSE(read_event_line(""));
  CHECK_FALSE(read_event_line("[]"));
  CHECK_FALSE(read_event_line("{\"seq\":1}"));
  CHECK_FALSE(read_event_line(line + "x"));
  CHECK_FALSE(read_event_line(line.substr(0, line.size() - 1)));
  CHECK(read_event_line(line + " "));
}
