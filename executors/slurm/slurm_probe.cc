#include "executors/slurm/slurm_probe.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>
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
/// Nodes of other kinds may be busy for long.
constexpr std::chrono::seconds longest_after_first(8);
/// Kinds of nodes, or nodes by name, that are asked.
constexpr std::size_t most_questions = 16;
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

/// One node, or the nodes of one kind, and the job that asks there.
struct Question {
  std::vector<std::string> words{};  ///< For sbatch: where.
  std::string node{};                ///< Its name, if it was chosen by name; else what Slurm says of the job.
  std::string job{};                 ///< Slurm's number; empty: none asks.
  std::string answer{};              ///< The file.
  std::optional<steady_clock::time_point> over{};
};

/// Where to ask. Slurm itself decides by constraint and resources which kinds can have the runs.
std::vector<Question> questions_for(const config::ExecutorSettings& settings, const NodeNeeds& needs) {
  std::vector<Question> questions;
  for (const std::string& node : needs.nodes) questions.push_back({.words = {"--nodelist=" + node}, .node = node});
  if (questions.empty()) {
    std::vector<std::string> words{"--noheader", "--exact", std::string("--format=") + kinds_format};
    if (!settings.partition.empty()) words.push_back("--partition=" + settings.partition);
    const std::vector<NodeKind> kinds = node_kinds(ask_slurm("sinfo", words).out, settings.partition.empty());
    if (kinds.size() < 2) return {Question{}};
    for (const NodeKind& kind : kinds) {
      std::vector<std::string> others;
      for (const NodeKind& other : kinds)
        if (&other != &kind) others.push_back(other.nodes);
      questions.push_back({.words = {fmt::format("--exclude={}", fmt::join(others, ","))}});
    }
  }
  if (questions.size() > most_questions) questions.resize(most_questions);
  return questions;
}

/// The words of sbatch, with those of the question before the person's own flags, which may exclude more.
std::vector<std::string> words_of(const Question& question, const Submission& submission,
                                  const config::ExecutorSettings& settings) {
  std::vector<std::string> words = question.words;
  for (std::string& word : sbatch_words(submission, settings)) words.push_back(std::move(word));
  return words;
}

bool can_have_runs(const Question& question, const config::ExecutorSettings& settings, const NodeNeeds& needs) {
  return std::ranges::any_of(needs.resources, [&](const kernel::Resources& resources) {
    Submission run;
    run.shape.cpus = resources.cpus;
    run.shape.gpus = resources.gpus;
    run.shape.gpu_type = resources.gpu_type;
    run.shape.memory_bytes = resources.memory_bytes.value_or(settings.memory_bytes.value_or(0));
    std::vector<std::string> words = words_of(question, run, settings);
    words.emplace_back("--test-only");
    return ask_slurm("sbatch", words, "#!/bin/sh\nexit 0\n").exit == 0;
  });
}

/// Learns which jobs are over, and where they were. Nothing if Slurm does not answer.
void look(std::vector<Question*>& open) {
  std::vector<std::string> jobs;
  for (const Question* question : open) jobs.push_back(question->job);
  const programs::ProgramOutput output =
      ask_slurm("squeue", {"--noheader", "--states=all", fmt::format("--jobs={}", fmt::join(jobs, ",")),
                           std::string("--format=") + squeue_format});
  const auto listed = output.exit == 0 ? read_squeue(output.out) : std::nullopt;
  if (!listed) return;
  for (Question* question : open)
    for (const SlurmJob& job : *listed) {
      if (job.id != question->job || question->over || stage_of(job) != SlurmStage::over) continue;
      question->over = steady_clock::now();
      if (!job.nodes.empty()) question->node = job.nodes;
    }
}

/// The jobs that ask; those that still wait or run are cancelled with it.
class Probe {
 public:
  explicit Probe(std::vector<Question> questions) : questions_(std::move(questions)) {}
  ~Probe() {
    std::vector<std::string> jobs;
    for (const Question* question : open()) jobs.push_back(question->job);
    if (!jobs.empty()) ask_slurm("scancel", jobs);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  std::optional<kernel::Problem> submit(const config::ExecutorSettings&, const NodeNeeds&, const std::string& folder);
  std::optional<kernel::Problem> follow(const config::ExecutorSettings&);
  /// Of nodes that Slurm would give the runs, as far as that was asked.
  int kinds() const { return kinds_; }

 private:
  std::vector<Question*> open() {
    std::vector<Question*> found;
    for (Question& question : questions_)
      if (!question.job.empty()) found.push_back(&question);
    return found;
  }

  std::vector<Question> questions_;
  int kinds_ = 1;
};

std::optional<kernel::Problem> Probe::submit(const config::ExecutorSettings& settings, const NodeNeeds& needs,
                                             const std::string& folder) {
  const bool by_kind = questions_.size() > 1 && needs.nodes.empty();
  if (by_kind) kinds_ = 0;
  std::optional<kernel::Problem> refusal;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    Question& question = questions_[i];
    if (by_kind && !can_have_runs(question, settings, needs)) continue;
    if (by_kind) ++kinds_;
    question.answer = folder + "/answer-" + std::to_string(i);
    Submission submission;
    submission.token = kernel::random_token(12);
    submission.shape.minutes = 1;
    submission.shape.memory_bytes = settings.memory_bytes.value_or(0);
    const programs::ProgramOutput output =
        ask_slurm("sbatch", words_of(question, submission, settings), probe_script(needs.paths, question.answer));
    const SubmitAnswer submitted = read_sbatch(output.exit, output.out, output.exit ? output.err : output.why);
    if (submitted.kind == Submitting::accepted) question.job = submitted.job;
    if (submitted.kind != Submitting::refused) continue;
    refusal = kernel::Problem{settings.file,
                              0,
                              question.node.empty() ? "executor slurm" : "node " + question.node,
                              "Slurm refuses jobs: " + submitted.text,
                              question.node.empty()
                                  ? "correct partition, account, qos, constraint or flags in the section `executors`"
                                  : "name nodes of the partition that satisfy the constraint, as `sinfo -N` lists them",
                              true};
    if (!by_kind) return refusal;
  }
  return open().empty() ? refusal : std::nullopt;
}

std::optional<kernel::Problem> Probe::follow(const config::ExecutorSettings& settings) {
  auto asked = steady_clock::now();
  auto until = asked + longest_probe;
  while (true) {
    for (Question* question : open()) {
      const auto text = supervisor::read_file(AT_FDCWD, question->answer.c_str());
      if (!text) continue;
      question->job.clear();
      if (auto lacking = read_answer(*text, settings.file)) return lacking;
      until = std::min(until, steady_clock::now() + longest_after_first);
    }
    std::vector<Question*> left = open();
    const auto now = steady_clock::now();
    if (left.empty() || now >= until) return std::nullopt;
    for (const Question* question : left)
      if (question->over && now - *question->over > settle)
        return kernel::Problem{settings.file,
                               0,
                               "node " + question->node,
                               "it does not see the shared folder " + settings.shared + ", or may not write there",
                               "name a folder that every node sees under the same path: `executors: {slurm: {shared: "
                               "FOLDER}}`",
                               true};
    std::this_thread::sleep_for(look_again);
    if (now - asked < between_questions) continue;
    asked = now;
    look(left);
  }
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

std::vector<NodeKind> node_kinds(std::string_view lines, bool usual) {
  std::map<std::string, NodeKind> kinds;
  for (const auto line : std::views::split(lines, '\n')) {
    const std::string_view text(line.begin(), line.end());
    // Partition, features, GPUs, processors, memory, number, names.
    const std::size_t first = text.find('|'), last = text.rfind('|');
    const std::size_t before = last == text.npos || last == 0 ? text.npos : text.rfind('|', last - 1);
    if (before == text.npos || before <= first) continue;
    if (usual && !text.substr(0, first).ends_with('*')) continue;
    const std::string_view number = text.substr(before + 1, last - before - 1);
    int count = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), count).ec != std::errc()) continue;
    NodeKind& kind = kinds[std::string(text.substr(first, before - first))];
    kind.count += count;
    kind.nodes += (kind.nodes.empty() ? "" : ",") + std::string(text.substr(last + 1));
  }
  std::vector<NodeKind> found;
  for (auto& [what, kind] : kinds) found.push_back(std::move(kind));
  std::ranges::stable_sort(found, std::greater(), &NodeKind::count);
  return found;
}

NodesAnswer probe_nodes(const config::ExecutorSettings& settings, const std::string& home, const NodeNeeds& needs) {
  const ProbeFolder folder(shared_home(settings.shared, home));
  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) return {not_written(settings.shared, error.value())};
  Probe probe(questions_for(settings, needs));
  if (auto refusal = probe.submit(settings, needs, folder.path())) return {std::move(refusal)};
  return {probe.follow(settings), probe.kinds()};
}

}  // namespace executors
