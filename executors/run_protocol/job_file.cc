#include "executors/run_protocol/job_file.h"

#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

struct Number {
  std::string_view key;
  std::int64_t Job::*member;
};
constexpr Number numbers[] = {{"timeout_ms", &Job::timeout_ms}, {"memory_bytes", &Job::memory_bytes},
                              {"disk_bytes", &Job::disk_bytes}, {"processes", &Job::processes},
                              {"grace_ms", &Job::grace_ms},     {"offline", &Job::offline},
                              {"elsewhere", &Job::elsewhere}};

struct Text {
  std::string_view key;
  std::string Job::*member;
};
constexpr Text texts[] = {{"token", &Job::token},         {"workspace", &Job::workspace},
                          {"directory", &Job::directory}, {"checkpoint", &Job::checkpoint},
                          {"powercap", &Job::powercap},   {"vmstat", &Job::vmstat},
                          {"bwrap", &Job::bwrap}};

struct List {
  std::string_view key;
  std::vector<std::string> Job::*member;
};
constexpr List lists[] = {{"bwrap_argument", &Job::bwrap_arguments},
                          {"argument", &Job::arguments},
                          {"environment", &Job::environment},
                          {"may_read", &Job::may_read},
                          {"may_write", &Job::may_write}};

bool set(Job& job, std::string_view key, std::string_view value) {
  for (const Text& t : texts)
    if (t.key == key) return job.*t.member = value, true;
  for (const List& l : lists)
    if (l.key == key) return (job.*l.member).emplace_back(value), true;
  for (const Number& n : numbers)
    if (n.key == key) {
      const auto number = to_number(value);
      if (number && *number >= 0) job.*n.member = *number;
      return number && *number >= 0;
    }
  if (key == "isolation") {
    for (const Isolation one : {Isolation::sandbox, Isolation::pid_namespace, Isolation::process_tree})
      if (value == name(one)) return job.isolation = one, true;
    return false;
  }
  if (key == "file" || key == "link") {
    const std::size_t line = value.find('\n');
    if (line == std::string_view::npos) return false;
    auto& list = key == "file" ? job.files : job.links;
    return list.emplace_back(value.substr(0, line), value.substr(line + 1)), true;
  }
  return false;
}

void add_keys(std::string& text, const Job& job) {
  const auto add = [&text](std::string_view key, std::string_view value) {
    text.append(key).push_back('\0');
    text.append(value).push_back('\0');
  };
  add("isolation", name(job.isolation));
  for (const Text& t : texts)
    if ((t.member != &Job::powercap && t.member != &Job::vmstat) || !(job.*t.member).empty()) add(t.key, job.*t.member);
  for (const List& l : lists)
    for (const std::string& entry : job.*l.member) add(l.key, entry);
  for (const auto& [path, content] : job.files) add("file", path + "\n" + content);
  for (const auto& [place, target] : job.links) add("link", place + "\n" + target);
  for (const Number& n : numbers)
    if (n.member != &Job::elsewhere || job.elsewhere > 0) add(n.key, std::to_string(job.*n.member));
  for (const Job& evaluation : job.evaluation) {
    add(evaluation_key, "");
    add_keys(text, evaluation);
  }
}

std::string problem_of(const Job& job) {
  if (job.token.empty() || job.token.find('\n') != std::string::npos) return "has no token";
  if (job.arguments.empty() || job.arguments[0].empty()) return "has no command";
  if (job.isolation == Isolation::sandbox && job.bwrap.empty()) return "names no bubblewrap";
  return "";
}

}  // namespace

const char* name(Isolation isolation) {
  constexpr const char* names[] = {"sandbox", "pid_namespace", "process_tree"};
  return names[static_cast<int>(isolation)];
}

std::variant<Job, std::string> parse_job(std::string_view text) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return "the job file ends in the middle of a string";
    fields.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (fields.empty() || fields[0] != job_magic) return "the job file is not of version 1";
  if (fields.size() % 2 == 0) return "the job file's last key has no value";
  Job job;
  Job* of = &job;
  for (std::size_t i = 1; i < fields.size(); i += 2)
    if (fields[i] == evaluation_key && of == &job)
      of = &job.evaluation.emplace_back();
    else if (!set(*of, fields[i], fields[i + 1]))
      return "the job file says `" + std::string(fields[i]) + "`: `" + std::string(fields[i + 1].substr(0, 80)) + "`";
  if (const std::string problem = problem_of(job); !problem.empty()) return "the job file " + problem;
  if (job.evaluation.empty()) return job;
  if (const std::string problem = problem_of(job.evaluation.front()); !problem.empty())
    return "the job file's evaluation " + problem;
  return job;
}

std::string job_text(const Job& job) {
  std::string text(job_magic);
  text.push_back('\0');
  add_keys(text, job);
  return text;
}

}  // namespace supervisor
