#include "executors/run_protocol/outcome.h"

#include <string_view>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

const char* name(End end) {
  constexpr const char* names[] = {"exited",    "signalled", "timed_out",       "memory", "disk",
                                   "processes", "cancelled", "failed_to_start", "lost",   "no_room"};
  return names[static_cast<int>(end)];
}

bool write_outcome(int folder, const Outcome& outcome) {
  std::string text(outcome_magic);
  const auto add = [&text](std::string_view key, std::string value) {
    for (char& c : value)
      if (c == '\n') c = ' ';
    text.append("\n").append(key).append("=").append(value);
  };
  add("token", outcome.token);
  if (!outcome.durable) add("of_boot", boot_id());
  add("end", name(outcome.end));
  add("exit", std::to_string(outcome.exit));
  add("signal", std::to_string(outcome.signal));
  add("reason", outcome.reason);
  add("started", std::to_string(outcome.started_ms));
  add("ended", std::to_string(outcome.ended_ms));
  add("wall_ms", std::to_string(outcome.wall_ms));
  add("cpu_us", std::to_string(outcome.cpu_us));
  add("rss_peak", std::to_string(outcome.rss_peak_bytes));
  add("read", std::to_string(outcome.read_bytes));
  add("written", std::to_string(outcome.written_bytes));
  if (outcome.load) {
    add("used_mcpu", std::to_string(outcome.load->used_mcpu));
    add("others_mcpu", std::to_string(outcome.load->others_mcpu));
    add("cpus", std::to_string(outcome.load->cpus));
  }
  for (const auto& [zone, used] : outcome.energy_uj) add(std::string(energy_key) + zone, std::to_string(used));
  if (!outcome.energy_uj.empty()) {
    add("energy_from", std::to_string(outcome.energy_from_ms));
    add("energy_to", std::to_string(outcome.energy_to_ms));
  }
  if (!outcome.energy_missing.empty()) add("energy_missing", outcome.energy_missing);
  add("isolation", outcome.isolation);
  for (const EvaluatorEnd& evaluator : outcome.evaluator) {
    const auto add_own = [&](const char* key, std::string value) {
      add(std::string(evaluator_prefix) + key, std::move(value));
    };
    add_own("end", name(evaluator.end));
    add_own("exit", std::to_string(evaluator.exit));
    add_own("signal", std::to_string(evaluator.signal));
    add_own("reason", evaluator.reason);
    add_own("started", std::to_string(evaluator.started_ms));
    add_own("ended", std::to_string(evaluator.ended_ms));
  }
  add("logs", outcome.logs_complete ? "complete" : "cut");
  text += '\n';

  const std::string temporary = std::string(outcome_file) + ".new";
  Fd fd(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd || !write_all(fd.get(), text) || (outcome.durable && fdatasync(fd.get()) != 0)) return false;
  return renameat(folder, temporary.c_str(), folder, outcome_file) == 0 && (!outcome.durable || fsync(folder) == 0);
}

}  // namespace supervisor
