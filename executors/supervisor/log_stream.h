#pragma once
// One captured stream: keeps its first and last 8 MB at their logical offsets in the run folder, in the layout that
// run_files.h gives. Owns the pipe's read end and the two files, which are made when the first byte needs them.

#include <cstdint>
#include <string>
#include <string_view>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

class LogStream {
 public:
  /// `name`: "stdout" or "stderr".
  LogStream(int folder, std::string name, Fd pipe);

  /// The pipe, for poll; -1 once it is closed.
  int descriptor() const { return pipe_.get(); }
  /// Takes what the pipe holds, at most `limit` bytes; true when there may be more.
  bool pump(std::uint64_t limit);
  /// Takes what is left without ever waiting, even when somebody still holds the pipe's other end.
  void finish();
  void sync();

  std::uint64_t length() const { return length_; }
  /// False when the disk refused a byte: from there on nothing was kept.
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
