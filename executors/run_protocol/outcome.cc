#include "executors/run_protocol/outcome.h"

#include <string_view>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "kernel/domain/enum_names.h"

namespace supervisor {
namespace {

/// The lines of an outcome file.
class OutcomeLines {
 public:
  void add(const std::string& key, std::string value) {
    for (char& c : value)
      if (c == '\n') c = ' ';
    text_.append("\n").append(key).append("=").append(value);
  }
  /// A text without a code is the value of the key itself.
  void add(const std::string& key, const Reason& reason) {
    if (reason.code == ReasonCode::words) return add(key, reason.text);
    add(key + ".code", std::string(name(reason.code)));
    for (const auto& [value, held] : reason.values) {
      if (const auto* number = std::get_if<std::int64_t>(&held)) add(key + ".number." + value, std::to_string(*number));
      if (const auto* words = std::get_if<std::string>(&held)) add(key + ".text." + value, *words);
      if (const auto* others = std::get_if<std::vector<Reason>>(&held)) add(key + "." + value, others->at(0));
    }
  }
  std::string take() { return std::move(text_.append("\n")); }

 private:
  std::string text_{outcome_magic};
};

}  // namespace

bool write_outcome(int folder, const Outcome& outcome) {
  OutcomeLines lines;
  lines.add("token", outcome.token);
  if (!outcome.durable) lines.add("of_boot", boot_id());
  lines.add("end", std::string(name(outcome.end)));
  lines.add("exit", std::to_string(outcome.exit));
  lines.add("signal", std::to_string(outcome.signal));
  lines.add("reason", outcome.reason);
  lines.add("started", std::to_string(outcome.started_ms));
  lines.add("ended", std::to_string(outcome.ended_ms));
  lines.add("wall_ms", std::to_string(outcome.wall_ms));
  lines.add("cpu_us", std::to_string(outcome.cpu_us));
  lines.add("rss_peak", std::to_string(outcome.rss_peak_bytes));
  lines.add("read", std::to_string(outcome.read_bytes));
  lines.add("written", std::to_string(outcome.written_bytes));
  if (!outcome.usage_over_time.empty()) lines.add("usage", outcome.usage_over_time);
  if (outcome.load) {
    lines.add("used_mcpu", std::to_string(outcome.load->used_mcpu));
    lines.add("others_mcpu", std::to_string(outcome.load->others_mcpu));
    lines.add("cpus", std::to_string(outcome.load->cpus));
  }
  for (const auto& [zone, used] : outcome.energy_uj) lines.add(std::string(energy_key) + zone, std::to_string(used));
  if (!outcome.energy_uj.empty()) {
    lines.add("energy_from", std::to_string(outcome.energy_from_ms));
    lines.add("energy_to", std::to_string(outcome.energy_to_ms));
  }
  if (!outcome.energy_missing.empty()) lines.add("energy_missing", outcome.energy_missing);
  lines.add("isolation", outcome.isolation);
  if (const auto& evaluator = outcome.evaluator) {
    const std::string own(evaluator_prefix);
    lines.add(own + "end", std::string(name(evaluator->end)));
    lines.add(own + "exit", std::to_string(evaluator->exit));
    lines.add(own + "signal", std::to_string(evaluator->signal));
    lines.add(own + "reason", evaluator->reason);
    lines.add(own + "started", std::to_string(evaluator->started_ms));
    lines.add(own + "ended", std::to_string(evaluator->ended_ms));
  }
  lines.add("logs", outcome.logs_complete ? "complete" : "cut");

  const std::string temporary = std::string(outcome_file) + ".new";
  Fd fd(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd || !write_all(fd.get(), lines.take()) || (outcome.durable && fdatasync(fd.get()) != 0)) return false;
  return renameat(folder, temporary.c_str(), folder, outcome_file) == 0 && (!outcome.durable || fsync(folder) == 0);
}

}  // namespace supervisor
