#include "executors/slurm/slurm_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/shell_text.h"
#include "executors/run_protocol/run_files.h"

namespace executors {
namespace {

constexpr std::string_view name_prefix = "etude-";
/// More than arrays of ours have.
constexpr std::size_t most_tasks = 1 << 20;

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

bool holds(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::search(text, part, same).begin() != text.end();
}

/// The fields of a line. The last one may contain the separator.
template <std::size_t n>
std::optional<std::array<std::string_view, n>> fields_of(std::string_view line) {
  std::array<std::string_view, n> fields;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const std::size_t end = line.find('|');
    if (end == line.npos) return std::nullopt;
    fields[i] = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  fields.back() = line;
  return fields;
}

/// Takes the next line from the text.
std::string_view next_line(std::string_view& lines) {
  const std::size_t end = std::min(lines.find('\n'), lines.size());
  const std::string_view line = lines.substr(0, end);
  lines.remove_prefix(std::min(end + 1, lines.size()));
  return line;
}

/// The tasks that sacct names after a job's number: "" for a job of its own, `_3`, and `_[0-4,7%2]` for tasks that did
/// not begin, of which the last number is how many may run at once. None if it has another form.
std::optional<std::vector<int>> tasks_of(std::string_view text) {
  if (text.empty()) return std::vector{0};
  if (!text.starts_with("_")) return std::nullopt;
  text.remove_prefix(1);
  std::string_view list = text;
  if (text.starts_with("[") && text.ends_with("]")) list = text.substr(1, text.find_first_of("%]") - 1);
  std::vector<int> tasks;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view range = list.substr(at, end - at);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::optional<int> low = whole_number(range.substr(0, dash));
    const std::optional<int> high = dash == range.size() ? low : whole_number(range.substr(dash + 1));
    if (!low || !high) return std::nullopt;
    for (int task = *low; task <= *high; ++task) {
      if (tasks.size() == most_tasks) return std::nullopt;
      tasks.push_back(task);
    }
    at = end + 1;
  }
  return tasks;
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string job_name(const std::string& token) {
  return std::string(name_prefix) + token;
}

std::vector<std::string> placing_words(const config::ExecutorSettings& settings) {
  std::vector<std::string> words;
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(std::string("--") + option + "=" + value);
  };
  add("partition", settings.partition);
  add("account", settings.account);
  add("qos", settings.qos);
  add("constraint", settings.constraint);
  words.insert(words.end(), settings.flags.begin(), settings.flags.end());
  return words;
}

std::vector<std::string> sbatch_words(const Submission& submission, const config::ExecutorSettings& settings) {
  const JobShape& shape = submission.shape;
  // The kernel itself decides what runs again, so Slurm must not.
  std::vector<std::string> words{"--parsable",
                                 "--no-requeue",
                                 "--job-name=" + job_name(submission.token),
                                 "--comment=" + job_name(submission.token),
                                 "--chdir=/",
                                 "--output=/dev/null",
                                 "--error=/dev/null",
                                 "--nodes=1",
                                 "--ntasks=1",
                                 fmt::format("--cpus-per-task={}", shape.cpus)};
  // In MiB, rounded up: Slurm has no smaller unit.
  if (shape.memory_bytes > 0) words.push_back(fmt::format("--mem={}M", (shape.memory_bytes + (1 << 20) - 1) >> 20));
  if (shape.minutes > 0) words.push_back(fmt::format("--time={}", shape.minutes));
  if (!shape.node.empty()) words.push_back("--nodelist=" + shape.node);
  std::string gres = settings.gres;
  const std::string& type = shape.gpu_type.empty() ? settings.gpu_type : shape.gpu_type;
  if (shape.gpus > 0)
    gres += fmt::format("{}gpu:{}{}{}", gres.empty() ? "" : ",", type, type.empty() ? "" : ":", shape.gpus);
  if (!gres.empty()) words.push_back("--gres=" + gres);
  if (submission.folders.size() > 1) words.push_back(fmt::format("--array=0-{}", submission.folders.size() - 1));
  for (std::string& word : placing_words(settings)) words.push_back(std::move(word));
  return words;
}

std::string batch_script(const Submission& submission, const std::string& supervisor) {
  std::string script = "#!/bin/sh\ncase \"${SLURM_ARRAY_TASK_ID:-0}\" in\n";
  for (std::size_t i = 0; i < submission.folders.size(); ++i)
    script += fmt::format("{}) run={} ;;\n", i, kernel::ShellText().quoted(submission.folders[i]));
  // The word on the node is for people and for messages; nothing depends on it.
  script +=
      "esac\n"
      "echo \"node=${SLURMD_NODENAME:-unknown}\" >\"$run/node\" || exit 1\n"
      "exec env -i PATH=/usr/bin:/bin " +
      (submission.shape.gpus > 0 ? supervisor::node_devices_variable + std::string("=\"${CUDA_VISIBLE_DEVICES:-}\" ")
                                 : "") +
      kernel::ShellText().quoted(supervisor) + " \"$run\" >\"$run/launch-errors\" 2>&1\n";
  return script;
}

std::string as_one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view part = text.substr(at, end - at);
    for (const std::string_view who :
         {"sbatch: ", "squeue: ", "scancel: ", "sinfo: ", "sacct: ", "slurm_load_jobs ", "error: "})
      if (part.starts_with(who)) part.remove_prefix(who.size());
    if (!part.empty()) line += (line.empty() ? "" : "; ") + std::string(part);
    at = end + 1;
  }
  constexpr std::size_t most = 300;
  if (line.size() > most) line = line.substr(0, most) + "…";
  return line;
}

bool passes_by_waiting(std::string_view text) {
  // Slurm's sentences for its errors: slurm_errno.c and the messages of its programs.
  constexpr std::string_view sentences[] = {
      "unable to contact slurm controller",
      "connection refused",
      "connection timed out",
      "connection reset",
      "communication connection failure",
      "communication shutdown failure",
      "message receive failure",
      "send/recv operation",
      "zero bytes were transmitted",
      "slurm backup controller in standby mode",
      "in standby mode",
      "temporarily unable to accept job",
      "resource temporarily unavailable",
      "unable to contact the controller",
      "munge",
      "protocol authentication error",
      "job submit limit",
      "violates accounting/qos policy",
      "maximum number of jobs",
      "nodes are busy",
      "node not available",
      "not available now",
      "down, drained",
  };
  return std::ranges::any_of(sentences, [&](std::string_view sentence) { return holds(text, sentence); });
}

SubmitAnswer read_sbatch(std::optional<int> exit, std::string_view out, std::string_view err) {
  SubmitAnswer answer;
  answer.text = as_one_line(err.empty() ? out : err);
  if (!exit) {
    answer.kind = Submitting::unreachable;
    if (answer.text.empty()) answer.text = "sbatch did not answer";
    return answer;
  }
  if (*exit != 0) {
    answer.kind = passes_by_waiting(err) ? Submitting::unreachable : Submitting::refused;
    if (answer.text.empty()) answer.text = fmt::format("sbatch ended with {} and said nothing", *exit);
    return answer;
  }
  // JOB, or JOB;CLUSTER.
  std::string_view line = out.substr(0, out.find('\n'));
  line = line.substr(0, line.find(';'));
  if (line.empty() || line.find_first_not_of("0123456789") != line.npos) {
    answer.text = fmt::format("sbatch answered `{}`, which is no job's number", as_one_line(out));
    return answer;
  }
  answer.kind = Submitting::accepted;
  answer.job = line;
  return answer;
}

std::optional<std::vector<SlurmJob>> read_squeue(std::string_view lines) {
  std::vector<SlurmJob> jobs;
  while (!lines.empty()) {
    const std::string_view line = next_line(lines);
    if (line.empty()) continue;
    const auto fields = fields_of<7>(line);
    if (!fields) return std::nullopt;
    const auto& [number, task, state, why, nodes, name, comment] = *fields;
    if (!whole_number(number) || state.empty()) return std::nullopt;
    // A site may change names or comments, but hardly both.
    const std::string_view own = name.starts_with(name_prefix) ? name : comment;
    if (!own.starts_with(name_prefix)) continue;
    SlurmJob job;
    job.token = own.substr(name_prefix.size());
    const std::optional<int> index = whole_number(task);
    job.index = index.value_or(0);
    job.id = std::string(number) + (index ? "_" + std::string(task) : "");
    job.state = state;
    job.why = why;
    job.nodes = nodes;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::optional<std::vector<SlurmJob>> read_sacct(std::string_view lines) {
  std::vector<SlurmJob> jobs;
  while (!lines.empty()) {
    const std::string_view line = next_line(lines);
    if (line.empty()) continue;
    const auto fields = fields_of<4>(line);
    if (!fields) return std::nullopt;
    const auto& [name, id, state, nodes] = *fields;
    if (!name.starts_with(name_prefix)) continue;
    const std::size_t bar = std::min(id.find('_'), id.size());
    const auto tasks = tasks_of(id.substr(bar));
    if (!whole_number(id.substr(0, bar)) || !tasks || state.empty()) return std::nullopt;
    SlurmJob job;
    job.token = name.substr(name_prefix.size());
    // CANCELLED by USER
    job.state = state.substr(0, state.find(' '));
    if (nodes != "None assigned") job.nodes = nodes;
    for (const int task : *tasks) {
      job.index = task;
      job.id = std::string(id.substr(0, bar)) + (bar == id.size() ? "" : "_" + std::to_string(task));
      jobs.push_back(job);
    }
  }
  return jobs;
}

SlurmStage stage_of(const SlurmJob& job) {
  constexpr std::array<std::string_view, 10> over{"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                                                  "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  constexpr std::array<std::string_view, 6> waits{"PENDING",      "CONFIGURING", "REQUEUED",
                                                  "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"};
  if (is_one_of(job.state, over)) return SlurmStage::over;
  // A state of a newer Slurm counts as running: what has ended is found by its outcome, too.
  return is_one_of(job.state, waits) ? SlurmStage::waits : SlurmStage::runs;
}

bool never_starts(const SlurmJob& job) {
  constexpr std::array<std::string_view, 8> hopeless{
      "PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints", "InvalidAccount",
      "InvalidQOS",         "AccountNotAllowed",  "QOSNotAllowed",  "DependencyNeverSatisfied"};
  return stage_of(job) == SlurmStage::waits && is_one_of(job.why, hopeless);
}

}  // namespace executors
