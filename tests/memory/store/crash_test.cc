// Promises that are only worth something if the world breaks underneath them.
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "memory/files/blobs.h"
#include "memory/files/home_folder.h"
#include "memory/store/reader.h"
#include "memory/store/store.h"
#include "memory/store/verify.h"
#include "tests/memory/story.h"

namespace {

namespace fs = std::filesystem;
using story::Teller;
using story::TempFolder;

/// Runs `what` in a child; its return value is the exit status.
pid_t in_child(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = what();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    ::_exit(status);
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Appends without end; after each append that returned, says so through the pipe. Each batch names a blob put before
/// it.
int append_without_end(const std::string& home, int pipe) {
  memory::Store store(home);
  memory::Blobs blobs(home + "/blobs");
  Teller teller;
  teller.state = store.load_active();
  const std::string id = "s" + std::to_string(store.next_study_number());
  store.append({teller.open(id)}, teller.state);
  for (std::int64_t done = 0;; ++done) {
    teller.out_log = blobs.put(id + " run " + std::to_string(done));
    std::vector<kernel::Event> batch = {teller.queue(id, 1, kernel::Purpose::pilot)};
    const int run = static_cast<int>(teller.state.study(id)->runs.size());
    batch.push_back(teller.tell(id, kernel::RunStarting{run, kernel::LaunchToken("token")}));
    batch.push_back(teller.end(id, run));
    store.append(batch, teller.state);
    if (::write(pipe, &done, sizeof done) != sizeof done) return 1;
  }
}

/// Dies in the middle of a transaction that has reached the file, with the journal that takes it back.
int die_with_a_hot_journal(const std::string& home) {
  memory::Database database(memory::database_path(home), memory::Database::Access::write);
  database.run_script(
      "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN; CREATE TABLE t(x TEXT);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
      "INSERT INTO t SELECT hex(randomblob(200)) FROM n");
  ::_exit(fs::exists(memory::database_path(home) + "-journal") ? 0 : 1);
}

}  // namespace

TEST_CASE("kill -9 in the middle of appends loses nothing that was acknowledged, twenty times over") {
  TempFolder home;
  std::mt19937 random(11);
  std::int64_t acknowledged_in_all = 0;
  for (int round = 1; round <= 20; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = in_child([&] { return append_without_end(home, ends[1]); });
    ::close(ends[1]);
    std::int64_t acknowledged = 0;
    // Not before the first acknowledgement, then at a random instant.
    const bool began = ::read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged;
    REQUIRE(began);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    ::kill(child, SIGKILL);
    while (::read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) continue;
    ::close(ends[0]);
    CHECK(WIFSIGNALED(wait_for(child)));

    const auto report = memory::verify(home);
    REQUIRE(report.problems == std::vector<std::string>{});
    const memory::Reader reader(home);
    REQUIRE(reader.ids().size() == static_cast<std::size_t>(round));
    std::int64_t ended = 0, events = 0;
    reader.events("s" + std::to_string(round), 0, [&](const memory::StoredEvent& e) {
      ++events;
      if (e.type == "RunEnded") ++ended;
    });
    CHECK(ended >= acknowledged + 1);
    CHECK(ended <= acknowledged + 2);  // the one that was committed and not yet acknowledged
    CHECK(events == 1 + 3 * ended);    // whole batches only
    acknowledged_in_all += acknowledged + 1;
  }
  CHECK(acknowledged_in_all >= 20);
}

TEST_CASE("a full disk fails the append, keeps what was there, and goes on once there is room") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can mount a small disk");
    return;
  }
  TempFolder folder;
  if (::mount("tmpfs", (folder / "").c_str(), "tmpfs", 0, "size=2m") != 0) {
    WARN("skipped: a small disk cannot be mounted here");
    return;
  }
  {
    const std::string home = folder / "home";
    Teller teller;
    memory::Store store(home);
    memory::Blobs blobs(home + "/blobs");
    store.append({teller.open("s1")}, teller.state);
    const std::string ballast = folder / "ballast";
    std::ofstream(ballast, std::ios::binary) << std::string(4 << 20, 'b');
    std::string said, said_of_blob;
    kernel::State before = teller.state;
    int appended = 0;
    try {
      for (; appended < 1000; ++appended) {
        const auto event = teller.queue("s1", 20, kernel::Purpose::pilot);
        store.append({event}, teller.state);
        before = teller.state;
      }
    } catch (const memory::StoreFault& fault) {
      said = fault.what();
    }
    CHECK(appended < 1000);
    CHECK(said.find("full") != said.npos);
    CHECK(said.find("make room") != said.npos);
    try {
      blobs.put(std::string(1 << 20, 'x'));
    } catch (const memory::StoreFault& fault) {
      said_of_blob = fault.what();
    }
    CHECK(said_of_blob.find("No space left on device") != said_of_blob.npos);
    CHECK_FALSE(blobs.exists(kernel::sha256_hex(std::string(1 << 20, 'x'))));
    CHECK(fs::is_empty(home + "/blobs/tmp"));

    fs::remove(ballast);
    CHECK(store.load("s1").studies.at("s1").runs.size() == before.studies.at("s1").runs.size());
    teller.state = before;
    store.append({teller.queue("s1", 20, kernel::Purpose::pilot)}, teller.state);
    CHECK(memory::verify(home).problems == std::vector<std::string>{});
  }
  ::umount((folder / "").c_str());
}

TEST_CASE("what finds no room is stored in that of the ballast, and somebody is told") {
  TempFolder folder;
  if (::geteuid() != 0 || ::mount("tmpfs", (folder / "").c_str(), "tmpfs", 0, "size=24m") != 0) {
    WARN("skipped: a small disk cannot be mounted here");
    return;
  }
  {
    const std::string home = folder / "home";
    Teller teller;
    memory::Store store(home);
    std::string told;
    store.when_full([&told](const memory::StoreFault& fault) { told = fault.what(); });
    store.append({teller.open("s1")}, teller.state);
    CHECK(fs::file_size(home + "/ballast") == memory::disk_reserve_bytes);
    std::ofstream(folder / "hog", std::ios::binary) << std::string(24 << 20, 'b') << std::flush;
    int appended = 0;
    while (told.empty() && ++appended < 1000)
      store.append({teller.queue("s1", 20, kernel::Purpose::pilot)}, teller.state);
    CHECK(told.find("make room") != told.npos);
    CHECK_FALSE(fs::exists(home + "/ballast"));
    // What was told is stored, and more finds room.
    store.append({teller.queue("s1", 20, kernel::Purpose::pilot)}, teller.state);
    CHECK(store.load("s1").studies.at("s1").runs.size() == teller.state.studies.at("s1").runs.size());
    { const memory::Store again(folder / "home2"); }
    CHECK_FALSE(fs::exists(folder / "home2/ballast"));  // It takes no room where there is little.
    fs::remove(folder / "hog");
    CHECK(memory::verify(home).problems == std::vector<std::string>{});
  }
  { const memory::Store next(folder / "home"); }
  CHECK(fs::file_size(folder / "home/ballast") == memory::disk_reserve_bytes);
  ::umount((folder / "").c_str());
}

TEST_CASE("a read-only home can be read, however it was left, and stays as it was") {
  TempFolder folder;
  const std::string home = folder / "home";
  Teller teller;
  const bool killed = GENERATE(false, true);
  // The child leaves by the front door, or by kill -9 with its log full of events.
  const pid_t writer = in_child([&] {
    memory::Store store(home);
    store.append(teller.whole("s1"), teller.state);
    if (killed) ::raise(SIGKILL);
    return 0;
  });
  wait_for(writer);
  REQUIRE(fs::exists(home + "/etude.db-wal") == killed);
  const bool without_shared_memory = killed && GENERATE(false, true);
  if (without_shared_memory) fs::remove(home + "/etude.db-shm");
  std::set<std::string> before;
  for (const auto& entry : fs::directory_iterator(home)) {
    before.insert(entry.path().string());
    fs::permissions(entry.path(), fs::perms(0444));
  }
  fs::permissions(home, fs::perms(0555));
  fs::permissions(std::string(folder), fs::perms(0755));
  const pid_t reader = in_child([&] {
    // Root may write anywhere, so it becomes nobody.
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 2;
    const memory::Reader reading(home);
    std::int64_t events = 0;
    reading.events("s1", 0, [&](const memory::StoredEvent&) { ++events; });
    if (events != static_cast<std::int64_t>(Teller().whole("s1").size())) return 3;
    if (reading.ids() != std::vector<std::string>{"s1"}) return 4;
    return memory::verify(home).ok() ? 0 : 5;
  });
  const int status = wait_for(reader);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  std::set<std::string> after;
  for (const auto& entry : fs::directory_iterator(home)) after.insert(entry.path().string());
  CHECK(after == before);
  fs::permissions(home, fs::perms(0755));
}

TEST_CASE("A home whose kernel died while it made its store reads as one without studies") {
  const TempFolder folder;
  REQUIRE(wait_for(in_child([&] { return die_with_a_hot_journal(folder); })) == 0);
  REQUIRE(fs::file_size(memory::database_path(folder) + "-journal") > 0);
  const memory::Reader reader(folder);
  CHECK(!reader.has_store());
  CHECK(reader.ids().empty());
}
