#include "memory/files/blobs.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "memory/files/file.h"
#include "tests/memory/story.h"

namespace {

namespace fs = std::filesystem;
using Durable = memory::Blobs::Durable;
using story::TempFolder;

int files_below(const std::string& folder) {
  int count = 0;
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file();
  return count;
}

kernel::BlobRef put_file(memory::Blobs& blobs, const std::string& bytes, std::int64_t cap) {
  TempFolder folder;
  std::ofstream(folder / "f", std::ios::binary) << bytes;
  const memory::Fd fd(::open((folder / "f").c_str(), O_RDONLY));
  return blobs.put_fd(fd.get(), cap);
}

}  // namespace

TEST_CASE("a blob lies under its hash, read-only, and comes back as it was put") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  const auto ref = blobs.put("hello");
  CHECK(ref.sha256 == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  CHECK(ref.bytes == 5);
  CHECK(blobs.path(ref.sha256) == home / "blobs/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  struct stat status {};
  REQUIRE(::stat(blobs.path(ref.sha256).c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0400);
  CHECK(blobs.get(ref.sha256) == "hello");
  CHECK(blobs.exists(ref.sha256));
  REQUIRE(::stat((home / "blobs").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
}

TEST_CASE("equal bytes are stored once, and nothing half-written stays") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  for (int i = 0; i < 3; ++i) blobs.put("same");
  put_file(blobs, "same", 100);
  const std::string large(3'000'000, 'x');
  blobs.put(large);
  CHECK(put_file(blobs, large, 3'000'000).sha256 == kernel::sha256_hex(large));
  CHECK(files_below(home / "blobs") == 2);
}

TEST_CASE("a stream of any length is stored in full, or not at all when it is longer than allowed") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 1u << 20, 1'234'567u}) {
    std::string bytes(size, 'a');
    for (std::size_t i = 0; i < size; i += 97) bytes[i] = static_cast<char>(i % 251);
    const auto limit = static_cast<std::int64_t>(size);
    const auto ref = put_file(blobs, bytes, limit);
    CHECK(ref.sha256 == kernel::sha256_hex(bytes));
    CHECK(ref.bytes == limit);
    CHECK(blobs.get(ref.sha256) == bytes);
    if (size > 0) CHECK(put_file(blobs, bytes + "1", limit).sha256.empty());
  }
  CHECK(files_below(home / "blobs/tmp") == 0);
}

TEST_CASE("blobs put for later can be read at once, and are in place after one sync") {
  TempFolder home;
  for (const int count : {3, 200}) {
    memory::Blobs blobs(home / "blobs");
    std::vector<kernel::BlobRef> refs;
    for (int i = 0; i < count; ++i)
      refs.push_back(blobs.put(std::to_string(count) + " " + std::to_string(i), Durable::later));
    blobs.put(std::to_string(count) + " 0", Durable::later);
    CHECK_FALSE(fs::exists(blobs.path(refs[0].sha256)));
    CHECK(blobs.exists(refs[0].sha256));
    CHECK(blobs.get(refs[1].sha256) == std::to_string(count) + " 1");
    blobs.sync();
    for (const auto& ref : refs) REQUIRE(fs::exists(blobs.path(ref.sha256)));
    CHECK(files_below(home / "blobs/tmp") == 0);
  }
}

TEST_CASE("what was put for later and never synced is gone with its owner") {
  TempFolder home;
  std::string name;
  {
    memory::Blobs blobs(home / "blobs");
    name = blobs.put("never", Durable::later).sha256;
  }
  CHECK_FALSE(memory::Blobs(home / "blobs").exists(name));
  CHECK(files_below(home / "blobs") == 0);
}

TEST_CASE("a blob that is missing or damaged is a fault, never other bytes") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  CHECK(blobs.get("").empty());
  CHECK_THROWS_WITH(blobs.get(kernel::sha256_hex("nobody")), Catch::Contains("is missing"));
  CHECK_THROWS_AS(blobs.get("../../etc/passwd"), memory::StoreFault);
  CHECK_FALSE(blobs.exists("../../etc/passwd"));
  const auto ref = blobs.put("good");
  ::chmod(blobs.path(ref.sha256).c_str(), 0600);
  std::ofstream(blobs.path(ref.sha256)) << "evil";
  CHECK_THROWS_WITH(blobs.get(ref.sha256), Catch::Contains("does not hold the bytes that its name says"));
}

TEST_CASE("a blob cut short by a failing disk is written anew when its bytes come again") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  const auto ref = blobs.put("all of it");
  ::chmod(blobs.path(ref.sha256).c_str(), 0600);
  std::ofstream(blobs.path(ref.sha256)) << "all";
  blobs.put("all of it");
  CHECK(blobs.get(ref.sha256) == "all of it");
}

TEST_CASE("threads put, sync and read the same blobs at once") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const std::string bytes = "blob " + std::to_string(i);
        const auto ref = blobs.put(bytes, (i + t) % 3 ? Durable::later : Durable::now);
        if (blobs.get(ref.sha256) != bytes) ++wrong;
        if (i % 7 == t) blobs.sync();
      }
    });
  for (std::thread& thread : threads) thread.join();
  blobs.sync();
  CHECK(wrong == 0);
  CHECK(files_below(home / "blobs") == 60);
}
