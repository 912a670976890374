// Copies of /etc for sandboxes.
#include "executors/sandbox/etc_copy.h"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

namespace fs = std::filesystem;

namespace {

std::string mode_of(const std::string& path) {
  struct stat is = {};
  REQUIRE(lstat(path.c_str(), &is) == 0);
  std::string text(3, '0');
  for (int digit = 0; digit < 3; ++digit) text[2 - digit] = static_cast<char>('0' + (is.st_mode >> (3 * digit) & 7));
  return text;
}

std::size_t copies_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a copy of /etc has the listed entries, with links into /usr and links inside kept") {
  const test::Folder folder;
  const std::string root = folder / "etc", copies = folder / "copies";
  test::write(root + "/ssl/certs/one.pem", "certificate");
  test::write(root + "/ssl/private/key.pem", "secret");
  test::write(root + "/shadow", "secret");
  test::write(root + "/services", "http 80/tcp\n");
  test::write(folder / "elsewhere/fonts.conf", "<fonts/>");
  fs::create_symlink("one.pem", root + "/ssl/certs/hash.0");
  fs::create_symlink("/nonexistent", root + "/ssl/certs/broken");
  fs::create_symlink("/usr/lib/os-release", root + "/os-release");
  fs::create_symlink(folder / "elsewhere", root + "/fonts");
  chmod((root + "/ssl/certs/one.pem").c_str(), 0444);
  REQUIRE(mkfifo((root + "/ssl/certs/pipe").c_str(), 0644) == 0);
  const std::vector<std::string> entries = {"ssl/certs", "services", "os-release", "fonts", "not-there"};

  const std::string copy = executors::copy_of_etc(root, entries, {{"passwd", "root:x:0:0\n"}}, copies);
  REQUIRE_FALSE(copy.empty());
  CHECK(fs::path(copy).parent_path() == copies);
  CHECK(test::read(copy + "/ssl/certs/one.pem") == "certificate");
  CHECK(mode_of(copy + "/ssl/certs/one.pem") == "444");
  CHECK(fs::last_write_time(copy + "/services") == fs::last_write_time(root + "/services"));
  CHECK(fs::read_symlink(copy + "/ssl/certs/hash.0") == "one.pem");
  CHECK(fs::read_symlink(copy + "/ssl/certs/broken") == "/nonexistent");
  CHECK(fs::read_symlink(copy + "/os-release") == "/usr/lib/os-release");
  CHECK_FALSE(fs::is_symlink(copy + "/fonts"));
  CHECK(test::read(copy + "/fonts/fonts.conf") == "<fonts/>");
  CHECK(test::read(copy + "/passwd") == "root:x:0:0\n");
  for (const char* absent : {"/ssl/certs/pipe", "/ssl/private", "/shadow", "/not-there"})
    CHECK_FALSE(test::exists(copy + absent));
  CHECK(mode_of(copy) == "755");
  CHECK(mode_of(copies) == "700");
}

TEST_CASE("a copy of /etc is used again until an entry or a file changes") {
  const test::Folder folder;
  const std::string root = folder / "etc", copies = folder / "copies";
  test::write(root + "/fonts/conf.d/a.conf", "one");
  const std::string first = executors::copy_of_etc(root, {"fonts"}, {}, copies);
  CHECK(executors::copy_of_etc(root, {"fonts"}, {}, copies) == first);
  CHECK(copies_in(copies) == 1);
  test::write(root + "/fonts/conf.d/a.conf", "two, in place");
  const std::string second = executors::copy_of_etc(root, {"fonts"}, {}, copies);
  CHECK(second != first);
  CHECK(test::read(first + "/fonts/conf.d/a.conf") == "one");
  CHECK(test::read(second + "/fonts/conf.d/a.conf") == "two, in place");
  CHECK(executors::copy_of_etc(root, {"fonts"}, {{"group", "g"}}, copies) != second);
}

TEST_CASE("old copies of other boots, and copies that were not finished, are removed") {
  const test::Folder folder;
  const std::string root = folder / "etc", copies = folder / "copies";
  test::write(root + "/services", "x");
  for (const char* name : {"/0123456789ab-old", "/new-abcdef", "/0123456789ab-young"})
    test::write(copies + name + "/services", "x");
  for (const char* name : {"/0123456789ab-old", "/new-abcdef"})
    fs::last_write_time(copies + name, fs::file_time_type::clock::now() - std::chrono::hours(25));
  REQUIRE_FALSE(executors::copy_of_etc(root, {"services"}, {}, copies).empty());
  CHECK_FALSE(test::exists(copies + "/0123456789ab-old"));
  CHECK_FALSE(test::exists(copies + "/new-abcdef"));
  CHECK(test::exists(copies + "/0123456789ab-young"));
}

TEST_CASE("there is no copy of a tree that is too large, nor on a disk that refuses it") {
  const test::Folder folder;
  const std::string root = folder / "etc", copies = folder / "copies";
  test::write(root + "/texmf/large", std::string(1 << 20, 'x'));
  REQUIRE(truncate((root + "/texmf/large").c_str(), executors::most_etc_bytes + 1) == 0);
  CHECK(executors::copy_of_etc(root, {"texmf"}, {}, copies).empty());
  CHECK_FALSE(test::exists(copies));
  test::write(root + "/services", "x");
  test::write(copies, "a file where the folder would be");
  CHECK(executors::copy_of_etc(root, {"services"}, {}, copies).empty());
}

TEST_CASE("copies are kept in the home of a run folder") {
  CHECK(executors::etc_copies_of("/h/runs/s1/0123") == "/h/sandbox");
  CHECK(executors::etc_copies_of("/h/try/t1/run") == "/h/sandbox");
  CHECK(executors::etc_copies_of("/tmp/x/job").empty());
}

TEST_CASE("a job sees the same /etc in a copy as by a mount for each entry") {
  if (!test::has_sandbox()) return;
  test::Bench bench;
  // The sandbox writes some files itself, so their times and modes differ.
  const std::string list =
      "cd /etc && find . | sort | while read -r f; do [ -d \"$f\" ] && [ ! -L \"$f\" ] && echo \"$f folder\" && "
      "continue; "
      "stat -c '%n %F' \"$f\"; if [ -L \"$f\" ]; then readlink \"$f\"; else sha256sum < \"$f\"; fi; done; "
      "stat -c '%n %Y' ld.so.cache ssl/certs fonts alternatives; touch /etc/new 2>/dev/null && echo written";
  std::string seen[2];
  for (const bool copied : {false, true}) {
    const auto job = bench.job(copied ? "s1/copied" : "mounted", list);
    CHECK(bench.run(job).end == kernel::JobEnd::exited);
    seen[copied] = test::output_of(job);
    CHECK(test::exists(bench.folder() / "home/sandbox") == copied);
  }
  CHECK_THAT(seen[0], Catch::Matchers::Contains("./passwd regular file"));
  CHECK(seen[1] == seen[0]);
  CHECK(copies_in(bench.folder() / "home/sandbox") == 1);
}
