#include "executors/backend/harvest.h"

#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/executors/fixture.h"

using namespace executors;
using Catch::Matchers::Contains;
using test::Folder;

namespace {

/// What only the person may read, and every way a job could try to have it harvested.
std::string hostile_folder(const Folder& folder) {
  test::write(folder / "secret", "secret");
  const std::string out = folder / "run/out";
  test::write(out + "/good.json", "{}");
  test::write(out + "/deep/er/file", "deep");
  std::filesystem::create_symlink(folder / "secret", out + "/link");
  std::filesystem::create_symlink("../..", out + "/up");
  std::filesystem::create_symlink(folder.path(), folder / "run/work");
  mkfifo((out + "/pipe").c_str(), 0600);
  std::filesystem::create_directory(out + "/folder");
  return folder / "run";
}

}  // namespace

TEST_CASE("a job that puts a link in the place of its output folder has nothing harvested") {
  const Folder folder;
  test::write(folder / "secrets/passwd", "root:x");
  std::filesystem::create_directories(folder / "run");
  std::filesystem::create_symlink(folder / "secrets", folder / "run/out");
  const Outputs outputs = Harvest(folder / "run").outputs(100, 1000);
  CHECK(outputs.files.empty());
  CHECK(outputs.left_out.count == 1);
  CHECK_FALSE(Harvest(folder / "run").open_output("passwd"));
  CHECK_FALSE(Harvest(folder / "run").result("passwd", 1000, 0));
}

TEST_CASE("harvesting opens regular files beneath the folder only") {
  const Folder folder;
  const std::string run = hostile_folder(folder);
  const kernel::Fd out(open((run + "/out").c_str(), O_RDONLY | O_DIRECTORY));
  CHECK(open_beneath(out.get(), "good.json"));
  CHECK(open_beneath(out.get(), "deep/er/file")->size == 4);
  const auto why = [&](const std::string& path) {
    const auto opened = open_beneath(out.get(), path);
    REQUIRE_FALSE(opened);
    return opened.problem().why;
  };
  CHECK(why("link") == "a symbolic link");
  CHECK(why("up/secret") == "a symbolic link");
  CHECK(why("../../secret") == "leads out of its folder");
  CHECK(why(folder / "secret") == "leads out of its folder");
  CHECK(why("pipe") == "not a regular file");
  CHECK(why("folder") == "not a regular file");
  CHECK(why("nothing") == "there is no such file");
  CHECK(why("") == "there is no such file");
}

TEST_CASE("a result is read from the outputs, else from what the job wrote where it ran, within its size") {
  const Folder folder;
  const std::string run = folder / "run";
  test::write(run + "/work/stale.json", "old");
  test::run_to_end({"/usr/bin/touch", "-d", "2001-02-03", run + "/work/stale.json"});
  test::write(run + "/work/fresh.json", "new");
  test::write(run + "/work/both.json", "work");
  test::write(run + "/out/both.json", "out");
  test::write(run + "/out/large.json", std::string(100, 'x'));
  const std::int64_t started = 1500000000000;
  CHECK(*Harvest(run).result("fresh.json", 10, started) == "new");
  CHECK(*Harvest(run).result("both.json", 10, started) == "out");
  CHECK(*Harvest(run).result("large.json", 100, started) == std::string(100, 'x'));
  CHECK_THAT(Harvest(run).result("large.json", 99, started).problem().why, Contains("larger than 99 bytes"));
  CHECK_THAT(Harvest(run).result("stale.json", 10, started).problem().why, Contains("did not write it"));
  CHECK_THAT(Harvest(run).result("none.json", 10, started).problem().why, Contains("no such file"));
  CHECK_THAT(Harvest(run).result("../job", 10, started).problem().why, Contains("leads out"));
}

TEST_CASE("outputs are listed by name within their caps, and what is left out is named") {
  const Folder folder;
  const std::string run = hostile_folder(folder);
  const Outputs all = Harvest(run).outputs(100, 1000);
  REQUIRE(all.files.size() == 2);
  CHECK(all.files[0].path == "deep/er/file");
  CHECK(all.files[1].path == "good.json");
  CHECK(all.files[1].size == 2);
  CHECK(all.left_out.count == 3);
  CHECK_FALSE(all.left_out.more);
  CHECK(all.left_out.named ==
        std::vector<std::string>{"link: a symbolic link", "pipe: not a regular file", "up: a symbolic link"});
  const Outputs one = Harvest(run).outputs(1, 1000);
  CHECK(one.files.size() == 1);
  CHECK(one.left_out.count == 4);
  CHECK(one.left_out.named.at(0) == "good.json: too many files");
  const Outputs small = Harvest(run).outputs(100, 3);
  REQUIRE(small.files.size() == 1);
  CHECK(small.files[0].path == "good.json");
  CHECK_THAT(small.left_out.named.front(), Contains("deep/er/file: too large"));
  CHECK(Harvest(run).open_output("good.json"));
  CHECK_FALSE(Harvest(run).open_output("link"));
}

TEST_CASE("the limit on the bytes of outputs holds for all files together") {
  const Folder folder;
  for (const char* name : {"a", "b", "c"}) test::write(folder / "run/out/" + name, "1234");
  const Outputs outputs = Harvest(folder / "run").outputs(100, 11);
  REQUIRE(outputs.files.size() == 2);
  CHECK(outputs.files[1].path == "b");
  CHECK(outputs.left_out.named == std::vector<std::string>{"c: too large for what is left of the limit"});
  CHECK(Harvest(folder / "run").outputs(100, 12).files.size() == 3);
}

TEST_CASE("what is not wanted is neither kept nor left out, and takes nothing from the limits") {
  const Folder folder;
  const std::string run = hostile_folder(folder);
  const Outputs outputs = Harvest(run).outputs(1, 2, [](const std::string& path) { return path == "good.json"; });
  REQUIRE(outputs.files.size() == 1);
  CHECK(outputs.files[0].path == "good.json");
  CHECK(outputs.left_out.count == 0);
}

TEST_CASE("of very many outputs that are left out all are counted and the first are named") {
  const Folder folder;
  for (int i = 0; i < 300; ++i) test::write(folder / "run/out" + ("/" + std::to_string(i)), "x");
  const Outputs outputs = Harvest(folder / "run").outputs(10, 1000);
  CHECK(outputs.files.size() == 10);
  CHECK(outputs.left_out.count == 290);
  CHECK_FALSE(outputs.left_out.more);
  CHECK(outputs.left_out.named.size() == 20);
}

TEST_CASE("an output folder nested hundreds deep is cut, not followed to exhaustion") {
  const Folder folder;
  std::filesystem::create_directories(folder / "run/out");
  int at = open((folder / "run/out").c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 300; ++i) {
    mkdirat(at, "d", 0700);
    const int next = openat(at, "d", O_RDONLY | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
  const Outputs outputs = Harvest(folder / "run").outputs(10, 10);
  CHECK(outputs.files.empty());
  REQUIRE(outputs.left_out.count == 1);
  CHECK_THAT(outputs.left_out.named[0], Contains("nested too deep"));
  test::run_to_end({"/bin/rm", "-rf", folder / "run"});
}

TEST_CASE("metrics are read up to their cap, and not through a link") {
  const Folder folder;
  test::write(folder / "run/metrics.jsonl", "12345");
  CHECK(Harvest(folder / "run").metrics(10)->text == "12345");
  CHECK_FALSE(Harvest(folder / "run").metrics(5)->cut);
  CHECK(Harvest(folder / "run").metrics(3)->text == "123");
  CHECK(Harvest(folder / "run").metrics(3)->cut);
  std::filesystem::remove(folder / "run/metrics.jsonl");
  std::filesystem::create_symlink("/etc/passwd", folder / "run/metrics.jsonl");
  CHECK_FALSE(Harvest(folder / "run").metrics(10));
}

TEST_CASE("a short log is read at any offset, and a missing or broken one is empty") {
  const Folder folder;
  CHECK(Harvest(folder.path()).log(OutputStream::out, 0, 100).empty());
  test::write(folder / "stdout.head", "hello world");
  CHECK(Harvest(folder.path()).log(OutputStream::out, 0, 100) == "hello world");
  CHECK(Harvest(folder.path()).log(OutputStream::out, 6, 3) == "wor");
  CHECK(Harvest(folder.path()).log(OutputStream::out, 11, 3).empty());
  CHECK(Harvest(folder.path()).log(OutputStream::out, ~0ull, ~0ull).empty());
  CHECK(Harvest(folder.path()).log(OutputStream::err, 0, 100).empty());
  test::write(folder / "stdout.tail", "garbage");
  CHECK(Harvest(folder.path()).log_extent(OutputStream::out).length == 11);
}
