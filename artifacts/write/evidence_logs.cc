#include <set>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/evidence.h"
#include "kernel/domain/enum_names.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Run;
using kernel::Study;

namespace {

constexpr std::size_t most_of_one_log = 64 * 1024;
constexpr long long most_of_all_logs = 8'000'000;

/// The last lines, which usually say why it failed.
std::string tail(const std::string& bytes) {
  if (bytes.size() <= most_of_one_log) return bytes;
  return fmt::format("[{} left out]\n",
                     prose::counted(static_cast<long long>(bytes.size() - most_of_one_log), "byte")) +
         bytes.substr(bytes.size() - most_of_one_log);
}

std::string pointer(const kernel::BlobRef& ref) {
  return ref.sha256.empty() ? "none" : ref.sha256 + " (" + prose::bytes_text(ref.bytes) + ")";
}

class Logs {
 public:
  Logs(Staging& folder, const PackageInput& input) : folder_(folder), input_(input), study_(input.study) {}

  void write() {
    for (const Run& run : study_.runs) {
      std::string copies = copy(run, run.out_log, "stdout");
      if (const std::string error = copy(run, run.err_log, "stderr"); !error.empty())
        copies += (copies.empty() ? "" : ", ") + error;
      all_ += 1 + run.outputs.size();
      if (runs_.rows.size() + outputs_.rows.size() + left_.rows.size() >= most_page_rows) continue;
      runs_.rows.push_back({study_.run_id(run.number), std::string(kernel::name(run.state)), pointer(run.out_log),
                            pointer(run.err_log), copies.empty() ? "none" : copies});
      for (const kernel::OutputFile& output : run.outputs)
        outputs_.rows.push_back({study_.run_id(run.number), output.path, pointer(output.blob)});
      for (const std::string& file : run.left_out.named) left_.rows.push_back({study_.run_id(run.number), file});
      const auto named = static_cast<std::int64_t>(run.left_out.named.size());
      if (run.left_out.more || run.left_out.count > named)
        left_.rows.push_back(
            {study_.run_id(run.number),
             fmt::format("and {}{} more", run.left_out.more ? "at least " : "", run.left_out.count - named)});
    }
    runs_.header = {"Run", "State", "Standard output", "Standard error", "Copied here"};
    outputs_.header = {"Run", "Path", "SHA-256"};
    std::string page = "# Logs and kept outputs of every run\n\n";
    page +=
        "Named by SHA-256: whoever holds the store of the study can look them up, and nobody can exchange them. The "
        "logs of runs that did not succeed, or that a person ran by hand, are copied here";
    page += left_out_ ? fmt::format(" until they reached {}; {} more are only named.\n\n",
                                    prose::bytes_text(most_of_all_logs), prose::counted(left_out_, "log"))
                      : std::string(", each to its last 64 KiB.\n\n");
    page += markdown_table(runs_);
    if (!outputs_.rows.empty()) page += "\n## Kept outputs\n\n" + markdown_table(outputs_);
    left_.header = {"Run", "Left out"};
    if (!left_.rows.empty()) page += "\n## Outputs that were not kept\n\n" + markdown_table(left_);
    if (const std::size_t shown = runs_.rows.size() + outputs_.rows.size(); all_ > shown)
      page += fmt::format("\n{} more are named in etude.json.\n",
                          prose::counted(static_cast<long long>(all_ - shown), "log"));
    folder_.write("evidence/logs/log_pointers.md", page,
                  {"Where the logs and kept outputs of every run are", "the event log, trace/events.jsonl", {}});
  }

 private:
  std::string copy(const Run& run, const kernel::BlobRef& log, const char* stream) {
    // The output of a command by hand is often its only result.
    const kernel::ScratchOrder* order = study_.order_of(run);
    const bool by_hand = order && order->by_hand();
    if ((run.state == kernel::RunState::succeeded && !by_hand) || log.sha256.empty() || log.bytes == 0) return "";
    if (copied_ >= most_of_all_logs) {
      ++left_out_;
      return "";
    }
    const std::string bytes = tail(input_.blob(log.sha256));
    if (bytes.empty()) return "";
    copied_ += static_cast<long long>(bytes.size());
    const std::string name = fmt::format("{}.{}.log", study_.run_id(run.number), stream);
    folder_.write("evidence/logs/" + name, bytes,
                  {fmt::format("{} of {}, which ended {}", stream, study_.run_id(run.number), kernel::name(run.state)),
                   "the job's own output",
                   {}});
    return name;
  }

  Staging& folder_;
  const PackageInput& input_;
  const Study& study_;
  PlainTable runs_, outputs_, left_;
  long long copied_ = 0, left_out_ = 0;
  std::size_t all_ = 0;
};

/// "evidence/tables/x.md" → "Tables".
std::string category(const std::string& path) {
  const std::string rest = path.substr(std::string("evidence/").size());
  std::string name = rest.substr(0, rest.find('/'));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

void write_logs(Staging& folder, const PackageInput& input) {
  Logs(folder, input).write();
}

void write_evidence_index(Staging& folder) {
  std::map<std::string, std::string> sections;
  for (const auto& [path, file] : folder.files()) {
    if (!path.starts_with("evidence/")) continue;
    std::string& section = sections[category(path)];
    if (section.empty()) section = "| File | Source | Claims | Description |\n|---|---|---|---|\n";
    const std::string below = path.substr(std::string("evidence/").size());
    section += fmt::format("| [{0}]({0}) | {1} | {2} | {3} |\n", below, in_markdown(file.about.source),
                           file.about.claims.empty() ? "none" : in_markdown(listed(file.about.claims)),
                           in_markdown(file.about.description));
  }
  std::string page =
      "# Evidence index\n\nMade from the recorded runs and results. `etude.json` at the root holds the "
      "SHA-256 of every file here.\n";
  for (const char* name : {"Tables", "Figures", "Results", "Code", "Logs"})
    if (const auto section = sections.find(name); section != sections.end())
      page += fmt::format("\n## {}\n\n{}", name, section->second);
  folder.write("evidence/README.md", page, {"Index of the evidence", "", {}});
}

}  // namespace artifacts
