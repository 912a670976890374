#include "apps/cli/terminal/table.h"

#include <catch2/catch.hpp>

#include "tests/aborts.h"

using namespace cli;

namespace {

Table runs() {
  Table table({{"id"}, {"time", Column::Align::right}, {"reason", Column::Align::left, 6}});
  table.add({"a-r1", "1.2 s", "timed out after 60 s"});
  table.add({"a-r20", "63 ms", ""});
  return table;
}

}  // namespace

TEST_CASE("columns are aligned and lines carry no trailing space") {
  CHECK(runs().text({}) ==
        "id      time  reason\n"
        "a-r1   1.2 s  timed out after 60 s\n"
        "a-r20  63 ms\n");
}

TEST_CASE("a narrow terminal cuts the columns that may shrink, visibly, and no row") {
  CHECK(runs().text({24, false}) ==
        "id      time  reason\n"
        "a-r1   1.2 s  timed out…\n"
        "a-r20  63 ms\n");
}

TEST_CASE("a terminal too narrow for the fixed columns gets whole lines, not missing columns") {
  CHECK(runs().text({5, false}) ==
        "id      time  reason\n"
        "a-r1   1.2 s  timed…\n"
        "a-r20  63 ms\n");
}

TEST_CASE("a column that wraps shows its whole text on more lines") {
  Table table({{"id"}, {.title = "statement", .least = 10, .wraps = true}, {"n", Column::Align::right}});
  table.add({"H1", "fast costs less than slow", "12"});
  table.add({"H2", "short", "6"});
  CHECK(table.text({20, false}) ==
        "id  statement      n\n"
        "H1  fast costs    12\n"
        "    less than\n"
        "    slow\n"
        "H2  short          6\n");
  CHECK(table.fits({20, false}));
  CHECK(table.fits({18, false}));
  CHECK_FALSE(table.fits({17, false}));
  CHECK(table.fits({}));
}

TEST_CASE("a narrow terminal leaves out the columns that matter least, before a cell has to wrap") {
  Table table({{"id"},
               {.title = "state", .least = 9, .wraps = true},
               {.title = "opened", .leaves = 2},
               {.title = "left", .align = Column::Align::right, .leaves = 1},
               {.title = "title", .least = 6}});
  table.add({"s1", "waiting for approval", "2026-11-20", "8 s", "Fast against slow"});
  CHECK(table.text({64, false}) ==
        "id  state                 opened      left  title\n"
        "s1  waiting for approval  2026-11-20   8 s  Fast against slow\n");
  CHECK(table.text({40, false}) ==
        "id  state                 left  title\n"
        "s1  waiting for approval   8 s  Fast ag…\n");
  CHECK(table.text({36, false}) ==
        "id  state                 title\n"
        "s1  waiting for approval  Fast agai…\n");
  CHECK(table.text({24, false}) ==
        "id  state         title\n"
        "s1  waiting for   Fast …\n"
        "    approval\n");
  CHECK(table.fits({21, false}));
  CHECK_FALSE(table.fits({20, false}));
}

TEST_CASE("a cell cannot break its row or drive the terminal") {
  Table table({{"title"}, {"n"}});
  table.add({"two\nlines \x1b[2J", "1"});
  CHECK(table.text({}) ==
        "title              n\n"
        "two lines \\x1b[2J  1\n");
}

TEST_CASE("wide characters are counted by the columns they fill") {
  Table table({{"title"}, {"n"}});
  table.add({"研究", "1"});
  table.add({"ab", "2"});
  CHECK(table.text({}) ==
        "title  n\n"
        "研究   1\n"
        "ab     2\n");
}

TEST_CASE("style does not disturb the alignment") {
  Table table({{"verdict"}, {"n"}});
  table.add({{"ok", TextStyle::supported}, "1"});
  CHECK(table.text({0, true}) ==
        "\x1b[1mverdict\x1b[0m  \x1b[1mn\x1b[0m\n"
        "\x1b[1;32mok\x1b[0m       1\n");
}

TEST_CASE("a row with another number of cells is a defect in the caller") {
  Table table({{"a"}, {"b"}});
  CHECK(last_words([&] { table.add({"1"}); }));
}
