#include "apps/session/prepare/missing_scripts.h"

#include <catch2/catch.hpp>

#include "tests/cli/draft/temp_folder.h"

using session::script_of;

namespace {

kernel::CommandTemplate shell(const std::string& text) {
  return {true, {text}};
}

/// The texts of the warnings, for a workspace with these entries.
std::vector<std::string> warned(const std::string& command, const std::vector<std::string>& entries) {
  kernel::StudySpec spec;
  spec.file = "study.yaml";
  spec.workspace.path = "/no-such-folder";
  spec.run = shell(command);
  std::vector<std::string> texts;
  for (const kernel::Problem& one : session::missing_scripts(spec, entries)) texts.push_back(one.text());
  return texts;
}

}  // namespace

TEST_CASE("a script is a word that certainly names a file of the workspace") {
  CHECK(script_of(shell("python3 train.py --lr {lr}")) == "train.py");
  CHECK(script_of(shell("PYTHONPATH=src /usr/bin/python3.11 -u -S ./tools/../train.py")) == "train.py");
  CHECK(script_of(shell("\n  bash -eux \\\n  bin/go.sh {n} > log; python3 other.py")) == "bin/go.sh");
  CHECK(script_of(shell("./build/sort {n}")) == "build/sort");
  CHECK(script_of(shell("Rscript fit.R|tee log")) == "fit.R");
  CHECK(script_of({false, {"python3", "train.py", "--name", "{name}"}}) == "train.py");
  CHECK(script_of(shell("cd src && python3 train.py")) == "src/train.py");
  CHECK(script_of(shell("set -e; cd ./a\n cd b && X=1 exec python3 ../train.py {n}")) == "a/train.py");
  CHECK(script_of(shell(". venv/bin/activate && export N=2 && uv run python3 train.py")) == "train.py");
  CHECK(script_of(shell("torchrun --nproc-per-node 2 --standalone train.py --module x")) == "train.py");
  CHECK(script_of(shell("accelerate launch --config_file a.yaml train.py")) == "train.py");
  CHECK(script_of({false, {"bash", "-euc", "cd src && python3 train.py --lr {lr}"}}) == "src/train.py");
}

TEST_CASE("a word that may mean something else is no script") {
  for (const char* command : {"python3 -m train",
                              "python3 -c train.py",
                              "python3 {script}.py",
                              "python3 \"train.py\"",
                              "python3 $DIR/train.py",
                              "python3 -X dev train.py",
                              "cd /src && python3 train.py",
                              "cd .. && python3 train.py",
                              "cd $SRC && python3 train.py",
                              "make && python3 train.py",
                              "git pull; python3 train.py",
                              "python3 -m venv x && python3 train.py",
                              "true || python3 train.py",
                              "python3 /opt/train.py",
                              "python3 ../train.py",
                              "python3 train",
                              "cat train.py",
                              "$PYTHON train.py",
                              "torchrun --nproc-per-node 2 -m train.py",
                              "accelerate config train.py",
                              "python3",
                              "./",
                              "python3 > train.py",
                              "",
                              "# python3 train.py",
                              "python3 tr*.py",
                              "sort.py {n}",
                              "if true; then ./x; fi"})
    CHECK(script_of(shell(command)) == "");
  CHECK(script_of({false, {}}) == "");
  CHECK(script_of({false, {"A=1", "train.py"}}) == "");
}

TEST_CASE("a script that is not in the workspace gets a warning with the nearest file") {
  CHECK(warned("python3 train.py", {"train.py"}).empty());
  CHECK(warned("python3 trian.py", {"data.txt", "train.py"}) ==
        std::vector<std::string>{"study.yaml: run: `trian.py` is not in the workspace: did you mean `train.py`?"});
  CHECK(warned("python3 train.py", {"src/train.py", "trains.py"}) ==
        std::vector<std::string>{"study.yaml: run: `train.py` is not in the workspace: did you mean `src/train.py`?"});
  CHECK(warned("./go", {"far-away.sh"}) ==
        std::vector<std::string>{
            "study.yaml: run: `go` is not in the workspace: correct the path, or add the file to /no-such-folder"});
  // Below a link there may be anything.
  CHECK(warned("python3 lib/train.py", {"lib"}).empty());
}

TEST_CASE("each stage is named, and what may still be written is not missing") {
  kernel::StudySpec spec;
  spec.file = "study.yaml";
  spec.stages = {{"prepare", {}, shell("python3 prepare.py"), {}, {}, {}}, {"fit", {}, shell("./fit"), {}, {}, {}}};
  const auto found = session::missing_scripts(spec, {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].text().starts_with("study.yaml: stages.prepare.run: `prepare.py`"));
  CHECK(found[1].text().starts_with("study.yaml: stages.fit.run: `fit`"));
  kernel::StudySpec by_agents = spec, by_setup = spec;
  by_agents.agents = "a profile";
  by_setup.setup.emplace();
  CHECK(session::missing_scripts(by_agents, {}).empty());
  CHECK(session::missing_scripts(by_setup, {}).empty());
}

TEST_CASE("a script that an ignore file leaves out is told apart from one that does not exist") {
  const test::TempFolder folder;
  folder.write("train.py", "");
  kernel::StudySpec spec;
  spec.file = "study.yaml";
  spec.workspace.path = folder.path();
  spec.run = shell("python3 train.py");
  const auto found = session::missing_scripts(spec, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].text() ==
        "study.yaml: run: `train.py` is left out of the workspace: see .gitignore, .etudeignore and "
        "`workspace.exclude`; the line `!/train.py` in .etudeignore takes it in");
}
