// The diffs of what engineers write.
#include "kernel/code_search.h"

#include <catch2/catch.hpp>

#include "agents/thinking/code_briefing.h"
#include "agents/thinking/unified_diff.h"
#include "agents/thinking/write_diff.h"
#include "tests/agents/thoughtful.h"

using namespace thoughtful;

namespace {

/// The person's text with the diff laid over it.
std::string patched(const std::string& before, const std::string& diff) {
  const agents::Diff read = agents::read_diff(diff);
  CHECK(read.wrong.empty());
  REQUIRE(read.files.size() == 1);
  const agents::Patched result = agents::apply(read.files[0], before);
  CHECK(result.wrong.empty());
  return result.text;
}

}  // namespace

TEST_CASE("a diff that is written can be read, and leads from the one text to the other") {
  std::string longer;
  for (int i = 0; i < 60; ++i) longer += "line " + std::to_string(i) + "\n";
  std::string changed = longer;
  changed.replace(changed.find("line 5\n"), 7, "line five\nand a half\n");
  changed.replace(changed.find("line 40\n"), 8, "");
  changed.replace(changed.find("line 47\n"), 8, "line forty-seven\n");
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {longer, changed},  {changed, longer}, {"a\n", "b\n"},    {"a\nb\n", "a\nb"},
      {"a\nb", "a\nb\n"}, {"x\n", "x\ny\n"}, {"x\ny\n", "y\n"}, {"a\n", "0\na\n"}};
  for (const auto& [before, after] : pairs) {
    const std::string diff = agents::diff_of("f.py", before, after);
    INFO(diff);
    CHECK(patched(before, diff) == after);
  }
  CHECK(agents::diff_of("f.py", longer, longer).empty());
  // Two hunks, for what is far apart stands apart.
  const std::string diff = agents::diff_of("f.py", longer, changed);
  CHECK(diff.find("@@ -3,7 +3,8 @@") != std::string::npos);
  CHECK(patched("", agents::diff_of("f.py", std::nullopt, "new\n")) == "new\n");
  CHECK(patched("old\n", agents::diff_of("f.py", "old\n", std::nullopt)).empty());
  CHECK(agents::diff_of("f.bin", std::string("\0\1", 2), "text").ends_with("Binary files differ\n"));
  CHECK(agents::files_in("--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@\n--- /dev/null\n+++ b/new.py\n") ==
        std::vector<std::string>{"x.py", "x.py", "new.py"});
}
