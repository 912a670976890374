#include "artifacts/read/safe_root.h"

#include <sys/stat.h>

#include "tests/artifacts/samples/scratch.h"

namespace fs = std::filesystem;
using artifacts::FileKind;
using artifacts::SafeRoot;

namespace {

/// A folder with a file, a sub-folder, and links of every sort.
struct Links {
  Links() : scratch(fs::path()) {
    scratch.write("a/file", "inside");
    scratch.write("top", "inside too");
    scratch.link("file", "a/same");
    scratch.link("../top", "a/up");
    scratch.link("/etc/hostname", "a/absolute");
    scratch.link("../../../../../../etc/hostname", "a/climbs");
    scratch.link("gone", "a/dangling");
    scratch.link("self", "a/self");
    scratch.link("a", "folder");
  }
  Scratch scratch;
};

}  // namespace

TEST_CASE("a root follows links that stay inside and no others") {
  const Links links;
  const auto root = SafeRoot::open(links.scratch.path().string());
  REQUIRE(root);
  CHECK(root->look("a/file").kind == FileKind::regular);
  CHECK(root->look("a/file").size == 6);
  CHECK(root->read("a/same", 100).bytes == "inside");
  CHECK(root->read("a/up", 100).bytes == "inside too");
  CHECK(root->read("folder/file", 100).bytes == "inside");
  CHECK(root->look("a/absolute").kind == FileKind::outside);
  CHECK(root->look("a/climbs").kind == FileKind::outside);
  CHECK(root->look("a/dangling").kind == FileKind::none);
  CHECK(root->look("a/self").kind == FileKind::special);
  CHECK(root->look("a").kind == FileKind::directory);
  CHECK(root->look("../" + links.scratch.path().filename().string() + "/top").kind == FileKind::outside);
  CHECK(root->look("/etc/hostname").kind == FileKind::outside);
  CHECK(root->look("a/../top").kind == FileKind::regular);
  CHECK(root->look("a/gone/file").kind == FileKind::none);
  CHECK(root->look("top/file").kind == FileKind::none);
  CHECK(root->look("").kind == FileKind::none);
  CHECK(root->look(std::string("top\0x", 5)).kind == FileKind::none);
  CHECK(root->look(std::string(10'000, 'x')).kind == FileKind::none);
}

TEST_CASE("a root that refuses links, as where openat2 is missing, reads what no link leads to") {
  const Links links;
  const auto root = SafeRoot::open(links.scratch.path().string(), SafeRoot::Links::refuse);
  REQUIRE(root);
  CHECK(root->read("a/file", 100).bytes == "inside");
  CHECK(root->read("./a//file", 100).bytes == "inside");
  CHECK(root->look("a").kind == FileKind::directory);
  for (const char* path :
       {"a/same", "a/up", "a/absolute", "a/climbs", "a/dangling", "folder/file", "../top", "a/../top"})
    CHECK(root->look(path).kind == FileKind::outside);
  CHECK(root->look("a/gone").kind == FileKind::none);
  CHECK(root->list().entries.size() == 10);
}

TEST_CASE("a listing names everything once, in order, and enters no link") {
  const Links links;
  links.scratch.write(".git/config", "not ours");
  const auto root = SafeRoot::open(links.scratch.path().string());
  REQUIRE(root);
  std::string names;
  for (const auto& entry : root->list().entries) names += entry.path + (entry.link ? "@ " : " ");
  CHECK(names == "a a/absolute@ a/climbs@ a/dangling@ a/file a/same@ a/self@ a/up@ folder@ top ");
  CHECK(root->list().complete);
}

TEST_CASE("a listing of folders without end stops and says so") {
  const Scratch scratch{fs::path()};
  std::string path;
  for (int i = 0; i < 80; ++i) path += "d/";
  scratch.write(path + "file", "x");
  const auto root = SafeRoot::open(scratch.path().string());
  REQUIRE(root);
  CHECK_FALSE(root->list().complete);
  CHECK(root->list().entries.size() == 65);
}

TEST_CASE("a file is read up to its limit and not beyond") {
  const Scratch scratch{fs::path()};
  scratch.write("ten", "0123456789");
  const auto root = SafeRoot::open(scratch.path().string());
  REQUIRE(root);
  CHECK(root->read("ten", 10).bytes == "0123456789");
  CHECK(root->read("ten", 9).too_large);
  CHECK(root->read("ten", 9).bytes.empty());
}

TEST_CASE("what is no directory is bad input, told apart from an artifact with errors") {
  const Scratch scratch{fs::path()};
  scratch.write("file", "x");
  const auto absent = artifacts::check((scratch / "absent").string());
  REQUIRE_FALSE(absent);
  CHECK(absent.problem().why == "there is nothing of that name");
  const auto file = artifacts::check((scratch / "file").string());
  REQUIRE_FALSE(file);
  CHECK(file.problem().why == "it is neither a folder nor a zip");
  const auto empty = artifacts::check(scratch.path().string(), {.strict = true});
  REQUIRE(empty);
  CHECK(empty->errors == 10);  // the tree is missing by the published rules, too, which counts once
}
