#include "benchmarks/task_study.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "base/scratch_folder.h"
#include "benchmarks/scoring.h"

using namespace benchmarks;
namespace fs = std::filesystem;

namespace {

ExpTask masked_task() {
  ExpTask task;
  task.id = "7-1";
  task.question = "Is \"{{profile}}\" kept?";
  task.method = "Run {{missing}}.";
  task.outcome = "The secret outcome";
  task.requirements = {"the secret requirement"};
  task.masked = {"src/a.py"};
  return task;
}

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string taken(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a study has the code without what holds the solution") {
  const auto scratch = kernel::ScratchFolder::in_tmp("bench");
  const std::string source = scratch.file("7"), study = scratch.file("study");
  put(source + "/src/a.py", "solution");
  put(source + "/old/copy.py", "solution");
  put(source + "/src/b.py", "given");
  put(source + "/.git/HEAD", "ref");
  fs::create_symlink("src/a.py", source + "/link.py");
  const auto left_out = write_task_study(masked_task(), {"small"}, source, study);
  CHECK(left_out == std::vector<std::string>{"link.py", "old/copy.py", "src/a.py"});
  CHECK(taken(study + "/src/b.py") == "given");
  CHECK_FALSE(fs::exists(study + "/src/a.py"));
  CHECK_FALSE(fs::exists(study + "/old/copy.py"));
  CHECK_FALSE(fs::exists(study + "/.git"));
  CHECK(taken(study + "/" + experiment_file) == experiment_stub());
  // Nothing in the folder tells the outcome or what is required.
  for (const auto& entry : fs::recursive_directory_iterator(study))
    if (entry.is_regular_file()) CHECK(taken(entry.path()).find("secret") == std::string::npos);
}

TEST_CASE("what a task says is not taken for a mark of the texts") {
  const std::string text = task_text(masked_task());
  CHECK(text.find("Is \"{{profile}}\" kept?") != text.npos);
  CHECK(text.find("Run {{missing}}.") != text.npos);
  CHECK(text.find("- `src/a.py`\n") != text.npos);
  const std::string study = task_study_text(masked_task(), {"small", "30m", 2.5});
  CHECK(study.find("question: \"Is \\\"{{profile}}\\\" kept?") != study.npos);
  CHECK(study.find("agents: small\n") != study.npos);
  CHECK(study.find("budget: {wall: 30m, usd: 2.5}\n") != study.npos);
}

TEST_CASE("a task without its code, or without a file of it, is refused") {
  const auto scratch = kernel::ScratchFolder::in_tmp("bench");
  const std::string source = scratch.file("7");
  CHECK(refuse_by_source(masked_task(), source)->kind == TaskRefusal::source_absent);
  put(source + "/src/b.py", "given");
  CHECK(refuse_by_source(masked_task(), source)->kind == TaskRefusal::masked_absent);
  put(source + "/src/a.py", "solution");
  CHECK_FALSE(refuse_by_source(masked_task(), source));
}
