// Frozen workspaces brought back, and compared with their manifests.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "base/digest.h"
#include "memory/files/file.h"
#include "memory/workspace/snapshot.h"
#include "tests/memory/workspace/place.h"

namespace {

namespace fs = std::filesystem;
using story::Place;

}  // namespace

TEST_CASE("a workspace comes back from its hash byte for byte, with executables, links and empty folders") {
  Place place;
  place.file("run.sh", "#!/bin/sh\n");
  fs::permissions(place.root + "/run.sh", fs::perms(0700));
  place.file("src/deep/model.py", "print()\n");
  place.file("src/data.bin", std::string("\0\xff\n", 3));
  place.file("empty", "");
  place.file("é 世.txt", "unicode");
  place.file("large", std::string(1'000'000, 'l'));
  place.link("latest", "src/deep");
  fs::create_directories(place.root + "/results/today");
  const auto snapshot = place.freeze();
  CHECK(snapshot.warnings.empty());
  CHECK(snapshot.record.files == 6);
  CHECK(snapshot.record.bytes == 10 + 8 + 3 + 0 + 7 + 1'000'000);

  const std::string copy = place.home + "/workspaces/" + snapshot.record.hash;
  memory::materialise(snapshot.record.hash, copy, place.blobs);
  for (const char* path : {"run.sh", "src/deep/model.py", "src/data.bin", "empty", "é 世.txt", "large"})
    CHECK(story::content(copy + "/" + path) == story::content(place.root + "/" + path));
  CHECK(fs::read_symlink(copy + "/latest") == "src/deep");
  CHECK(fs::is_directory(copy + "/results/today"));
  CHECK(fs::status(copy + "/run.sh").permissions() == fs::perms(0755));
  CHECK(fs::status(copy + "/large").permissions() == fs::perms(0644));
  for (const auto& entry : fs::recursive_directory_iterator(copy)) {
    struct stat status {};
    REQUIRE(::lstat(entry.path().c_str(), &status) == 0);
    CHECK(status.st_mtime == 946'684'800);
  }
  // What came back is the same workspace, and making it again changes nothing.
  place.spec.path = copy;
  CHECK(place.freeze().record.hash == snapshot.record.hash);
  memory::materialise(snapshot.record.hash, copy, place.blobs);
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(place.home + "/workspaces")) folders += entry.is_directory();
  CHECK(folders == 1);
}

TEST_CASE("a damaged snapshot is never materialised, not even in part") {
  Place place;
  place.file("a", "good");
  place.file("b", "good too");
  const auto hash = place.freeze().record.hash;
  const std::string blob = place.blobs.path(kernel::sha256_hex("good too"));
  fs::permissions(blob, fs::perms(0600));
  std::ofstream(blob) << "evil too";
  CHECK_THROWS_AS(memory::materialise(hash, place.folder / "copy", place.blobs), memory::StoreFault);
  CHECK_FALSE(fs::exists(place.folder / "copy"));
  for (const auto& entry : fs::directory_iterator(std::string(place.folder)))
    CHECK_FALSE(entry.path().filename().string().starts_with("copy"));
}

TEST_CASE("a frozen workspace that differs from its manifest is named in every way, and made anew") {
  Place place;
  place.file("job.py", "print(1)\n");
  place.file("run.sh", "#!/bin/sh\n");
  ::chmod((place.root + "/run.sh").c_str(), 0755);
  place.file("lib/a.py");
  place.link("latest", "lib");
  fs::create_directories(place.root + "/results");
  const kernel::WorkspaceHash hash = place.freeze().record.hash;
  const std::string copy = place.home + "/workspaces/" + hash;
  memory::materialise(hash, copy, place.blobs);
  const auto differences = [&] { return memory::differences(hash, copy, place.blobs); };
  CHECK(differences().empty());
  using Differences = std::vector<std::string>;

  SECTION("other bytes of the same length") {
    std::ofstream(copy + "/job.py", std::ios::binary) << "print(2)\n";
    CHECK(differences() == Differences{"job.py was changed"});
  }
  SECTION("a file that may not run any more") {
    ::chmod((copy + "/run.sh").c_str(), 0644);
    CHECK(differences() == Differences{"run.sh was changed"});
  }
  SECTION("a file gone, one more, a folder more") {
    fs::remove(copy + "/lib/a.py");
    std::ofstream(copy + "/sitecustomize.py") << "1";
    fs::create_directories(copy + "/x/y");
    CHECK(differences() == Differences{"lib/a.py is missing", "sitecustomize.py is not in the manifest",
                                       "x is not in the manifest", "x/y is not in the manifest"});
  }
  SECTION("a link that leads elsewhere, a file behind a link") {
    fs::remove(copy + "/latest");
    fs::create_symlink("results", copy + "/latest");
    fs::rename(copy + "/job.py", copy + "/.job");
    fs::create_symlink(".job", copy + "/job.py");
    CHECK(differences() == Differences{".job is not in the manifest", "job.py was changed", "latest was changed"});
  }
  SECTION("no folder, or something else in its place") {
    fs::remove_all(copy);
    CHECK(differences() == Differences{"is no folder"});
    if (GENERATE(true, false)) fs::create_symlink(place.root, copy);
    CHECK(differences() == Differences{"is no folder"});
  }
  memory::materialise(hash, copy, place.blobs);
  CHECK(differences().empty());
  CHECK(story::content(copy + "/job.py") == "print(1)\n");
  CHECK(story::content(place.root + "/job.py") == "print(1)\n");
  int entries = 0;
  for (const auto& entry : fs::directory_iterator(place.home + "/workspaces")) entries += entry.exists();
  CHECK(entries == 1);
}
