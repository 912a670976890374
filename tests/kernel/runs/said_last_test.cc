// What is said of a failed run: its last lines, and the form of them in which causes are compared.
#include <catch2/catch.hpp>

#include "kernel/runs/run_outcome.h"

using kernel::last_lines;

TEST_CASE("the last lines of a run are those that are not blank, without colours and other escape sequences") {
  CHECK(last_lines("one\ntwo\n\nthree \n  four\n \n") == "two | three | four");
  CHECK(last_lines("\x1b[1;31mError:\x1b[0m no \x1b[38;5;9mroom\x1b[m\n\x1b[0m\x1b[?25h\n") == "Error: no room");
  CHECK(last_lines("\x1b]0;title\x07named \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n\x1b(Bplain\x1b"
                   "7\n") == "named link | plain");
  CHECK(last_lines("").empty());
  CHECK(last_lines("\x1b[0m\n").empty());
}

TEST_CASE("a sequence without its end is shown as text, without its control character") {
  CHECK(last_lines("half \x1b[31") == "half  [31");
  CHECK(last_lines("half \x1b]0;title\nnext") == "half  ]0;title | next");
  CHECK(last_lines("end\x1b") == "end ");
}

TEST_CASE("failures that differ only in their colours have one fingerprint") {
  kernel::JobOutcome outcome;
  outcome.exit = 1;
  const auto of = [&](const char* err) { return kernel::fingerprint(outcome, {}, err); };
  CHECK(of("step 3\n\x1b[91mValueError: 17 is odd\x1b[0m\n\x1b[0m") == of("ValueError: 4 is odd\n"));
  CHECK(of("\x1b[31mno\x1b[0m") == "exit 1: no");
}
