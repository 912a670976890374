#pragma once
// Both captured streams of a job, in the order in which it wrote them (write_signals.h). This costs time for each
// write, so after very many writes the pipes are read in large pieces for a while, and the order is then that of the
// pieces.

#include <array>
#include <cstdint>

#include <poll.h>

#include "executors/run_protocol/log_marks.h"
#include "executors/supervisor/launch.h"
#include "executors/supervisor/log_stream.h"

namespace supervisor {

class JobOutput {
 public:
  /// Takes the pipes, of which `launch` had each write signalled. `folder`: the run's; borrowed.
  JobOutput(int folder, Launched&);
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;
  ~JobOutput();

  /// What to wait for.
  std::array<pollfd, 3> awaited() const;
  /// Call it when one of them is ready. Reads a bounded amount.
  void read_ready();
  /// When `write_order` is due, by the boot clock.
  std::int64_t due() const { return marks_.due(); }
  void write_order() { marks_.write(boot_ms()); }

  /// Reads the rest without waiting, even if another process still holds a pipe's other end.
  void finish();
  void sync();
  /// False if the disk refused a byte.
  bool complete() const { return out_.complete() && err_.complete(); }

 private:
  /// What a pipe holds, and how many of the writes are not taken yet.
  struct Unread {
    std::size_t bytes = 0, writes = 0;
  };

  bool hear_writes();
  std::size_t take(LogStream&);
  void take_write(LogStream&, Unread&);
  void take_all();
  void follow(bool each_write);
  void refill();

  LogMarksFile marks_;
  Fd out_writes_, err_writes_;  ///< Kept to change the pipes' mode.
  LogStream out_, err_;
  Fd signals_;
  bool follows_ = false;       ///< Whether each write is signalled.
  LogStream* last_ = nullptr;  ///< The stream that had bytes last.
  std::int64_t writes_left_;   ///< That may be signalled now.
  std::int64_t refilled_ms_;
};

}  // namespace supervisor
