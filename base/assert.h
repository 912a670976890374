#pragma once
// Assertions of preconditions and invariants: a broken one is a defect of the program, and what it would do next is
// worse than its end. They stay on in every build, so a condition must be cheap and without effect. Whatever a file, a
// request, a model or another person's artifact can break is no assertion but a Problem.

#include <cstdio>
#include <cstdlib>

namespace kernel {

[[noreturn, gnu::cold]] inline void fail_assertion(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace kernel

/// Says file, line and condition on stderr and aborts where the condition does not hold. May be used in an expression.
#define ETUDE_ASSERT(...) \
  ((__VA_ARGS__) ? static_cast<void>(0) : ::kernel::fail_assertion(#__VA_ARGS__, __FILE__, __LINE__))
