#pragma once
// One captured stream: keeps its first and last 8 MB in the run folder, in the layout of run_files.h. Owns the pipe's
// read end and the two files, which are created for the first byte.

#include <cstdint>
#include <string>
#include <string_view>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

class LogStream {
 public:
  /// `name`: "stdout" or "stderr".
  LogStream(int folder, std::string name, Fd pipe);

  /// The pipe, for poll; -1 after it is closed.
  int descriptor() const { return pipe_.get(); }
  /// Reads at most `limit` bytes from the pipe; true if there may be more.
  bool pump(std::uint64_t limit);
  /// Reads the rest without waiting, even if another process still holds the pipe's other end.
  void finish();
  void sync();

  /// False if the disk refused a byte; later bytes were not kept.
  bool complete() const { return complete_; }

 private:
  bool keep(std::string_view bytes);
  bool keep_in_tail(std::string_view bytes);

  int folder_;
  std::string name_;
  Fd pipe_, head_, tail_;
  std::uint64_t length_ = 0;
  bool complete_ = true;
};

}  // namespace supervisor
