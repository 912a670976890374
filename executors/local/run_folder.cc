#include "executors/local/run_folder.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remove_tree.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "executors/run_protocol/usage_series.h"
#include "kernel/domain/enum_names.h"

namespace executors {

namespace {

using supervisor::Fd;

bool make_folders(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT) return false;
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

/// None if a counter has no number, or the supervisor had no counters.
std::optional<kernel::Energy> energy_of(const KeyLines& lines) {
  kernel::Energy energy;
  energy.source = "rapl:";
  for (const auto& [zone, text] : lines.family(supervisor::energy_key)) {
    const auto used = supervisor::to_number(text);
    if (!used || *used < 0) return std::nullopt;
    energy.source += (energy.counters.empty() ? "" : "+") + zone;
    energy.counters[zone] = static_cast<double>(*used) / 1e6;
  }
  energy.from_ms = lines.number("energy_from");
  energy.to_ms = lines.number("energy_to");
  if (energy.counters.empty() || energy.from_ms <= 0 || energy.to_ms < energy.from_ms) return std::nullopt;
  return energy;
}

kernel::JobEnd end_of(const std::string& word) {
  return kernel::named<kernel::JobEnd>(word).value_or(kernel::JobEnd::lost);
}

/// Older supervisors wrote a sentence without a code. Of a code that this program does not know only the name is known.
kernel::Reason reason_of(const KeyLines& lines, const std::string& key) {
  const std::string code = lines.text(key + ".code");
  kernel::Reason reason{kernel::named<kernel::ReasonCode>(code).value_or(kernel::ReasonCode::words)};
  if (reason.code == kernel::ReasonCode::words) return kernel::as_said(code.empty() ? lines.text(key) : code);
  for (const auto& [name, number] : lines.family(key + ".number."))
    reason.values[name] = supervisor::to_number(number).value_or(0);
  for (const auto& [name, text] : lines.family(key + ".text.")) reason.values[name] = text;
  const std::string other = key + ".reason";
  if (lines.has(other) || lines.has(other + ".code")) reason.values["reason"] = std::vector{reason_of(lines, other)};
  return reason;
}

std::optional<kernel::EvaluatorOutcome> evaluator_of(const KeyLines& lines) {
  const auto key = [](const char* name) { return std::string(supervisor::evaluator_prefix) + name; };
  const std::string end = lines.text(key("end"));
  if (end.empty()) return std::nullopt;
  return kernel::EvaluatorOutcome{end_of(end),
                                  static_cast<int>(lines.number(key("exit"))),
                                  static_cast<int>(lines.number(key("signal"))),
                                  reason_of(lines, key("reason")),
                                  lines.number(key("started")),
                                  lines.number(key("ended"))};
}

/// Makes the folder in which a job without a sandbox finds the files of the run that it continues. Sets errno if it
/// cannot.
bool link_continued(const kernel::JobSpec& spec) {
  for (const kernel::DataMount& file : spec.continued) {
    const std::string place = spec.folder + "/" + supervisor::continue_folder + "/" + file.name;
    if (!make_folders(place.substr(0, place.rfind('/')))) return false;
    if (symlink(file.path.c_str(), place.c_str()) != 0 && errno != EEXIST) return false;
  }
  return true;
}

}  // namespace

std::optional<kernel::Reason> write_run_folder(const kernel::JobSpec& spec, const supervisor::Job& job) {
  const auto refused = [&spec] {
    return kernel::Reason{kernel::ReasonCode::run_folder_not_written,
                          {{"folder", spec.folder}, {"error", supervisor::error_text(errno)}}};
  };
  if (!make_folders(spec.folder) || (!spec.checkpoint.empty() && !make_folders(spec.checkpoint))) return refused();
  const bool sandboxed = spec.resources.sandbox != kernel::SandboxMode::none;
  if (!sandboxed && !link_continued(spec)) return refused();
  const Fd folder(open(spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || !supervisor::write_file(folder.get(), supervisor::params_file, spec.params_json) ||
      !supervisor::write_file(folder.get(), supervisor::job_file, job_text(job)))
    return refused();
  return std::nullopt;
}

bool no_room_at(const std::string& path) {
  std::filesystem::path place = path;
  Fd folder;
  while (!folder && place.has_relative_path()) {
    folder.reset(open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    place = place.parent_path();
  }
  return folder && supervisor::disk_nearly_full(folder.get());
}

bool is_supervised(const std::string& path) {
  const Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && faccessat(folder.get(), supervisor::lock_file, F_OK, 0) == 0 &&
         !supervisor::take_lock(folder.get(), 0);
}

void remove_run_folder(const std::string& folder) {
  if (rmdir(folder.c_str()) == 0) return;  // A checkpoint that no job has used.
  // Removed first: a supervisor that claims a launch checks for the job file again.
  unlink((folder + "/" + supervisor::job_file).c_str());
  kernel::remove_tree(folder);
}

std::optional<LaunchClaim> read_claim(int folder) {
  const auto text = supervisor::read_file(folder, supervisor::claim_file);
  if (!text) return std::nullopt;
  const std::size_t end = std::min(text->find('\n'), text->size());
  const KeyLines lines(std::string_view(*text).substr(end));
  return LaunchClaim{text->substr(0, end), static_cast<int>(lines.number("pid")), lines.number("start"),
                     lines.text("boot"), lines.number("started")};
}

std::optional<kernel::JobOutcome> read_outcome(int folder, const std::string& run, const kernel::LaunchToken& token) {
  const auto text = supervisor::read_file(folder, supervisor::outcome_file);
  if (!text || !text->starts_with(supervisor::outcome_magic)) return std::nullopt;
  const KeyLines lines(*text);
  if (lines.text("token") != token.text()) return std::nullopt;
  // An outcome that was not synced is only valid until the machine's next start.
  const std::string believed_in = lines.text("of_boot");
  if (!believed_in.empty() && believed_in != supervisor::boot_id()) return std::nullopt;
  kernel::JobOutcome outcome;
  outcome.run = run;
  outcome.token = token;
  outcome.end = end_of(lines.text("end"));
  outcome.exit = static_cast<int>(lines.number("exit"));
  outcome.signal = static_cast<int>(lines.number("signal"));
  outcome.reason = reason_of(lines, "reason");
  outcome.started_ms = lines.number("started");
  outcome.ended_ms = lines.number("ended");
  outcome.usage.wall_s = static_cast<double>(lines.number("wall_ms")) / 1000;
  // Older supervisors counted milliseconds.
  outcome.usage.cpu_s = static_cast<double>(lines.number("cpu_us") + 1000 * lines.number("cpu_ms")) / 1e6;
  outcome.usage.rss_peak_bytes = lines.number("rss_peak");
  if (std::string csv = supervisor::usage_csv(lines.text("usage")); !csv.empty())
    outcome.usage_over_time = std::move(csv);
  outcome.usage.read_bytes = lines.number("read");
  outcome.usage.written_bytes = lines.number("written");
  if (const auto cpus = lines.number("cpus"); cpus > 0)
    outcome.usage.machine =
        kernel::MachineUse{static_cast<double>(lines.number("others_mcpu")) / 1000,
                           static_cast<double>(lines.number("used_mcpu")) / 1000, static_cast<int>(cpus)};
  outcome.usage.energy = energy_of(lines);
  outcome.evaluator = evaluator_of(lines);
  if (lines.text("logs") == "cut")
    outcome.reason = {kernel::ReasonCode::log_cut_short, {{"reason", std::vector{outcome.reason}}}};
  outcome.sandboxed = lines.text("isolation") == "sandbox";
  return outcome;
}

KeyLines::KeyLines(std::string_view text) {
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
    const std::size_t equals = text.find('=', at);
    if (equals < end) lines_.emplace(text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1));
  }
}

std::string KeyLines::text(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? "" : found->second;
}

std::optional<std::int64_t> KeyLines::known_number(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? std::nullopt : supervisor::to_number(found->second);
}

std::int64_t KeyLines::number(const std::string& key) const {
  return known_number(key).value_or(0);
}

std::map<std::string, std::string> KeyLines::family(std::string_view beginning) const {
  std::map<std::string, std::string> found;
  for (auto line = lines_.lower_bound(std::string(beginning)); line != lines_.end(); ++line) {
    if (!line->first.starts_with(beginning)) break;
    found.emplace(line->first.substr(beginning.size()), line->second);
  }
  return found;
}

}  // namespace executors
