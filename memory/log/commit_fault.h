#pragma once
// A test's hook, and nothing else depends on it: ends this process by SIGKILL just before or just after its Nth commit,
// as $ETUDE_FAULT says (docs/home.md). Read once; without it nothing happens.

#include <cstdint>
#include <string>

namespace memory {

class CommitFault {
 public:
  /// "kill-before-commit:N" or "kill-after-commit:N", N from 1; empty: never. Throws StoreFault for anything else.
  explicit CommitFault(const std::string& wanted);
  /// As $ETUDE_FAULT says.
  static CommitFault of_environment();

  /// Around each commit of events.
  void before() { strike(before_, ++commits_); }
  void after() const { strike(after_, commits_); }

 private:
  static void strike(std::int64_t at, std::int64_t now);

  std::int64_t before_ = 0, after_ = 0, commits_ = 0;  ///< Of the first two, 0: never.
};

}  // namespace memory
