#include "executors/backend/line_order.h"

#include <catch2/catch.hpp>

using executors::LineOrder;

namespace {

/// The merged text of streams that came in pieces: "o" and a text for stdout, "e" and a text for stderr.
std::string merged_of(const std::vector<std::string>& pieces, bool has_ended = true) {
  std::string out, err;
  std::vector<LineOrder::Moment> moments;
  for (const std::string& piece : pieces) {
    (piece[0] == 'o' ? out : err) += piece.substr(1);
    moments.emplace_back(out.size(), err.size());
  }
  LineOrder order = LineOrder::at_moments(out, err, moments);
  if (has_ended) order.add_rest(out, err);
  CHECK((!has_ended || order.fits(out, err)));
  // What is stored merges to the same.
  const auto stored = LineOrder::parse(order.text());
  REQUIRE(stored);
  CHECK(stored->merged(out, err) == order.merged(out, err));
  return order.merged(out, err).value();
}

}  // namespace

TEST_CASE("the lines of both streams stand in the order in which they came, each with the name of its stream") {
  CHECK(merged_of({"oa\n", "ex\ny\n", "ob\n"}) == "out: a\nerr: x\nerr: y\nout: b\n");
  CHECK(merged_of({"ex\n", "oa\n"}) == "err: x\nout: a\n");
  CHECK(merged_of({"oa\n", "ob\n"}) == "out: a\nout: b\n");
  CHECK(merged_of({}).empty());
}

TEST_CASE("a line stands where its end came, and is not cut by the other stream") {
  CHECK(merged_of({"oloading ", "ewarning\n", "odone\n", "elast\n"}) == "err: warning\nout: loading done\nerr: last\n");
  // Without an end a line is the last, and one that still grows is not shown.
  CHECK(merged_of({"oa\nnot ", "ex\n", "oended"}) == "out: a\nerr: x\nout: not ended\n");
  CHECK(merged_of({"oa\nnot ", "ex\n", "oended"}, false) == "out: a\nerr: x\n");
}

TEST_CASE("a carriage return ends a line, unless a newline follows it") {
  CHECK(merged_of({"e10%\r", "oa\n", "e20%\r", "ob\n", "e\n"}) == "out: a\nerr: 10%\nout: b\nerr: 20%\r\n");
  CHECK(merged_of({"oa\r\nb\r", "ex\n"}) == "out: a\r\nerr: x\nout: b\n");
  // What may become one end is not shown as another.
  CHECK(merged_of({"oa\r"}, false).empty());
}

TEST_CASE("while both streams grow, the merged text grows at its end only") {
  const std::vector<std::string> pieces{"oa\nb",   "e1\r", "o\n", "e2\r",  "e\r3", "oc\r\n", "o\r",
                                        "e\n4\n5", "od\n", "e\n", "oe\nf", "e6\n", "og",     "e7"};
  std::string before;
  for (std::size_t n = 1; n <= pieces.size(); ++n) {
    const std::string now = merged_of({pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(n)}, false);
    CHECK(now.starts_with(before));
    before = now;
  }
  CHECK(merged_of(pieces).starts_with(before));
  CHECK(merged_of(pieces) == before + "out: fg\nerr: 7\n");
}

TEST_CASE("an order that does not belong to the texts merges nothing") {
  const auto order = LineOrder::parse("1 2 1");
  REQUIRE(order);
  CHECK(order->merged("a\nb\n", "x\ny\n") == "out: a\nerr: x\nerr: y\nout: b\n");
  CHECK(order->fits("a\nb\n", "x\ny"));
  CHECK_FALSE(order->merged("a\n", "x\ny\n"));
  CHECK_FALSE(order->fits("a\nb\nc\n", "x\ny\n"));
  for (const char* broken : {"1,2", "-1", "a", "1 2 x", "99999999999999999999"}) CHECK_FALSE(LineOrder::parse(broken));
}
