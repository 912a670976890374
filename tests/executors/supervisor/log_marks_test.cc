#include "executors/run_protocol/log_marks.h"

#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "tests/executors/fixture.h"

using supervisor::LogMark;
using supervisor::LogMarks;
using supervisor::LogMarksFile;

namespace {

struct Place {
  test::Folder folder;
  supervisor::Fd fd{open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  std::string file = folder / supervisor::order_file;

  std::optional<LogMarks> read() const {
    const supervisor::Fd marks(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return supervisor::read_log_marks(marks.get());
  }
};

}  // namespace

TEST_CASE("marks say where stdout followed stderr, and a job that uses one stream has none") {
  Place place;
  LogMarksFile marks(place.fd.get());
  marks.add(false, 5, 0);
  marks.add(false, 5, 1);
  CHECK(marks.due() == INT64_MAX);
  CHECK_FALSE(test::exists(place.file));
  // The file is there before the second stream has bytes.
  marks.add(true, 3, 2);
  REQUIRE(place.read());
  CHECK(place.read()->settled == LogMark{10, 0});
  marks.add(false, 2, 3);
  marks.add(true, 1, 3);
  CHECK(marks.due() == 2 + LogMarksFile::write_every_ms);
  marks.write(marks.due());
  CHECK(place.read()->marks == std::vector<LogMark>{{10, 3}});
  CHECK(place.read()->settled == LogMark{12, 4});
  CHECK(marks.due() == INT64_MAX);
  marks.add(false, 1, 500);
  marks.finish();
  CHECK(place.read()->marks == std::vector<LogMark>{{10, 3}, {12, 4}});
  CHECK(place.read()->settled == LogMark{13, 4});
}

TEST_CASE("a job that alternates millions of times has a small file of marks, exact at first and to 1 kB at its end") {
  Place place;
  LogMarksFile marks(place.fd.get());
  constexpr std::uint64_t turns = 3'000'000, size = 32;
  for (std::uint64_t i = 0; i < turns; ++i) {
    marks.add(false, size, 0);
    marks.add(true, size, 0);
  }
  marks.finish();
  CHECK(std::filesystem::file_size(place.file) <= 32 + 16 * (LogMarksFile::first_kept + LogMarksFile::last_kept));
  const auto read = place.read();
  REQUIRE(read);
  REQUIRE(read->marks.size() == LogMarksFile::first_kept + LogMarksFile::last_kept);
  for (std::uint64_t i = 0; i < LogMarksFile::most_exact; ++i) {
    const LogMark wanted{size * (i + 1), size * (i + 1)};
    if (read->marks[i] != wanted) FAIL("mark " << i);
  }
  for (std::size_t i = LogMarksFile::most_exact; i < read->marks.size(); ++i) {
    const std::uint64_t apart = read->marks[i].out - read->marks[i - 1].out;
    if (i != LogMarksFile::first_kept && apart != LogMarksFile::spacing / 2) FAIL("mark " << i << ": " << apart);
  }
  CHECK(read->settled == LogMark{turns * size, turns * size});
  CHECK(read->settled.out - read->marks.back().out <= LogMarksFile::spacing);
  CHECK(read->settled.out - read->marks[LogMarksFile::first_kept].out >= (8 << 20) - LogMarksFile::spacing);
}

TEST_CASE("where marks are rare, bytes are settled once nothing can come before them, a second later at most") {
  Place place;
  LogMarksFile marks(place.fd.get());
  for (std::uint64_t i = 0; i <= LogMarksFile::most_exact; ++i) {
    marks.add(true, 1, 0);
    marks.add(false, 1, 0);
  }
  marks.write(50);
  const LogMark at{LogMarksFile::most_exact + 1, LogMarksFile::most_exact + 1};
  // stdout may get more bytes before the last one of stderr.
  CHECK(place.read()->settled == LogMark{at.out, at.err - 1});
  CHECK(marks.due() == LogMarksFile::settle_ms);
  marks.write(marks.due());
  CHECK(place.read()->settled == at);
  CHECK(place.read()->marks.back() == at);
  CHECK(marks.due() == INT64_MAX);
}

TEST_CASE("damaged marks are none") {
  Place place;
  LogMarksFile marks(place.fd.get());
  for (int i = 0; i < 3; ++i) {
    marks.add(false, 10, 0);
    marks.add(true, 10, 0);
  }
  marks.finish();
  const std::string good = test::read(place.file);
  REQUIRE(place.read());
  const auto with = [&](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  for (const std::string& bad : {std::string(), good.substr(0, 31), good.substr(0, good.size() - 1), with(0, 'x'),
                                 with(8, 9), with(16, 1), with(32, 99)}) {
    test::write(place.file, bad);
    CHECK_FALSE(place.read());
  }
}
