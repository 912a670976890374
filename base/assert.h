#pragma once
// Assertions of preconditions and invariants. A broken one is a defect of the program, which then aborts. They stay on
// in every build, so a condition must be cheap and have no side effects. Bad input (a file, a request, a model's reply,
// an artifact) is reported as a Problem, never by an assertion.

#include <cstdio>
#include <cstdlib>

namespace kernel {

[[noreturn, gnu::cold]] inline void fail_assertion(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace kernel

/// Prints file, line and condition to stderr and aborts if the condition is false. May be used in an expression.
#define ETUDE_ASSERT(...) \
  ((__VA_ARGS__) ? static_cast<void>(0) : ::kernel::fail_assertion(#__VA_ARGS__, __FILE__, __LINE__))
