#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "apps/server/protocol/protocol.h"

using kernel::Problem;
using server::title_of;

TEST_CASE("the title of a problem is a sentence by itself", "[protocol]") {
  CHECK(title_of(Problem{"", 0, "study s9", "is not in this home", ""}) == "study s9 is not in this home");
  CHECK(title_of(Problem{"/home/x/a.yaml", 0, "", "cannot be read", ""}) == "/home/x/a.yaml cannot be read");
  CHECK(title_of(Problem{"", 0, "--inflate", "it is not above 0", ""}) == "--inflate: it is not above 0");
  CHECK(title_of(Problem{"study.yaml", 3, "factors.n", "the level 3 stands twice", ""}) == "the level 3 stands twice");
  CHECK(title_of(Problem{"", 0, "", "is damaged", ""}) == "is damaged");
  CHECK(title_of(Problem{"", 0, "the kernel", "", ""}) == "the kernel");
}

TEST_CASE("a client reads the problem that a server has sent", "[protocol]") {
  const Problem sent{"study.yaml", 3, "study s9", "is not in this home", "`etude ls` lists the studies", true};
  const Problem read = server::problem_of(server::problem_body(sent, 404));
  CHECK(read.text() == sent.text());
  CHECK(read.machine);
}
