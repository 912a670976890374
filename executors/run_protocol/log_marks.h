#pragma once
// In which order a job's two streams came, as marks in the run folder (docs/run-folder.md). A mark says that the bytes
// up to two positions, one of each stream, came before all others. Between two marks stdout comes first. The file is
// made before the second of the streams has a byte.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

/// A number of bytes of each stream.
struct LogMark {
  std::uint64_t out = 0, err = 0;
  bool operator==(const LogMark&) const = default;
};

struct LogMarks {
  std::vector<LogMark> marks;  ///< Neither position decreases.
  LogMark settled;             ///< The order of the bytes up to here does not change any more.
};

/// Eight bytes, the least significant first.
void append_number(std::string& bytes, std::uint64_t number);
/// Precondition: eight bytes follow `at`.
std::uint64_t number_at(std::string_view bytes, std::size_t at);

/// The supervisor's side. Costs nothing while only one stream has bytes.
class LogMarksFile {
 public:
  /// So many marks are one for each change of the stream. Later ones are at least `spacing` bytes or a second apart.
  static constexpr std::uint64_t most_exact = 16'384, spacing = 1024;
  /// The first marks are kept, and of the others the last ones; together at most 768 kB.
  static constexpr std::uint64_t first_kept = 32'768, last_kept = 16'384;
  static constexpr std::int64_t write_every_ms = 100, settle_ms = 1000;
  /// Not written yet, at most.
  static constexpr std::size_t most_waiting = 1024;

  /// `folder`: the run's; borrowed.
  explicit LogMarksFile(int folder) : folder_(folder) {}

  /// The next bytes are of this stream. Call it before they are stored.
  void add(bool is_err, std::uint64_t bytes, std::int64_t now_ms);
  /// When `write` is due, by the same clock; INT64_MAX if there is nothing to write.
  std::int64_t due() const { return due_; }
  void write(std::int64_t now_ms);
  /// Writes the rest, when both streams have ended: all bytes are settled.
  void finish();
  void sync();

 private:
  void mark(std::int64_t now_ms);
  void write_settled(LogMark);

  int folder_;
  Fd file_;
  bool refused_ = false;
  LogMark at_, last_mark_;
  bool err_since_mark_ = false;
  std::uint64_t count_ = 0;
  std::int64_t marked_ms_ = 0, due_ = INT64_MAX;
  std::vector<LogMark> waiting_;  ///< Not written yet.
};

/// From the open file; none if it is damaged. May be called while the supervisor writes.
std::optional<LogMarks> read_log_marks(int file);

}  // namespace supervisor
