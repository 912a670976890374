#include "apps/server/http/ranges.h"

#include <catch2/catch.hpp>

using server::SentPart;

namespace {

struct Narrowed {
  SentPart sent;
  httplib::Ranges ranges;
  bool operator==(const Narrowed&) const = default;
};

/// Of ten bytes; -1 stands for a number that was left out.
Narrowed narrowed(const httplib::Ranges& asked, const httplib::Headers& headers = {}) {
  httplib::Request sent_by_client;
  sent_by_client.ranges = asked;
  sent_by_client.headers = headers;
  const SentPart sent = server::narrow_ranges(sent_by_client, "0123456789");
  return {sent, sent_by_client.ranges};
}

}  // namespace

TEST_CASE("one range is sent as far as the file has it", "[ranges]") {
  CHECK(narrowed({{0, 2}}) == Narrowed{SentPart::range, {{0, 2}}});
  CHECK(narrowed({{9, 9}}) == Narrowed{SentPart::range, {{9, 9}}});
  CHECK(narrowed({{3, -1}}) == Narrowed{SentPart::range, {{3, 9}}});
  CHECK(narrowed({{3, 5000}}) == Narrowed{SentPart::range, {{3, 9}}});
  CHECK(narrowed({{-1, 4}}) == Narrowed{SentPart::range, {{6, 9}}});
  CHECK(narrowed({{-1, 5000}}) == Narrowed{SentPart::range, {{0, 9}}});
}

TEST_CASE("a range behind the file is refused", "[ranges]") {
  CHECK(narrowed({{10, -1}}) == Narrowed{SentPart::nothing, {}});
  CHECK(narrowed({{10, 20}}) == Narrowed{SentPart::nothing, {}});
  CHECK(narrowed({{-1, 0}}) == Narrowed{SentPart::nothing, {}});
}

TEST_CASE("the whole file is sent for several ranges, and if it has changed or is known", "[ranges]") {
  const Narrowed whole{SentPart::whole, {}};
  const std::string tag = server::entity_tag("0123456789");
  CHECK(narrowed({}) == whole);
  CHECK(narrowed({{0, 0}, {2, 3}}) == whole);
  CHECK(narrowed({{0, 2}}, {{"If-Range", "\"another\""}}) == whole);
  CHECK(narrowed({{0, 2}}, {{"If-Range", "W/" + tag}}) == whole);
  CHECK(narrowed({{0, 2}}, {{"If-None-Match", "\"another\", " + tag}}) == whole);
  CHECK(narrowed({{0, 2}}, {{"If-Range", tag}}).sent == SentPart::range);
}
