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
  /// The next bytes of the pipe, valid until the next call for any stream; empty if there are none now.
  std::string_view receive();
  void keep(std::string_view bytes);
  void close() { pipe_.reset(); }
  void sync();

  /// False if the disk refused a byte; later bytes were not kept.
  bool complete() const { return complete_; }

 private:
  bool store(std::string_view bytes);
  bool store_in_tail(std::string_view bytes);

  int folder_;
  std::string name_;
  Fd pipe_, head_, tail_;
  std::uint64_t length_ = 0;
  bool wide_ = false, complete_ = true;
};

}  // namespace supervisor
