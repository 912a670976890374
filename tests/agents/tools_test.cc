// The tools by themselves: what they say of a workspace that somebody hostile has filled.
#include <chrono>

#include "agents/thinking/branch.h"
#include "tests/agents/toolbox.h"

using namespace toolbox;

TEST_CASE("grep finds by text and by pattern, with context, and leaves out what is no text") {
  agents::Branch branch = of({{"a/one.py", "import x\ndef quick(a):\n  return a\n\n\ndef Slow(a):\n  pass\n"},
                              {"b.txt", "def no\nx.y(z\n"},
                              {"picture", std::string("def \0", 5)},
                              {"latin", "def \xff"}});
  CHECK(said(branch, "grep", {{"text", "x.y("}}).find("b.txt:2: x.y(z\n") != std::string::npos);
  const std::string found = said(branch, "grep", {{"pattern", "^def \\w+\\("}, {"under", "a"}});
  CHECK(found.find("2 lines in 1 of the workspace's files") != std::string::npos);
  CHECK(found.find("a/one.py:2: def quick(a):\na/one.py:6: def Slow(a):\n") != std::string::npos);
  CHECK(said(branch, "grep", {{"text", "SLOW"}}).find("It is in no file.") == 0);
  CHECK(said(branch, "grep", {{"text", "SLOW"}, {"ignore_case", true}}).find("one.py:6: ") != std::string::npos);
  const std::string with = said(branch, "grep", {{"text", "def"}, {"context", 1}, {"under", "a"}});
  CHECK(with.find("a/one.py-1- import x\na/one.py:2: def quick(a):\na/one.py-3-   return a\n--\n"
                  "a/one.py-5- \na/one.py:6: def Slow(a):\na/one.py-7-   pass\n") != std::string::npos);
  CHECK(said(branch, "grep", {{"text", "def"}}).find("Not searched, being no text or larger than 4 MB: 2 of") !=
        std::string::npos);
  CHECK(refused(branch, "grep", {{"under", "a"}}) == "say either `text` or `pattern`");
  CHECK(refused(branch, "grep", {{"text", "a"}, {"pattern", "a"}}) == "say either `text` or `pattern`");
  CHECK(refused(branch, "grep", {{"pattern", "(a"}}) == "the pattern is none in RE2's syntax: missing ): (a");
  CHECK(refused(branch, "grep", {{"pattern", "(?=a)"}}).find("the pattern is none") == 0);
}

TEST_CASE("no pattern takes long, whatever it is matched with, and a long answer is cut") {
  const std::string ones(3 << 20, 'a');
  std::string mixed;
  for (unsigned i = 0, x = 1; i < (1u << 20); ++i, x = x * 1103515245u + 12345u) mixed += x & 0x40000u ? 'a' : 'b';
  agents::Branch branch = of({{"a", ones}, {"b", ones + "\n"}, {"A", mixed}, {"B", mixed}});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(said(branch, "grep", {{"pattern", "(a*)*c"}}).find("It is in no file.") == 0);
  CHECK(said(branch, "grep", {{"pattern", "(a|a?)+$"}}).size() < 2000);
  const std::string tangled = "(a|b)*a(a|b){300}c";
  CHECK(said(branch, "grep", {{"pattern", tangled}}).find("files were not reached") != std::string::npos);
  CHECK(refused(branch, "grep", {{"pattern", "((a{100}){100}){100}"}}).find("the pattern is none") == 0);
  CHECK(refused(branch, "grep", {{"pattern", "(x|y){600}z"}}).find("the pattern is too large") == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "a line with some words in it that goes on for a while\n";
  agents::Branch long_one = of({{"many", many}});
  const std::string cut = said(long_one, "grep", {{"text", "line"}, {"context", 10}});
  CHECK(cut.find("… and 4800 more lines.") != std::string::npos);
  CHECK(cut.size() < 100'000);
}
