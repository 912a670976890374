#include "executors/toolchain/toolchain.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "executors/devices/machine.h"
#include "executors/sandbox/sandbox_view.h"
#include "executors/toolchain/command_words.h"
#include "executors/toolchain/program_queries.h"
#include "programs/run_program.h"
#include "tests/executors/fixture.h"
#include "tests/executors/toolchain/test_machine.h"

using namespace executors;
using Catch::Matchers::Contains;
using test::contains;
using test::Folder;
using test::Machine;
using test::program;
using test::seen_inside;
using Words = std::vector<std::string>;

namespace {

Words words(const std::string& shell) {
  return program_words({true, {shell}});
}

}  // namespace

TEST_CASE("the programs of a command are found in the shell's simple cases") {
  CHECK(words("python3 sort.py --n {n}") == Words{"python3"});
  CHECK(words("cd src && make -j2; ./prog {x} | tee out > log 2>&1 & wait") == Words{"make", "./prog", "tee"});
  CHECK(words("A=1 B='x y' python3 x.py || exit 3") == Words{"python3"});
  CHECK(words("OMP_NUM_THREADS=1 env -u X FOO=bar nice -n 5 timeout -k 1 10s torchrun t.py") ==
        Words{"env", "nice", "timeout", "torchrun"});
  CHECK(words("if [ -f x ]; then gcc x.c; else clang x.c; fi") == Words{"gcc", "clang"});
  CHECK(words("for i in a b c; do julia $i; done") == Words{"julia"});
  CHECK(words("while read x; do awk '{{print}}'; done < in.txt") == Words{"awk"});
  CHECK(words("(cd a; node b.js) && {{ Rscript c.R; }}") == Words{"node", "Rscript"});
  CHECK(words("echo \"a; rm b\" 'c | d' # e; f") == Words{});
  CHECK(words("x=$(git rev-parse HEAD); `which foo` bar; $PROG x") == Words{"git", "which"});
  CHECK(words("bash -c 'cmake . && ninja' ; sh -ec \"perl x\"") == Words{"bash", "cmake", "ninja", "sh", "perl"});
  CHECK(words("run() {{ ls; }}; run; run") == Words{"ls"});
  CHECK(words("python3 - <<EOF\nnot a program\nEOF") == Words{"python3"});
  CHECK(words("exec /opt/x/bin/y --a\n./z") == Words{"/opt/x/bin/y", "./z"});
  CHECK(words("diff <(sort a) b; cat < in") == Words{"diff", "sort", "cat"});
  CHECK(words("{solver} --x {x}") == Words{"{solver}"});
  CHECK(program_words({false, {"python3", "a; b"}}) == Words{"python3"});
  CHECK(program_words({false, {"env", "X=1", "sh", "-c", "ls | wc"}}) == Words{"env", "sh", "ls", "wc"});
}

TEST_CASE("any bytes at all are a command whose programs can be looked for") {
  unsigned state = 1;
  const std::string alphabet = "ab $`'\"\\(){}<>|&;#=\n-{x}/";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) text += alphabet[(state = state * 1664525 + 1013904223) / 7919 % alphabet.size()];
    words(text);
  }
  SUCCEED();
}

TEST_CASE("programs of the system need nothing and stay what they are") {
  const Machine machine("awk 1 x | sh -c 'cat'");
  const auto record = machine.record();
  CHECK(record.toolchain.prefixes.empty());
  CHECK(record.toolchain.path.front() == "/usr/local/bin");
  CHECK(record.programs.size() == 3);
  CHECK(record.programs[0].name == "awk");
  CHECK(record.machine.contains("cpu") == machine_facts().contains("cpu"));
  CHECK(record.machine.at("cores") != "0");
}

TEST_CASE("an unknown program is refused by name, with a hint where the workspace has one") {
  CHECK_THAT(Machine("nosuchprog x").refusal(), Contains("`nosuchprog` is not on PATH"));
  Machine machine("run.sh");
  program(machine.folder / "ws/run.sh", "#!/bin/sh\n");
  CHECK_THAT(machine.refusal(), Contains("write ./run.sh"));
  CHECK_THAT(Machine("/opt/nowhere/bin/x").refusal(), Contains("`/opt/nowhere/bin/x` is not an executable file"));
  CHECK_THAT(Machine("~/bin/x").refusal(), Contains("`~` is another folder"));
}

TEST_CASE("programs that are not there are known without starting any") {
  const auto missing = [](const Machine& machine) {
    std::string all;
    for (const kernel::Problem& problem : missing_programs(machine.query, machine.own)) all += problem.text() + "\n";
    return all;
  };
  CHECK(missing(Machine("awk x | sed y && {tool} z")).empty());
  CHECK_THAT(missing(Machine("nosuchprog x && awk y && nosuchother z")),
             Contains("`nosuchprog` is not on PATH") && Contains("`nosuchother` is not on PATH"));
  Machine machine("python x.py");
  machine.query.environment.use = "venv:nowhere";
  CHECK_THAT(missing(machine), Contains("there is no virtual environment at"));
}

TEST_CASE("the workspace's own scripts need their interpreter") {
  Machine machine("./run.nosuch && ./built-later");
  program(machine.folder / "ws/run.nosuch", "#!/usr/bin/env nosuchlang\n");
  CHECK_THAT(machine.refusal(), Contains("run.nosuch needs it: `nosuchlang` is not on PATH"));
  program(machine.folder / "ws/run.nosuch", "#!/usr/bin/env perl\n");
  CHECK(machine.record().programs[0].name == "perl");
}

TEST_CASE("a placeholder as program is looked up for each of its values, and refused where they are not known") {
  Machine machine("{tool} x; ./{tool}");
  CHECK_THAT(machine.refusal(), Contains("which program `{tool}` is cannot be known"));
  machine.query.values["tool"] = {"awk", "sed"};
  CHECK(machine.record().programs.size() == 2);
  machine.query.values["tool"] = {"awk", "nosuchprog"};
  CHECK_THAT(machine.refusal(), Contains("`nosuchprog` is not on PATH"));
}

TEST_CASE("a program with an installation of its own brings it along") {
  if (!test::has_sandbox()) return;
  Machine machine("tool");
  program(machine.folder / "opt/tool-1/bin/tool", "#!/bin/sh\ncat $(dirname $0)/../share/text\n");
  test::write(machine.folder / "opt/tool-1/share/text", "with its data\n");
  machine.prepend("opt/tool-1/bin");
  const auto record = machine.record();
  CHECK(record.toolchain.prefixes == Words{machine.folder / "opt/tool-1"});
  CHECK(record.toolchain.path.front() == machine.folder / "opt/tool-1/bin");
  CHECK(seen_inside(machine, record) == "with its data\n");
}

TEST_CASE("of a folder that holds more than programs only the program itself is shown") {
  if (!test::has_sandbox()) return;
  for (const std::string place : {"home/.local/bin", "home/bin", "home"}) {
    Machine machine("");
    machine.query.commands[0].words[0] = "tool; ls -A " + (machine.folder / "home");
    program(machine.folder / (place + "/tool"), "#!/bin/sh\necho here\n");
    test::write(machine.folder / "home/.local/share/keyrings/login", "key");
    test::write(machine.folder / "home/notes", "private");
    machine.prepend(place);
    const auto record = machine.record();
    CHECK(record.toolchain.prefixes == Words{machine.folder / (place + "/tool")});
    const std::string text = seen_inside(machine, record);
    CHECK_THAT(text, Catch::Matchers::StartsWith("here\n"));
    CHECK_THAT(text, !Contains("notes") && !Contains("share"));
  }
}

TEST_CASE("a program reached through links is shown with what they lead to") {
  if (!test::has_sandbox()) return;
  Machine machine("tool");
  program(machine.folder / "apps/t/bin/tool", "#!/bin/sh\necho linked\n");
  std::filesystem::create_directories(machine.folder / "home/.local/bin");
  std::filesystem::create_symlink(machine.folder / "apps/t/bin/tool", machine.folder / "home/.local/bin/tool");
  machine.prepend("home/.local/bin");
  CHECK(seen_inside(machine, machine.record()) == "linked\n");
}

TEST_CASE("the interpreter behind a shim is asked who it is, and is the one used inside") {
  if (!test::has_sandbox()) return;
  Machine machine("python3 -c 'import sys; print(sys.executable); print(sys.prefix)'");
  // A virtual environment stands for an installation of its own; the shim is a script that starts it.
  test::run_to_end({"/usr/bin/python3", "-m", "venv", "--without-pip", machine.folder / "py"});
  program(machine.folder / "shims/python3", "#!/bin/sh\nexec " + (machine.folder / "py/bin/python3") + " \"$@\"\n");
  machine.prepend("shims");
  const auto record = machine.record();
  CHECK(contains(record.toolchain.prefixes, machine.folder / "py"));
  CHECK(record.toolchain.path.front() == machine.folder / "py/bin");
  CHECK(record.programs[0].name == "python3");
  CHECK_THAT(record.programs[0].version, Catch::Matchers::StartsWith("Python 3."));
  CHECK(seen_inside(machine, record) == (machine.folder / "py/bin/python3") + "\n" + (machine.folder / "py") + "\n");
}

TEST_CASE("a shim that would silently become another interpreter inside is refused by name") {
  Machine machine("python3.99 x.py");
  program(machine.folder / "shims/python3.99", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n");
  machine.prepend("shims");
  CHECK_THAT(machine.refusal(),
             Contains("`python3.99` is " + (machine.folder / "shims/python3.99") + " and starts /usr/bin/python3"));
}

TEST_CASE("a Python that does not answer is refused, not waited for or replaced") {
  Machine machine("python3 x.py");
  program(machine.folder / "bin/python3", "#!/bin/sh\necho broken >&2; exit 1\n");
  machine.prepend("bin");
  CHECK_THAT(machine.refusal(), Contains("does not answer as a Python: broken"));
}

TEST_CASE("two programs whose folders hide each other are refused by name") {
  Machine machine("one; two");
  program(machine.folder / "a/bin/one", "#!/bin/sh\n");
  program(machine.folder / "a/bin/two", "#!/bin/sh\n");
  program(machine.folder / "b/bin/two", "#!/bin/sh\necho b\n");
  machine.prepend("a/bin");
  machine.prepend("b/bin");
  CHECK_THAT(machine.refusal(), Contains("`two` is " + (machine.folder / "b/bin/two") + ", but would be " +
                                         (machine.folder / "a/bin/two")));
}

TEST_CASE("a virtual environment comes first, with its base, by any of its names") {
  if (!test::has_sandbox()) return;
  Machine machine(
      "python -c 'import os, sys; print(sys.prefix == os.environ[\"VIRTUAL_ENV\"])'; python3 -c 'import mine'; script");
  test::run_to_end({"/usr/bin/python3", "-m", "venv", "--without-pip", machine.folder / "ws/.venv"});
  const std::string site = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(machine.folder / "ws/.venv/lib"))
      return entry.path().string() + "/site-packages";
    return std::string();
  }();
  test::write(site + "/mine.py", "print('mine')\n");
  program(machine.folder / "ws/.venv/bin/script", "#!" + (machine.folder / "ws/.venv/bin/python3") + "\nimport mine\n");
  machine.query.environment.use = "venv:.venv";
  const auto record = machine.record();
  CHECK(record.toolchain.variables.at("VIRTUAL_ENV") == machine.folder / "ws/.venv");
  CHECK(seen_inside(machine, record) == "True\nmine\nmine\n");
  machine.query.environment.use = "venv:nowhere";
  CHECK_THAT(machine.refusal(), Contains("there is no virtual environment at " + (machine.folder / "ws/nowhere")));
  machine.query.environment.use = "docker:x";
  CHECK_THAT(machine.refusal(), Contains("`docker:x` is not available yet"));
}

TEST_CASE("a stranger's study starts nothing to answer for it but the system's programs and those on PATH") {
  Machine machine("true");
  const std::string mark = machine.folder / "started";
  for (const char* place : {"ws/env/bin/python", "ws/bin/gcc", "mine/gcc"})
    program(machine.folder / place, "#!/bin/sh\ntouch '" + mark + "'\necho gcc 1\n");
  machine.query.untrusted = true;
  CHECK(machine.resolve());

  machine.query.environment.use = "venv:env";
  CHECK_THAT(machine.refusal(), Contains("a stranger chose"));
  machine.query.environment.use = "";
  for (const std::string place : {"ws/env/bin/python", "ws/bin/gcc", "mine/gcc"}) {
    machine.query.commands = {{true, {(machine.folder / place) + " x"}}};
    CHECK_THAT(machine.refusal(), Contains("nor on your PATH"));
  }
  // Nor by way of a script's first line.
  program(machine.folder / "ws/run", "#!" + (machine.folder / "ws/bin/gcc") + "\n");
  machine.query.commands = {{true, {"./run"}}};
  CHECK_THAT(machine.refusal(), Contains("nor on your PATH"));
  CHECK_FALSE(std::filesystem::exists(mark));

  machine.prepend("mine");
  machine.query.commands = {{true, {(machine.folder / "mine/gcc") + " x"}}};
  CHECK(machine.record().programs.back().version == "gcc 1");
}

TEST_CASE("packages a person installed for themselves are seen inside, and nothing else of their home") {
  if (!test::has_sandbox()) return;
  Machine machine("");
  machine.query.commands[0].words[0] =
      "/usr/bin/python3 -c 'import own_package'; ls " + (machine.folder / "home/.local");
  const kernel::EnvironmentRecord before = machine.record();
  CHECK(before.toolchain.prefixes.empty());
  const std::string version = before.programs[0].version.substr(7, before.programs[0].version.rfind('.') - 7);
  test::write(machine.folder / ("home/.local/lib/python" + version + "/site-packages/own_package.py"),
              "print('own')\n");
  test::write(machine.folder / "home/.local/share/secret", "secret");
  const auto record = machine.record();
  CHECK(record.toolchain.prefixes.size() == 1);
  CHECK(seen_inside(machine, record) == "own\nlib\n");
}

TEST_CASE("PATH cannot be set behind the toolchain's back") {
  Machine machine("awk 1");
  machine.query.environment.set["PATH"] = "/opt/bin";
  CHECK_THAT(machine.refusal(), Contains("environment.set.PATH"));
}

TEST_CASE("homes and the machine's own state are never shown whole") {
  CHECK_FALSE(may_show("/", "/home/u"));
  CHECK_FALSE(may_show("/opt", "/home/u"));
  CHECK_FALSE(may_show("/home", "/home/u"));
  CHECK_FALSE(may_show("/home/u", "/home/u"));
  CHECK_FALSE(may_show("/home/other", "/home/u"));
  CHECK_FALSE(may_show("/root", "/home/u"));
  CHECK_FALSE(may_show("/home/u/.local", "/home/u"));
  CHECK_FALSE(may_show("/home/u/.cargo", "/home/u"));
  CHECK_FALSE(may_show("/run/user/0", "/home/u"));
  CHECK_FALSE(may_show("/etc/x", "/home/u"));
  CHECK_FALSE(may_show("/srv/homes", "/srv/homes/u"));
  CHECK(may_show("/opt/x", "/home/u"));
  CHECK(may_show("/home/u/miniconda3", "/home/u"));
  CHECK(may_show("/root/.pyenv/versions/3.11.7", "/root"));
}

TEST_CASE("programs are asked about themselves without the kernel's environment") {
  const Folder folder;
  test::write(folder / ".python-version", "3.11.7\n");
  const auto asking =
      asking_environment({{"PATH", "/usr/bin"}, {"OPENAI_API_KEY", "x"}, {"PYENV_ROOT", "/p"}}, folder.path());
  CHECK_FALSE(asking.contains("OPENAI_API_KEY"));
  CHECK(asking.at("PYENV_ROOT") == "/p");
  CHECK(asking.at("PYENV_VERSION") == "3.11.7");
  test::write(folder / ".python-version", "../../evil\n");
  CHECK_FALSE(asking_environment({}, folder.path()).contains("PYENV_VERSION"));
}

TEST_CASE("whatever python3 is on this machine's own PATH, it is the same inside or refused by name") {
  if (!test::has_sandbox()) return;
  Machine machine("python3 -c 'import os, sys; print(os.path.realpath(sys.executable))'");
  machine.own = programs::own_environment();
  const auto result = machine.resolve();
  if (!result) {
    CHECK_THAT(result.problem().text(), Contains("python3"));
    return;
  }
  CHECK(seen_inside(machine, *result) == result->programs[0].path + "\n");
}
