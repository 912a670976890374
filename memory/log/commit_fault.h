#pragma once
// A hook for tests only: ends this process by SIGKILL just before or just after its Nth commit, as $ETUDE_FAULT says
// (docs/home.md). Does nothing without that variable.

#include <cstdint>
#include <string>

namespace memory {

class CommitFault {
 public:
  /// "kill-before-commit:N" or "kill-after-commit:N", N from 1; empty for never. Throws StoreFault for anything else.
  explicit CommitFault(const std::string& wanted);
  /// Reads $ETUDE_FAULT.
  static CommitFault of_environment();

  /// To be called before and after each commit of events.
  void before() { strike(before_, ++commits_); }
  void after() const { strike(after_, commits_); }

 private:
  static void strike(std::int64_t at, std::int64_t now);

  std::int64_t before_ = 0, after_ = 0, commits_ = 0;  ///< In the first two, 0 means never.
};

}  // namespace memory
