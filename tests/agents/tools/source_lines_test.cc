// Lines that do nothing, and files that a command opens.
#include "agents/thinking/workspace/source_lines.h"

#include <map>

#include <catch2/catch.hpp>

#include "tests/agents/toolbox.h"

using agents::does_something;
using agents::opened_by;

TEST_CASE("blank lines, comments, docstrings and bare signs do nothing") {
  const std::string py =
      "\n# the arm decides\nimport sys\n'''\nsaid only\n'''\n\"\"\"one line\"\"\"\n)\nx = 1  # said\n";
  CHECK_FALSE(does_something("a.py", py, 1, 2));
  CHECK(does_something("a.py", py, 1, 3));
  CHECK_FALSE(does_something("a.py", py, 7, 8));
  CHECK(does_something("a.py", py, 9, 9));
  const std::string c = "/* a\n b */ int x;\n// y\n#include <z>\n/* whole */\n}\n";
  CHECK_FALSE(does_something("a.c", c, 1, 1));
  CHECK(does_something("a.c", c, 2, 2));
  CHECK_FALSE(does_something("a.c", c, 3, 3));
  CHECK(does_something("a.c", c, 4, 4));
  CHECK_FALSE(does_something("a.c", c, 5, 6));
  CHECK(does_something("job.sh", "echo a\n", 1, 1));
  CHECK_FALSE(does_something("query.sql", "-- nothing\n", 1, 1));
}

TEST_CASE("opened are the files that the command names, and those that these name or import") {
  const std::map<std::string, std::string> files = {
      {"train.py", "from models.net import Net\nimport helper\nopen('data/a.csv')\n"},
      {"models/net.py", "import layers\n"},
      {"models/layers.py", ""},
      {"models/__init__.py", ""},
      {"helper.py", ""},
      {"data/a.csv", "1"},
      {"unused.py", "import train\n"},
      {"docs/notes.md", "train.py"}};
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) paths.push_back(path);
  const auto read = [&](const std::string& path) { return std::optional(files.at(path)); };
  const auto opened = opened_by({"python3 ./train.py --lr {lr}"}, paths, read);
  CHECK(opened == std::set<std::string>{"data/a.csv", "helper.py", "models/__init__.py", "models/layers.py",
                                        "models/net.py", "train.py"});
  CHECK(opened_by({"python3", "-m", "models.net"}, paths, read).contains("models/layers.py"));
  CHECK_FALSE(opened_by({"python3", "-m", "models.net"}, paths, read).contains("train.py"));
  CHECK(opened_by({"make all"}, paths, read).empty());
}
