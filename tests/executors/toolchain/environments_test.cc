// Environments that a study names: what is found, what is recorded, and what a job sees of it.
#include <filesystem>

#include "executors/toolchain/activation.h"
#include "programs/find_program.h"
#include "tests/executors/toolchain/test_machine.h"

using namespace executors;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::contains;
using test::Machine;
using test::program;
using test::seen_inside;

namespace {

const kernel::ProgramRecord& recorded(const kernel::EnvironmentRecord& record, const std::string& name) {
  const auto found = std::ranges::find(record.programs, name, &kernel::ProgramRecord::name);
  REQUIRE(found != record.programs.end());
  return *found;
}

std::string site_packages(const std::string& venv) {
  for (const auto& entry : std::filesystem::directory_iterator(venv + "/lib"))
    return entry.path().string() + "/site-packages";
  return "";
}

void make_venv(const std::string& folder) {
  test::run_to_end({"/usr/bin/python3", "-m", "venv", "--without-pip", folder});
}

/// A package as its installation lists it.
void install(const std::string& venv, const std::string& name_version) {
  test::write(site_packages(venv) + "/" + name_version + ".dist-info/METADATA", "Metadata-Version: 2.1\n");
}

/// A conda environment as conda leaves it.
std::string conda_environment(const Machine& machine) {
  const std::string folder = machine.folder / "home/miniconda3/envs/e1";
  program(folder + "/bin/tool", "#!/bin/sh\necho \"$GREETING $SCALE $CONDA_DEFAULT_ENV\"\n");
  test::write(folder + "/conda-meta/tool-1.2-h0_1.json", "{}");
  test::write(folder + "/conda-meta/lib-with-dash-0.9-0.json", "{}");
  test::write(folder + "/conda-meta/state", R"({"version": 1, "env_vars": {"SCALE": "7 'x'"}})");
  test::write(folder + "/etc/conda/activate.d/tool.sh", "false\nexport GREETING=\"hello from $CONDA_PREFIX\"\n");
  return folder;
}

}  // namespace

TEST_CASE("lines that activate an environment are run once, and jobs get what they changed") {
  if (!test::has_sandbox()) return;
  Machine machine("tool");
  program(machine.folder / "opt/t/bin/tool", "#!/bin/sh\necho \"$A_NUMBER $(cat $TOOL_HOME/share/text)\"\n");
  test::write(machine.folder / "opt/t/share/text", "of its own");
  test::write(machine.folder / "ws/env.sh", "export A_NUMBER=3 TOOL_HOME=" + (machine.folder / "opt/t") + "\n");
  machine.own["NOT_FOR_IT"] = "x";
  machine.query.environment.use =
      "activate:. ./env.sh\nexport PATH=" + (machine.folder / "opt/t/bin") + ":$PATH SEEN=${NOT_FOR_IT:-clean}";
  const auto record = machine.record();
  CHECK(record.toolchain.variables.at("A_NUMBER") == "3");
  CHECK(record.toolchain.variables.at("SEEN") == "clean");
  CHECK_FALSE(record.toolchain.variables.contains("PATH"));
  CHECK(record.toolchain.path.front() == machine.folder / "opt/t/bin");
  CHECK(record.toolchain.prefixes == std::vector<std::string>{machine.folder / "opt/t"});
  CHECK_THAT(recorded(record, "environment").version, StartsWith("activated lines, changes sha256:"));
  CHECK(seen_inside(machine, record) == "3 of its own\n");

  // The record tells one outcome of the lines from another.
  test::write(machine.folder / "ws/env.sh", "export A_NUMBER=4 TOOL_HOME=" + (machine.folder / "opt/t") + "\n");
  CHECK(recorded(machine.record(), "environment").version != recorded(record, "environment").version);
}

TEST_CASE("of the workspace, lines show jobs nothing but a virtual environment") {
  Machine machine("true");
  make_venv(machine.folder / "ws/.venv");
  test::write(machine.folder / "ws/src/m.py", "");
  machine.query.environment.use =
      "activate:source .venv/bin/activate\nexport PYTHONPATH=$PWD/src PROJECT=$PWD UP=" + machine.folder.path();
  const auto record = machine.record();
  CHECK(record.toolchain.prefixes == std::vector<std::string>{machine.folder / "ws/.venv"});
  CHECK(record.toolchain.path.front() == machine.folder / "ws/.venv/bin");
  CHECK(record.toolchain.variables.at("PYTHONPATH") == "src");
}

TEST_CASE("lines that fail, leave or set a key are refused with the reason") {
  Machine machine("true");
  const auto refusal = [&](const std::string& lines) {
    machine.query.environment.use = "activate:" + lines;
    return machine.refusal();
  };
  CHECK_THAT(refusal("export A=1\nls /nowhere/at/all\nexport B=2"),
             StartsWith("environment.use: `ls /nowhere/at/all` failed with status 2: ") && Contains("No such file"));
  CHECK_THAT(refusal("if true; then"), Contains("syntax error"));
  CHECK_THAT(refusal("exit 0"), Contains("its lines ended the shell: leave out `exit` and `exec`"));
  CHECK_THAT(refusal("export MY_API_TOKEN=sesame"),
             Contains("it sets `MY_API_TOKEN`, which looks as if it held a key") && !Contains("sesame"));
  CHECK_THAT(refusal("export HARMLESS=sk-ant-api03-" + std::string(95, 'a')), Contains("it sets `HARMLESS`"));
  machine.query.environment.use = "activate:[ -e /nowhere ] || true\nfalse || export A=1";
  CHECK(machine.record().toolchain.variables.at("A") == "1");
}

TEST_CASE("a virtual environment is recorded with the digest of its packages") {
  Machine machine("python -c 1");
  make_venv(machine.folder / "ws/.venv");
  machine.query.environment.use = "venv:.venv";
  const std::string before = recorded(machine.record(), "environment").version;
  CHECK_THAT(before, StartsWith("virtual environment, 0 packages, sha256:"));
  install(machine.folder / "ws/.venv", "tinydep-1.0");
  const auto record = machine.record();
  CHECK_THAT(recorded(record, "environment").version, StartsWith("virtual environment, 1 package, sha256:"));
  CHECK(recorded(record, "environment").path == machine.folder / "ws/.venv");
  CHECK(record.libraries.at("python").at("tinydep") == "1.0");
  CHECK(executors::named_environment(machine.query, machine.own)->version == recorded(record, "environment").version);
  std::filesystem::rename(site_packages(machine.folder / "ws/.venv") + "/tinydep-1.0.dist-info",
                          site_packages(machine.folder / "ws/.venv") + "/tinydep-1.1.dist-info");
  CHECK(recorded(machine.record(), "environment").version != recorded(record, "environment").version);
}

TEST_CASE("a package that is linked to its source is imported from the frozen copy, or shown where it is") {
  if (!test::has_sandbox()) return;
  Machine machine("python -c 'import mine, other'");
  make_venv(machine.folder / "ws/.venv");
  test::write(machine.folder / "ws/src/mine.py", "import os; print(os.path.dirname(__file__))\n");
  test::write(machine.folder / "other/src/other.py", "print('other')\n");
  test::write(site_packages(machine.folder / "ws/.venv") + "/links.pth",
              (machine.folder / "ws/src") + "\n" + (machine.folder / "other/src") + "\n");
  machine.query.environment.use = "venv:.venv";
  const auto record = machine.record();
  CHECK(record.toolchain.variables.at("PYTHONPATH") == "src");
  CHECK(seen_inside(machine, record) == "/etude/work/src\nother\n");
  machine.query.untrusted = true;
  machine.query.environment.use = "system";
  machine.query.commands = {{true, {"python3 -c 1"}}};
  machine.prepend("ws/.venv/bin");
  CHECK_FALSE(contains(machine.record().toolchain.prefixes, machine.folder / "other/src"));
}

TEST_CASE("a conda environment is found by name or path, activated, shown whole and recorded with its packages") {
  if (!test::has_sandbox()) return;
  Machine machine("tool");
  const std::string folder = conda_environment(machine);
  for (const std::string use : {"conda:e1", "conda:../home/miniconda3/envs/e1"}) {
    machine.query.environment.use = use;
    const auto record = machine.record();
    CHECK(record.toolchain.path.front() == folder + "/bin");
    CHECK(record.toolchain.variables.at("GREETING") == "hello from " + folder);
    CHECK(record.libraries.at("conda") ==
          std::map<std::string, std::string>{{"tool", "1.2 h0_1"}, {"lib-with-dash", "0.9 0"}});
    CHECK_THAT(recorded(record, "environment").version, StartsWith("conda, 2 packages, sha256:"));
    CHECK_THAT(seen_inside(machine, record), StartsWith("hello from " + folder + " 7 'x' "));
  }
  machine.query.environment.use = "conda:e2";
  const auto absent = machine.resolve();
  REQUIRE_FALSE(absent);
  CHECK_THAT(absent.problem().text(), Contains("there is no conda environment `e2`: create it: conda create -n e2"));
  CHECK_FALSE(absent.problem().machine);
}

TEST_CASE("what a machine lacks for an environment is told apart from what a study names wrongly") {
  Machine machine("true");
  const auto problem = [&](const std::string& use) {
    machine.query.environment.use = use;
    const auto result = machine.resolve();
    REQUIRE_FALSE(result);
    return result.problem();
  };
  CHECK(problem("conda:e1").machine);
  CHECK_THAT(problem("conda:e1").text(), Contains("there is no conda here"));
  CHECK_THAT(problem("uv").text(), Contains("there is no pyproject.toml in " + machine.query.workspace));
  test::write(machine.folder / "ws/pyproject.toml", "[project]\nname = 'x'\nversion = '1'\n");
  CHECK_THAT(problem("uv").text(), Contains("there is no uv.lock in") && Contains("run `uv lock` there"));
  test::write(machine.folder / "ws/uv.lock", "version = 1\n");
  CHECK_THAT(problem("uv").text(),
             Contains("there is no virtual environment") && Contains("run `uv sync --frozen` in"));
  make_venv(machine.folder / "ws/.venv");
  machine.own["PATH"] = machine.folder / "home";
  CHECK(problem("uv").machine);
  CHECK_THAT(problem("uv").text(), Contains("`uv` is not on PATH"));
}

TEST_CASE("modules are loaded once, and jobs get what they set") {
  if (!programs::is_file("/usr/share/modules/init/bash")) {
    WARN("skipped: Debian's environment-modules is not installed");
    return;
  }
  if (!test::has_sandbox()) return;
  Machine machine("tool");
  program(machine.folder / "sw/tool-2.1/bin/tool", "#!/bin/sh\necho \"$TOOL_NAME $(type module 2>&1 | tail -c 10)\"\n");
  test::write(machine.folder / "modules/tool/2.1",
              "#%Module1.0\nprepend-path PATH " + (machine.folder / "sw/tool-2.1/bin") +
                  "\nsetenv TOOL_NAME hammer\nsetenv CUDA_HOME " + (machine.folder / "sw/cuda") + "\n");
  test::write(machine.folder / "sw/cuda/version.json", R"({"cuda" : {"name" : "CUDA SDK", "version" : "12.2.1"}})");
  machine.own["MODULEPATH"] = machine.folder / "modules";
  machine.own["LOADEDMODULES"] = "another/1";
  for (const std::string use : {"module:tool/2.1", "activate:module load tool/2.1"}) {
    machine.query.environment.use = use;
    const auto record = machine.record();
    CHECK(record.toolchain.path.front() == machine.folder / "sw/tool-2.1/bin");
    CHECK(record.toolchain.variables.at("TOOL_NAME") == "hammer");
    for (const char* bookkeeping : {"LOADEDMODULES", "_LMFILES_", "MODULEPATH"})
      CHECK_FALSE(record.toolchain.variables.contains(bookkeeping));
    CHECK(recorded(record, "module tool").version == "2.1");
    CHECK(recorded(record, "module tool").path == machine.folder / "modules/tool/2.1");
    CHECK(recorded(record, "CUDA").version == "12.2.1");
    CHECK(seen_inside(machine, record) == "hammer not found\n");
  }
  machine.query.environment.use = "module:tool/9";
  CHECK_THAT(machine.refusal(), Contains("`module load 'tool/9'` failed with status 1: ERROR: Unable to locate a "
                                         "modulefile for 'tool/9'"));
}
