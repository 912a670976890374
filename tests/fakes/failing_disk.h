#pragma once
// A file system that fails, as a thin layer between SQLite and the real one: every write until its flush is remembered,
// so that a power cut can take it back, in part and torn. While one lives, all stores of the process use it.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace fakes {

class FailingDisk {
 public:
  enum class Call { write, truncate, flush, remove };
  /// `lies`: the flush says that it was done, and was not.
  enum class Fault { none, full, error, lies };

  FailingDisk();
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  /// What becomes of a call; may be empty.
  std::function<Fault(Call)> fails;
  /// The file system is mounted read-only: nothing is written, and what is opened from now on is opened to read.
  bool read_only = false;

  /// The process has died: files that are open now change no more, also when they are closed.
  void kill();
  /// What is opened from now on works.
  void revive() { dead_ = false; }
  /// After `kill`: takes back what was not flushed. `kept` says of each such write how many of its bytes reached the
  /// disk nevertheless.
  void cut_power(const std::function<std::int64_t(std::int64_t bytes)>& kept);

  int flushes = 0;

 private:
  struct Change {
    std::int64_t at = 0;
    std::string before, after;
    std::int64_t size_before = 0;
    bool truncates = false;
  };
  struct File;
  static const sqlite3_io_methods* methods();
  Fault asked(Call call) const { return read_only ? Fault::error : fails ? fails(call) : Fault::none; }

  sqlite3_vfs vfs_{};
  bool dead_ = false;
  int generation_ = 0;  ///< Files of an earlier one are dead.
  std::map<std::string, std::vector<Change>> unflushed_;
};

}  // namespace fakes
