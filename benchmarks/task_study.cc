#include "benchmarks/task_study.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "benchmarks/fill_mark.h"
#include "benchmarks/scoring.h"
#include "embedded/bench_texts.h"

namespace benchmarks {

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) throw std::system_error(errno, std::generic_category(), path.string());
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), path.string());
}

bool is_version_control(const fs::path& name) {
  return name == ".git" || name == ".hg" || name == ".svn";
}

/// The text as a scalar of YAML.
std::string scalar(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Copies what is not hidden, and returns the other files with the bytes of a hidden one.
std::vector<std::string> copy_unmasked(const fs::path& from, const fs::path& to, const std::set<std::string>& masked) {
  std::set<std::string> hashes;
  for (const std::string& path : masked)
    if (const std::string bytes = bytes_of(from / path); !bytes.empty()) hashes.insert(kernel::sha256_hex(bytes));
  std::vector<std::string> left_out;
  for (auto entry = fs::recursive_directory_iterator(from); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string path = entry->path().lexically_relative(from).generic_string();
    if (entry->is_symlink()) {
      left_out.push_back(path);  // It could lead to a masked file, or out of the folder.
    } else if (entry->is_directory()) {
      if (is_version_control(entry->path().filename())) entry.disable_recursion_pending();
    } else if (is_version_control(entry->path().filename())) {
      continue;  // A worktree's or submodule's pointer to its repository.
    } else if (entry->is_regular_file()) {
      if (masked.contains(path) || hashes.contains(kernel::sha256_hex(bytes_of(entry->path())))) {
        left_out.push_back(path);
      } else {
        fs::create_directories((to / path).parent_path());
        fs::copy_file(entry->path(), to / path);
      }
    }
  }
  std::ranges::sort(left_out);
  return left_out;
}

}  // namespace

std::optional<RefusedTask> refuse_by_source(const ExpTask& task, const std::string& source) {
  if (!fs::is_directory(source))
    return RefusedTask{task.id, TaskRefusal::source_absent,
                       task.masked.empty() ? "the paper's code is not here"
                                           : "the paper's code, with `" + task.masked.front() + "`, is not here",
                       "clone the paper's repository into " + source};
  for (const std::string& path : task.masked)
    if (!fs::is_regular_file(fs::symlink_status(fs::path(source) / path)))
      return RefusedTask{task.id, TaskRefusal::masked_absent, "`" + path + "` is not in " + source,
                         "check out the version of the repository that the task is about"};
  return std::nullopt;
}

std::string task_study_text(const ExpTask& task, const TaskLimits& limits) {
  std::string text(embedded::bench_texts("study.yaml"));
  // From the last mark to the first, so that no mark is looked for in what a task says.
  fill_mark(text, "{{profile}}", limits.profile);
  fill_mark(text, "{{budget}}",
            limits.usd ? fmt::format("{{wall: {}, usd: {}}}", limits.wall, *limits.usd)
                       : fmt::format("{{wall: {}}}", limits.wall));
  fill_mark(text, "{{timeout}}", limits.wall);
  fill_mark(text, "{{question}}",
            scalar(task.question + "\n\nRead etude-task/TASK.md first: it says what to do, and what to hand in."));
  fill_mark(text, "{{title}}", scalar("EXP-Bench " + task.id));
  return text;
}

std::string task_text(const ExpTask& task) {
  std::string missing;
  for (const std::string& path : task.masked) missing += "- `" + path + "`\n";
  std::string text(embedded::bench_texts("task.md"));  // Its marks are replaced from the last to the first, too.
  fill_mark(text, "{{missing}}", missing.empty() ? "- (none is named)\n" : missing);
  fill_mark(text, "{{instructions}}", task.instructions.empty() ? "(none)" : task.instructions);
  fill_mark(text, "{{method}}", task.method);
  fill_mark(text, "{{question}}", task.question);
  return text;
}

std::string_view experiment_stub() {
  return embedded::bench_texts("experiment.sh");
}

std::vector<std::string> write_task_study(const ExpTask& task, const TaskLimits& limits, const std::string& source,
                                          const std::string& folder) {
  const fs::path unfinished = folder + ".new";
  fs::remove_all(unfinished);
  fs::create_directories(unfinished);
  auto left_out = copy_unmasked(source, unfinished, {task.masked.begin(), task.masked.end()});
  write_file(unfinished / experiment_file, experiment_stub());
  write_file(unfinished / "etude-task/TASK.md", task_text(task));
  write_file(unfinished / "etude-task/evaluate.sh", embedded::bench_texts("evaluate.sh"));
  write_file(unfinished / "study.yaml", task_study_text(task, limits));
  fs::rename(unfinished, folder);
  return left_out;
}

}  // namespace benchmarks
