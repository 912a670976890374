#include "apps/cli/bench/task_run.h"

#include <cerrno>
#include <csignal>
#include <map>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/session/home/home.h"
#include "base/manifest.h"
#include "base/own_folder.h"
#include "memory/files/blobs.h"
#include "programs/run_program.h"

namespace cli {

namespace {

using nlohmann::json;

/// Larger files are data, and no code to judge.
constexpr std::int64_t most_file = 1 << 20;

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int new_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) throw_errno(path);
  return fd;
}

/// Interrupts reach the child, too, which then stops at a point from which it can go on; this process waits for that.
class InterruptsIgnored {
 public:
  InterruptsIgnored() : before_(std::signal(SIGINT, SIG_IGN)) {}
  ~InterruptsIgnored() { std::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

void read_calls(const std::string& reply, std::vector<benchmarks::HandedIn::Action>& actions) {
  const json read = json::parse(reply, nullptr, false);
  if (!read.is_object() || !read.contains("calls")) return;
  for (const json& call : read.at("calls")) actions.push_back({call.value("name", ""), call.value("arguments", "")});
}

/// Whether the line of work writes versions: its name is that of a step of the search.
bool writes_versions(const std::string& line) {
  return line.starts_with("draft-") || line.starts_with("debug-") || line.starts_with("improve-");
}

}  // namespace

json study_of_output(const memory::Reader& reader, const std::string& output) {
  json found;
  if (reader.has_store())
    reader.studies([&](std::string_view document) {
      json study = json::parse(document);
      if (study.value("output", json()) == output) found = std::move(study);
    });
  return found;
}

int run_own_program(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> words = {kernel::own_folder() + "/etude"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = programs::c_strings(words);
  const int out = new_file(log + ".out"), err = new_file(log + ".err");
  const pid_t parent = ::getpid();
  const InterruptsIgnored until_it_ends;
  const pid_t child = ::fork();
  if (child < 0) throw_errno("a process of its own");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGINT);
    if (::getppid() != parent) ::_exit(130);
    std::signal(SIGINT, SIG_DFL);
    ::dup2(out, 1);
    ::dup2(err, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out);
  ::close(err);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw_errno("waiting for a study");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

benchmarks::HandedIn handed_in(const memory::Reader& reader, const std::string& home, const std::string& study) {
  const memory::Blobs blobs(session::HomePaths{home}.blobs());
  benchmarks::HandedIn handed;
  std::map<std::int64_t, std::string> lines;  // The call → its line of work.
  std::string version;
  reader.events(study, 0, [&](const memory::StoredEvent& event) {
    if (event.type != "ModelAsked" && event.type != "ModelAnswered" && event.type != "CodeProposed") return;
    const json payload = json::parse(event.payload);
    if (event.type == "ModelAsked") {
      lines[payload.at("call")] = payload.at("line");
    } else if (event.type == "ModelAnswered") {
      handed.answered = payload.at("end").value("failure", "").empty();
      if (writes_versions(lines[payload.at("call")]))
        read_calls(blobs.get(payload.at("end").at("reply").value("sha256", "")), handed.actions);
    } else {
      const json& proposed = payload.at("version");
      version = proposed.at("id");
      handed.version = true;
      handed.diff = blobs.get(proposed.at("diff").at("sha256"));
      handed.files.clear();
      const auto entries = kernel::read_manifest(blobs.get(proposed.at("workspace").at("hash")));
      for (const kernel::ManifestEntry& entry : entries.value())
        if ((entry.type == kernel::EntryType::file || entry.type == kernel::EntryType::executable) &&
            entry.bytes <= most_file)
          handed.files[entry.path] = blobs.get(entry.sha256);
    }
  });
  if (const auto answer = handed.files.find(benchmarks::answer_file); answer != handed.files.end())
    handed.answer = answer->second;
  if (handed.version)
    reader.runs(study, [&](std::string_view document) {
      const json run = json::parse(document);
      if (run.at("factors").value("code", "") != version || run.at("ended").is_null()) return;
      ++handed.runs;
      const json& metrics = run.at("metrics");
      handed.succeeded += run.at("state") == "succeeded" && metrics.contains("results") && metrics.at("results") == 1.0;
    });
  return handed;
}

}  // namespace cli
