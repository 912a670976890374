// How fast the store commits, beside what the disk itself can do. Hidden: run with `test_memory "[.bench]"`.
#include <algorithm>
#include <chrono>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "memory/files/blobs.h"
#include "memory/files/file.h"
#include "memory/store/store.h"
#include "tests/memory/story.h"

namespace {

using Clock = std::chrono::steady_clock;
using story::Teller;
using story::TempFolder;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("appends beside bare flushes of the same disk", "[.bench]") {
  TempFolder home;
  std::vector<double> flush;
  {
    const memory::Fd fd(::open((home / "bare").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    const std::string page(4096, 'x');
    for (int i = 0; i < 300; ++i) {
      const auto start = Clock::now();
      memory::write_all(fd.get(), page, "bare");
      REQUIRE(::fdatasync(fd.get()) == 0);
      flush.push_back(milliseconds_since(start));
    }
  }
  Teller teller;
  memory::Store store(home / "h");
  store.append({teller.open("s1")}, teller.state);
  store.append({teller.queue("s1", 6000, kernel::Purpose::pilot)}, teller.state);
  std::vector<double> single;
  int run = 0;
  for (int i = 0; i < 300; ++i) {
    const auto event = teller.tell("s1", kernel::RunStarting{++run, kernel::LaunchToken("token")});
    const auto start = Clock::now();
    store.append({event}, teller.state);
    single.push_back(milliseconds_since(start));
  }
  const int batches = 100;
  double total = 0;
  for (int i = 0; i < batches; ++i) {
    std::vector<kernel::Event> batch;
    while (batch.size() < 50) {
      batch.push_back(teller.tell("s1", kernel::RunStarting{++run, kernel::LaunchToken("token")}));
      batch.push_back(teller.end("s1", run));
    }
    const auto start = Clock::now();
    store.append(batch, teller.state);
    total += milliseconds_since(start);
  }
  WARN("bare flush of 4 KB: median " << median(flush) << " ms; one event appended: median " << median(single)
                                     << " ms; batches of 50: " << batches * 50 * 1000 / total << " events/s");
  const auto start = Clock::now();
  const auto state = store.load_active();
  WARN("6,000 runs folded in " << milliseconds_since(start) << " ms");
  CHECK(state.studies.at("s1").runs.size() == 6000);
}

TEST_CASE("three blobs of one run, put one by one and together", "[.bench]") {
  TempFolder home;
  memory::Blobs blobs(home / "blobs");
  std::vector<double> alone, together;
  for (int i = 0; i < 100; ++i) {
    auto start = Clock::now();
    for (const char* kind : {"metrics ", "stdout ", "stderr "}) blobs.put(kind + std::to_string(i));
    alone.push_back(milliseconds_since(start));
    start = Clock::now();
    for (const char* kind : {"metrics, later ", "stdout, later ", "stderr, later "})
      blobs.put(kind + std::to_string(i), memory::Blobs::Durable::later);
    blobs.sync();
    together.push_back(milliseconds_since(start));
  }
  WARN("three blobs: one by one median " << median(alone) << " ms, together " << median(together) << " ms");
  CHECK(median(together) < median(alone));
}
