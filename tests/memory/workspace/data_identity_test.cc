#include "memory/workspace/data_identity.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "tests/memory/workspace/place.h"

namespace {

namespace fs = std::filesystem;
using story::contains;
using story::Place;

}  // namespace

TEST_CASE("a file of data is called by the hash that everyone else gives it") {
  Place place;
  place.file("a", "hello");
  const auto record = memory::identify_data({"corpus", place.root + "/a", kernel::Identity::sha256, ""});
  REQUIRE(record);
  CHECK(record->identity == "sha256:" + kernel::sha256_hex("hello"));
  CHECK(record->name == "corpus");
  CHECK(record->path == place.root + "/a");
}

TEST_CASE("a folder of data changes its identity with any byte, its listing with any name, size or time") {
  Place place;
  const auto identity = [&](kernel::Identity how) {
    const auto record = memory::identify_data({"corpus", place.root, how, "v3"});
    if (!record) FAIL(record.problem().text());
    return record->identity;
  };
  using kernel::Identity;
  place.file("a", "hello");
  place.file("sub/b", "2");
  const auto bytes = identity(Identity::sha256), listing = identity(Identity::manifest);
  CHECK(bytes.starts_with("sha256:"));
  CHECK(listing.starts_with("manifest:"));
  CHECK(identity(Identity::declared) == "declared:v3");

  const auto time = fs::last_write_time(place.root + "/a");
  place.file("a", "hullo");
  fs::last_write_time(place.root + "/a", time);
  CHECK(identity(Identity::sha256) != bytes);
  CHECK(identity(Identity::manifest) == listing);
  place.file("a", "hello");
  fs::last_write_time(place.root + "/a", time + std::chrono::seconds(1));
  CHECK(identity(Identity::sha256) == bytes);
  CHECK(identity(Identity::manifest) != listing);
  fs::last_write_time(place.root + "/a", time);
  CHECK(identity(Identity::manifest) == listing);
  fs::rename(place.root + "/a", place.root + "/c");
  CHECK(identity(Identity::sha256) != bytes);
  CHECK(identity(Identity::manifest) != listing);
}

TEST_CASE("data that is missing, or links out of its folder, is a problem that names it") {
  Place place;
  const auto problem = [&](const std::string& path) {
    const auto record = memory::identify_data({"corpus", path, kernel::Identity::sha256, ""});
    REQUIRE_FALSE(record);
    return record.problem().text();
  };
  CHECK(contains(problem(place.root + "/none"), "data.corpus: does not exist"));
  std::ofstream(place.folder / "elsewhere") << "x";
  place.link("out", "../elsewhere");
  CHECK(contains(problem(place.root), "leads out"));
  CHECK(contains(problem("/dev/null"), "is neither a file nor a folder"));
}
