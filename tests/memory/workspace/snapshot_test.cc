#include "memory/workspace/snapshot.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/manifest.h"
#include "tests/memory/workspace/place.h"

namespace {

namespace fs = std::filesystem;
using story::contains;
using story::Place;

using Paths = std::vector<std::string>;

/// As a user whom permissions bind; root becomes nobody in a child. The child's answer is the exit status.
int as_nobody(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
    ::_exit(what());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

}  // namespace

TEST_CASE("the hash depends on names, bytes and the right to execute, and on nothing else") {
  Place place;
  place.file("a", "1");
  place.file("b", "2");
  const auto hash = place.freeze().record.hash;
  fs::last_write_time(place.root + "/a", fs::file_time_type::clock::now() - std::chrono::hours(5));
  fs::permissions(place.root + "/a", fs::perms(0660));
  CHECK(place.freeze().record.hash == hash);
  fs::permissions(place.root + "/a", fs::perms(0760));
  CHECK(place.freeze().record.hash != hash);
  fs::permissions(place.root + "/a", fs::perms(0644));
  place.file("a", "3");
  CHECK(place.freeze().record.hash != hash);
  place.file("a", "1");
  CHECK(place.freeze().record.hash == hash);
  fs::rename(place.root + "/a", place.root + "/c");
  CHECK(place.freeze().record.hash != hash);
}

TEST_CASE("what ignore files leave out is recorded, the largest first, and what the study excludes is not") {
  Place place;
  place.file(".gitignore", "data/\n*.bin\nown.txt\n");
  place.file(".etudeignore", "!/own.txt\n");
  place.file("data/a", std::string(300, 'x'));
  place.file("data/deep/b", std::string(50, 'x'));
  place.file("src/w.bin", std::string(100, 'x'));
  place.file("own.txt", "x");
  place.file("keep.py", "x");
  const auto ignored = place.freeze().record.ignored;
  REQUIRE(ignored.largest.size() == 2);
  CHECK((ignored.count == 2 && ignored.bytes == 450));
  CHECK((ignored.largest[0].path == "data/" && ignored.largest[0].bytes == 350));
  CHECK(ignored.largest[1].path == "src/w.bin");
  const auto excluded = memory::survey({place.root, {"/data/", "!/src/w.bin"}, std::nullopt}, "");
  CHECK(excluded.ignored.empty());
}

TEST_CASE("what is ignored, git's own folder, artifacts and the store are left out") {
  Place place;
  place.home = place.root + "/.home";
  place.file(".git/config");
  place.file("sub/.git", "gitdir: elsewhere");
  place.file(".gitignore", "*.pt\n!keep.pt\nbuild/\n");
  place.file(".etudeignore", "notes.md\n!big.pt\n");
  place.file("model.pt");
  place.file("keep.pt");
  place.file("big.pt");
  place.file("notes.md");
  place.file("build/x");
  place.file("sub/build");
  place.file("sub/.gitignore", "/local\n");
  place.file("sub/local");
  place.file("sub/deeper/local");
  place.file("old-ara/etude.json");
  place.file("old-ara/PAPER.md");
  place.file(".home/etude.db");
  place.file("other-home/etude.db");
  place.file("other-home/token");
  place.spec.exclude = {"sub/deeper", "!model.pt"};
  CHECK(place.paths() ==
        Paths{".etudeignore", ".gitignore", "big.pt", "keep.pt", "model.pt", "sub/.gitignore", "sub/build"});
}

TEST_CASE("a workspace inside a repository heeds the ignore files above it") {
  Place place;
  place.file(".git/config");
  place.file(".gitignore", "__pycache__/\n/study/tmp\n/other\n");
  place.file("study/__pycache__/x.pyc");
  place.file("study/tmp");
  place.file("study/other");
  place.file("study/main.py");
  place.spec.path = place.root + "/study";
  CHECK(place.paths() == Paths{"main.py", "other"});
}

TEST_CASE("a folder in which everything is ignored is kept, for programs that expect it") {
  Place place;
  place.file(".gitignore", "/results/*\n");
  place.file("results/old.csv");
  CHECK(place.paths() == Paths{".gitignore", "results"});
}

TEST_CASE("links are kept where they stay inside, straightened where they make a detour, refused where they lead out") {
  Place place;
  place.file("data/a");
  place.link("inside", "data/a");
  place.link("sub/up", "../data");
  place.link("absolute", place.root + "/data/a");
  place.link("sub/detour", "../../w/data/a");
  place.link("self", ".");
  const auto snapshot = place.freeze();
  CHECK(snapshot.warnings.empty());
  const std::string copy = place.folder / "copy";
  memory::materialise(snapshot.record.hash, copy, place.blobs);
  CHECK(fs::read_symlink(copy + "/inside") == "data/a");
  CHECK(fs::read_symlink(copy + "/sub/up") == "../data");
  CHECK(fs::read_symlink(copy + "/absolute") == "data/a");
  CHECK(fs::read_symlink(copy + "/sub/detour") == "../data/a");
  CHECK(fs::read_symlink(copy + "/self") == ".");

  std::ofstream(place.folder / "secret") << "x";
  place.link("out", "../secret");
  const auto problem = place.problem();
  CHECK(problem.file == place.root + "/out");
  CHECK(contains(problem.text(), "is a link that leads out, to " + (place.folder / "secret")));
  CHECK(contains(problem.text(), "`data:`"));
  place.spec.exclude = {"/out"};
  place.freeze();
}

TEST_CASE("links to nothing and special files are left out with a warning") {
  Place place;
  place.file("a");
  place.link(".#lock", "someone@nowhere.1234");
  place.link("loop", "loop");
  REQUIRE(::mkfifo((place.root + "/pipe").c_str(), 0600) == 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (place.root + "/sock").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(place.paths() == Paths{"a"});
  CHECK(place.freeze().warnings.size() == 4);
  ::close(fd);
}

TEST_CASE("a workspace over its limit is one problem that names the largest parts") {
  Place place;
  place.file("data/train.bin", std::string(3 << 20, 'x'));
  place.file("data/test.bin", std::string(1 << 20, 'x'));
  place.file("model.pt", std::string(2 << 20, 'x'));
  place.file("notes", std::string(3000, 'x'));
  place.file("main.py");
  place.spec.max_bytes = 1 << 20;
  const auto problem = place.problem();
  CHECK(problem.why == "is 6.0 MB, more than its limit of 1.0 MB");
  CHECK(contains(problem.todo, "`data/` (4.0 MB), `model.pt` (2.0 MB), `notes` (2.9 KB)"));
  CHECK_FALSE(contains(problem.todo, "main.py"));
  place.spec.max_bytes = 7 << 20;
  place.freeze();
}

TEST_CASE("a workspace that is missing, no folder, an artifact or the home is refused by name") {
  Place place;
  place.spec.path = place.root + "/nowhere";
  CHECK(contains(place.problem().text(), "does not exist"));
  place.file("file");
  place.spec.path = place.root + "/file";
  CHECK(contains(place.problem().text(), "is no folder"));
  place.file("ara/etude.json");
  place.spec.path = place.root + "/ara";
  CHECK(contains(place.problem().text(), "is an artifact"));
  fs::create_directories(place.home);
  place.spec.path = place.home;
  CHECK(contains(place.problem().text(), "is the store's own home"));
}

TEST_CASE("an unreadable file or folder is a problem with its path") {
  Place place;
  place.file("ok");
  place.file("secret");
  place.file("closed/a");
  fs::create_directories(place.home);
  fs::permissions(place.home, fs::perms(0777));
  fs::permissions(std::string(place.folder), fs::perms(0755));
  const auto answer = [&](const std::string& path) {
    return as_nobody([&] {
      const auto snapshot = memory::freeze(place.spec, place.home, place.blobs);
      if (snapshot) return 1;
      return snapshot.problem().file == place.root + path && contains(snapshot.problem().why, "Permission denied") ? 0
                                                                                                                   : 2;
    });
  };
  fs::permissions(place.root + "/secret", fs::perms(0));
  CHECK(answer("/secret") == 0);
  fs::permissions(place.root + "/secret", fs::perms(0644));
  fs::permissions(place.root + "/closed", fs::perms(0));
  CHECK(answer("/closed") == 0);
  fs::permissions(place.root + "/closed", fs::perms(0755));
  CHECK(answer("") == 1);
}

TEST_CASE("a file name that is no UTF-8 is a problem") {
  Place place;
  std::ofstream(place.root + "/caf\xe9") << "x";
  CHECK(contains(place.problem().why, "no UTF-8"));
}

TEST_CASE("a manifest that leads out of its folder is refused") {
  const std::string header = "{\"etude_manifest\":1}\n";
  const auto entry = [](const std::string& path) {
    return R"({"bytes":1,"path":")" + path + R"(","sha256":"00","type":"file"})" + "\n";
  };
  CHECK(kernel::read_manifest(header + entry("a/b")));
  for (const char* path : {"../a", "/a", "a/../b", "a//b", "", ".", "a/"})
    CHECK_FALSE(kernel::read_manifest(header + entry(path)));
  CHECK_FALSE(kernel::read_manifest(header + entry("b") + entry("a")));
  CHECK_FALSE(kernel::read_manifest(header + entry("a") + entry("a")));
  CHECK_FALSE(kernel::read_manifest("{}\n"));
  CHECK_FALSE(kernel::read_manifest(header + "not json\n"));
}

TEST_CASE("ten thousand small files are frozen and brought back", "[.bench]") {
  Place place;
  for (int i = 0; i < 100; ++i) fs::create_directories(place.root + "/" + std::to_string(i));
  for (int i = 0; i < 10'000; ++i)
    std::ofstream(place.root + "/" + std::to_string(i % 100) + "/" + std::to_string(i)) << "file " << i;
  double wall = 0, cpu = 0;
  const auto timed = [&](const std::function<void()>& what) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t ticks = std::clock();
    what();
    cpu = static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC;
    wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  memory::Snapshot snapshot;
  timed([&] { snapshot = place.freeze(); });
  WARN("10,000 files frozen in " << wall << " s (" << cpu << " s of processor time)");
  timed([&] { memory::materialise(snapshot.record.hash, place.folder / "copy", place.blobs); });
  WARN("brought back in " << wall << " s (" << cpu << " s of processor time)");
  timed([&] { place.freeze(); });
  WARN("frozen again in " << wall << " s (" << cpu << " s of processor time)");
  CHECK(snapshot.record.files == 10'000);
}

TEST_CASE("a harness's keys beside the code are no part of a workspace, whatever the study says") {
  Place place;
  place.file("train.py");
  place.file(".ara_env", "API_KEY=hunter2");
  place.file("deep/.ara_env", "API_KEY=hunter2");
  place.spec.exclude = {"!.ara_env"};
  const auto snapshot = place.freeze();
  CHECK(snapshot.record.files == 1);
  memory::materialise(snapshot.record.hash, place.folder / "copy", place.blobs);
  CHECK_FALSE(fs::exists(place.folder / "copy/.ara_env"));
  CHECK_FALSE(fs::exists(place.folder / "copy/deep/.ara_env"));
}
