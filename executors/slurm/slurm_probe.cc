#include "executors/slurm/slurm_probe.h"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.h"
#include "base/remove_tree.h"
#include "base/shell_text.h"
#include "executors/run_protocol/small_files.h"
#include "executors/slurm/shared_folder.h"
#include "executors/slurm/slurm_command.h"
#include "executors/slurm/slurm_text.h"
#include "programs/find_program.h"

namespace executors {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::seconds longest_probe(30);
/// The file system of the node may show an answer late.
constexpr std::chrono::seconds settle(3);
constexpr std::chrono::seconds between_questions(4);
constexpr std::chrono::milliseconds look_again(50);
constexpr std::chrono::minutes oldest(10);

std::string probes_of(const std::string& shared_home) {
  return shared_home + "/probes";
}

/// The folder of one probe, removed with it.
class ProbeFolder {
 public:
  explicit ProbeFolder(const std::string& shared_home)
      : path_(probes_of(shared_home) + "/" + kernel::random_token(6)) {}
  ~ProbeFolder() { kernel::remove_tree(path_); }
  ProbeFolder(const ProbeFolder&) = delete;
  ProbeFolder& operator=(const ProbeFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

/// The answer in words, if it says that something is missing.
std::optional<kernel::Problem> read_answer(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  std::string node;
  std::getline(lines, node);
  std::vector<std::string> lacking;
  for (std::string line; std::getline(lines, line);) lacking.push_back(line);
  if (lacking.empty()) return std::nullopt;
  constexpr std::size_t most = 3;
  const std::size_t more = lacking.size() > most ? lacking.size() - most : 0;
  if (more > 0) lacking.resize(most);
  return kernel::Problem{file,
                         0,
                         "node " + node,
                         fmt::format("it does not have {}{}, which runs need", fmt::join(lacking, ", "),
                                     more > 0 ? fmt::format(" and {} more", more) : ""),
                         "install it there under the same path, load the module or environment that nodes have, or "
                         "choose other nodes by `constraint` or `partition`",
                         true};
}

struct Standing {
  SlurmStage stage = SlurmStage::waits;
  std::string nodes;
};
/// What Slurm says of one job; none if it does not.
std::optional<Standing> standing_of(const std::string& job) {
  const programs::ProgramOutput output =
      ask_slurm("squeue", {"--noheader", "--states=all", "--jobs=" + job, std::string("--format=") + squeue_format});
  if (output.exit != 0) return std::nullopt;
  const auto jobs = read_squeue(output.out);
  if (!jobs || jobs->size() != 1) return std::nullopt;
  return Standing{stage_of(jobs->front()), jobs->front().nodes};
}

}  // namespace

std::string probe_script(const std::vector<std::string>& paths, const std::string& answer) {
  const auto quoted = [](const std::string& text) { return kernel::ShellText().quoted(text); };
  std::string script = "#!/bin/sh\n{\necho \"${SLURMD_NODENAME:-unknown}\"\n";
  for (const std::string& path : paths) script += fmt::format("test -e {0} || printf '%s\\n' {0}\n", quoted(path));
  return script + fmt::format("}} >{0} && mv {0} {1}\n", quoted(answer + ".new"), quoted(answer));
}

void remove_old_probes(const std::string& shared_home) {
  std::error_code error;
  for (fs::directory_iterator entry(probes_of(shared_home), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const auto written = fs::last_write_time(entry->path(), gone);
    if (!gone && fs::file_time_type::clock::now() - written > oldest) kernel::remove_tree(entry->path());
  }
}

std::optional<kernel::Problem> probe_node(const config::ExecutorSettings& settings, const std::string& home,
                                          const std::vector<std::string>& paths) {
  const ProbeFolder folder(shared_home(settings.shared, home));
  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) return not_written(settings.shared, error.value());
  const std::string answer = folder.path() + "/answer";
  Submission submission;
  submission.token = kernel::random_token(12);
  submission.shape.minutes = 1;
  submission.shape.memory_bytes = settings.memory_bytes.value_or(0);
  const programs::ProgramOutput output =
      ask_slurm("sbatch", sbatch_words(submission, settings), probe_script(paths, answer));
  const SubmitAnswer submitted = read_sbatch(output.exit, output.out, output.exit ? output.err : output.why);
  if (submitted.kind == Submitting::refused)
    return kernel::Problem{settings.file,
                           0,
                           "executor slurm",
                           "Slurm refuses jobs: " + submitted.text,
                           "correct partition, account, qos, constraint or flags in the section `executors`",
                           true};
  if (submitted.kind != Submitting::accepted) return std::nullopt;
  const auto begun = steady_clock::now();
  std::optional<steady_clock::time_point> over;
  for (auto asked = begun; steady_clock::now() - begun < longest_probe; std::this_thread::sleep_for(look_again)) {
    if (const auto text = supervisor::read_file(AT_FDCWD, answer.c_str())) return read_answer(*text, settings.file);
    const auto now = steady_clock::now();
    if (over && now - *over > settle) break;
    if (over || now - asked < between_questions) continue;
    asked = now;
    const auto standing = standing_of(submitted.job);
    if (!standing || standing->stage != SlurmStage::over) continue;
    over = now;
    submission.folders = {standing->nodes};
  }
  if (over)
    return kernel::Problem{settings.file,
                           0,
                           "node " + submission.folders.front(),
                           "it does not see the shared folder " + settings.shared + ", or may not write there",
                           "name a folder that every node sees under the same path: `executors: {slurm: {shared: "
                           "FOLDER}}`",
                           true};
  ask_slurm("scancel", {submitted.job});
  return std::nullopt;
}

}  // namespace executors
