#include "kernel/runs/run_outcome.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/utf8.h"
#include "kernel/domain/cells.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

struct Attempts {
  int asked = 0;  ///< Earlier attempts that asked for a retry.
  int lost = 0;
};

Attempts chain_of(const RunBoard& study, const Run& run) {
  Attempts chain;
  for (const Run* earlier = study.run(run.retry_of); earlier; earlier = study.run(earlier->retry_of)) {
    if (earlier->state == RunState::lost)
      chain.lost += earlier->outcome.end == JobEnd::no_room ? 0 : 1;
    else
      ++chain.asked;
  }
  return chain;
}

/// Doubles each time, starting at 0.5 s, plus or minus half: runs that failed together must not restart together.
std::int64_t back_off_ms(int earlier, const LaunchToken& token) {
  const double jitter = static_cast<double>(std::hash<std::string>{}(token.text()) % 1000) / 1000.0;
  return static_cast<std::int64_t>(500.0 * (1 << std::min(earlier, 6)) * (0.5 + jitter));
}

/// Waiting runs of the arm and of stages that only those need, unless they are already given up or end with `ended`.
std::vector<int> given_up_with(const RunBoard& board, const Run& ended, const Arm& arm,
                               const std::vector<ArmStopped>& earlier) {
  const std::vector<int>& failing = board.dependants(ended.number);
  std::set<int> gone(failing.begin(), failing.end());
  for (const ArmStopped& other : earlier) gone.insert(other.runs.begin(), other.runs.end());
  std::vector<int> given_up, stages;
  const auto consider = [&](int number) {
    const Run& waiting = *board.run(number);
    if (waiting.experiment != ended.experiment || gone.contains(number)) return;
    if (waiting.purpose == Purpose::repeat) return;  // It is about the code, not about the arm.
    if (!waiting.stage.empty())
      stages.push_back(number);
    else if (concerns(board, arm, waiting))
      given_up.push_back(number);
  };
  for (const int number : board.queue) consider(number);
  for (const int number : board.blocked) consider(number);
  gone.insert(given_up.begin(), given_up.end());
  // Without a later stage's run an earlier one may be unneeded, so repeat until nothing changes.
  for (bool more = true; more;) {
    more = false;
    for (const int number : stages) {
      const std::vector<int>& waiting = board.dependants(number);
      const bool wanted =
          std::ranges::any_of(waiting, [&](int d) { return !gone.contains(d) && !board.run(d)->ended(); });
      if (wanted || !gone.insert(number).second) continue;
      given_up.push_back(number);
      more = true;
    }
  }
  return given_up;
}

/// The levels common to all cells of the arm.
std::string arm_words(const RunBoard& study, const Arm& arm) {
  Cell common = study.cells[static_cast<std::size_t>(arm.cells.front())];
  for (const int cell : arm.cells)
    std::erase_if(common, [&](const auto& entry) {
      const Cell& other = study.cells[static_cast<std::size_t>(cell)];
      const auto at = other.find(entry.first);
      return at == other.end() || at->second != entry.second;
    });
  return common.empty() ? "that all its cells make" : words_of(common, ", ");
}

/// The arms that this end stops: too many failures of one kind in a row to be chance.
std::vector<ArmStopped> broken_arms(const Study& study, const Run& run, const RunEnded& ended) {
  std::vector<ArmStopped> stopped;
  if (run.purpose != Purpose::registered || ended.fingerprint.empty()) return stopped;
  for (const Experiment& experiment : study.experiments) {
    if (experiment.registration.experiment != run.experiment) continue;
    for (const Arm& arm : experiment.arms) {
      if (arm.stopped || !concerns(study, arm, run)) continue;
      const int streak = arm.fingerprint == ended.fingerprint ? arm.streak + 1 : 1;
      if (streak < most_alike) continue;
      ArmStopped stop;
      stop.experiment = run.experiment;
      for (const int cell : arm.cells) stop.cells.push_back(study.cells[static_cast<std::size_t>(cell)]);
      stop.runs = given_up_with(study, run, arm, stopped);
      stop.fingerprint = ended.fingerprint;
      stop.reason = {ReasonCode::arm_stopped,
                     {{"arm", arm_words(study, arm)}, {"runs", streak}, {"reason", std::vector{ended.reason}}}};
      stopped.push_back(std::move(stop));
    }
  }
  return stopped;
}

RunsQueued next_attempt(const RunBoard& study, const Run& run, std::int64_t delay_ms) {
  return {.purpose = run.purpose,
          .experiment = run.experiment,
          .cells = {study.cells[static_cast<std::size_t>(run.cell)]},
          .runs = {{.number = static_cast<int>(study.runs.size()) + 1,
                    .seed = run.seed,
                    .replicate = run.replicate,
                    .retry_of = run.number,
                    .attempt = run.attempt + 1,
                    .label = run.label,
                    .stage = run.stage,
                    .needs = run.needs,
                    .delay_ms = delay_ms,
                    .continues = run.continues}},
          .tier = run.tier};
}

/// Jobs cannot tell purposes apart, so the rule is one for all; setting up the environment is no run of a job. Studies
/// of earlier programs allowed retries.
bool may_ask_again(const StudySpec& spec, const Run& run) {
  return spec.retries || spec.design.rule != VerdictRule::one_interval || (spec.setup && run.stage == spec.setup->name);
}

struct Fate {
  RunState state;
  Reason reason{};
};

Fate fate_of(const RunEnded& report) {
  const JobOutcome& outcome = report.outcome;
  switch (outcome.end) {
    case JobEnd::timed_out:
      return {RunState::timed_out, outcome.reason};
    case JobEnd::cancelled:
      return {RunState::cancelled, outcome.reason};
    case JobEnd::lost:
    case JobEnd::no_room:
      return {RunState::lost, outcome.reason};
    case JobEnd::memory:
    case JobEnd::gpu_memory:
    case JobEnd::disk:
    case JobEnd::processes:
    case JobEnd::failed_to_start:
    case JobEnd::voided:
      return {RunState::failed, outcome.reason};
    case JobEnd::signalled:
      if (!outcome.reason.empty()) return {RunState::failed, outcome.reason};
      return {RunState::failed,
              {ReasonCode::killed_by_signal, {{"signal", outcome.signal}, {"name", strsignal(outcome.signal)}}}};
    case JobEnd::exited:
      break;
  }
  if (outcome.exit != 0) return {RunState::failed, {ReasonCode::exit_status, {{"status", outcome.exit}}}};
  if (report.measurement.verdict) return {*report.measurement.verdict, report.measurement.reason};
  return {RunState::succeeded};
}

/// Where the escape sequence ends that begins at `at` (ECMA-48): one with parameters, as for colours; a string, as for
/// a title; or a single letter. None if its end is missing.
std::optional<std::size_t> end_of_escape(std::string_view text, std::size_t at) {
  const auto skip = [&](char from, char to) {
    while (at < text.size() && from <= text[at] && text[at] <= to) ++at;
  };
  const char kind = ++at < text.size() ? text[at] : '\0';
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    at = text.find_first_of("\a\x1b\n", at);
    if (at == text.npos || text[at] == '\n') return std::nullopt;
    if (text[at] == '\a') return at + 1;
    return text.substr(at + 1).starts_with('\\') ? std::optional(at + 2) : std::nullopt;
  }
  if (kind == '[') {
    ++at;
    skip('0', '?');
  }
  skip(' ', '/');
  const bool ends = at < text.size() && (kind == '[' ? '@' : '0') <= text[at] && text[at] <= '~';
  return ends ? std::optional(at + 1) : std::nullopt;
}

/// Without its complete escape sequences.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\x1b', at), text.size());
    plain += text.substr(at, escape - at);
    at = escape;
    if (at == text.size()) break;
    if (const auto end = end_of_escape(text, at))
      at = *end;
    else
      plain += text[at++];
  }
  return plain;
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t start = text.rfind('\n');
  return start == text.npos ? text : text.substr(start + 1);
}

/// Numbers, addresses and counters differ between runs that fail for the same cause.
std::string without_numbers(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string out;
  bool in_number = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool digit = std::isdigit(byte) != 0;
    const bool goes_on = in_number && (std::isxdigit(byte) != 0 || c == '.' || c == 'x');
    if (digit || goes_on) {
      if (!in_number) out += '#';
      in_number = true;
      continue;
    }
    in_number = false;
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
    if (out.size() >= longest) break;
  }
  return out;
}

std::string how(const JobOutcome& outcome, const Measurement& measurement) {
  switch (outcome.end) {
    case JobEnd::exited:
      return outcome.exit != 0 ? fmt::format("exit {}", outcome.exit)
                               : without_numbers(sentence(measurement.reason, 1));
    case JobEnd::signalled:
      return fmt::format("signal {}", outcome.signal);
    case JobEnd::timed_out:
      return "timed out";
    case JobEnd::memory:
      return "memory";
    case JobEnd::gpu_memory:
      return "GPU memory";
    case JobEnd::disk:
      return "disk";
    case JobEnd::processes:
      return "processes";
    default:
      return without_numbers(sentence(outcome.reason, 1));
  }
}

}  // namespace

std::string fingerprint(const JobOutcome& outcome, const Measurement& measurement, std::string_view err) {
  const std::string said = without_numbers(last_line(without_escapes(err)));
  return how(outcome, measurement) + (said.empty() ? "" : ": " + said);
}

std::string last_lines(std::string_view err) {
  constexpr std::size_t most = 3, longest = 160;
  const std::string plain = without_escapes(err);
  std::string_view text = plain;
  std::string lines;
  for (std::size_t n = 0; n < most; ++n) {
    const std::string_view line = last_line(text);
    if (line.empty()) break;
    text = text.substr(0, static_cast<std::size_t>(line.data() - text.data()));
    std::string clean(line.substr(line.find_first_not_of(" \t")));
    if (clean.size() > longest) clean = std::string(utf8_prefix(clean, longest)) + "…";
    const bool text_of_utf8 = valid_utf8(clean);
    for (char& c : clean) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f) c = ' ';
      if (byte >= 0x80 && !text_of_utf8) c = '?';
    }
    lines = clean + (lines.empty() ? "" : " | ") + lines;
  }
  return lines;
}

namespace {

bool says_missing(std::string_view line) {
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      std::to_array<std::string_view>({"no such file", "not found", "not exist", "doesn't exist", "enoent",
                                       "filenotfound", "cannot open", "can't open", "could not open"}),
      [&](std::string_view words) { return lower.find(words) != lower.npos; });
}

/// The path in the line that is the entry, or lies in it, seen from the working directory; empty if there is none.
std::string path_in(std::string_view line, std::string_view entry) {
  constexpr std::string_view outside = " \t'\"`()[]{}<>,;=", at_end = ":.!?";
  const bool folder = entry.ends_with('/');
  if (folder) entry.remove_suffix(1);
  for (std::size_t at = line.find(entry); at != line.npos; at = line.find(entry, at + 1)) {
    const std::size_t before = at == 0 ? line.npos : line.find_last_of(outside, at - 1);
    const std::string_view above = line.substr(before + 1, at - before - 1);
    std::string_view path = line.substr(at, line.find_first_of(outside, at + entry.size()) - at);
    while (path.size() > entry.size() && at_end.find(path.back()) != at_end.npos) path.remove_suffix(1);
    if (!above.empty() && above != "./" && !above.ends_with("/work/")) continue;
    if (path == entry || (folder && path.substr(entry.size()).starts_with('/'))) return std::string(path);
  }
  return "";
}

}  // namespace

Reason with_left_out_file(Reason why, const IgnoredFiles& ignored, std::string_view last_lines) {
  constexpr std::string_view between = " | ";
  while (!last_lines.empty()) {
    const std::size_t end = std::min(last_lines.find(between), last_lines.size());
    const std::string_view line = last_lines.substr(0, end);
    last_lines.remove_prefix(std::min(end + between.size(), last_lines.size()));
    if (!says_missing(line)) continue;
    for (const IgnoredEntry& entry : ignored.largest)
      if (std::string file = path_in(line, entry.path); !file.empty())
        return {ReasonCode::file_left_out,
                {{"end", std::vector{std::move(why)}}, {"file", std::move(file)}, {"entry", entry.path}}};
  }
  return why;
}

std::vector<RunEnded> ends_of_dependants(const Study& study, const Run& run, RunState state, const Reason& reason) {
  std::vector<RunEnded> ends;
  if (state == RunState::succeeded) return ends;
  for (const int number : study.dependants(run.number)) {
    const Run& waiting = *study.run(number);
    if (waiting.ended()) continue;
    RunEnded ended;
    ended.run = number;
    ended.state = state == RunState::cancelled || state == RunState::lost ? state : RunState::failed;
    ended.outcome.end = state == RunState::cancelled ? JobEnd::cancelled : JobEnd::failed_to_start;
    ended.reason = {state == RunState::cancelled ? ReasonCode::stage_cancelled
                    : state == RunState::lost    ? ReasonCode::stage_lost
                                                 : ReasonCode::stage_failed,
                    {{"stage", run.stage}, {"run", study.run_id(run.number)}, {"reason", std::vector{reason}}}};
    if (find_by(ends, &RunEnded::run, number)) continue;
    std::vector<RunEnded> further = ends_of_dependants(study, waiting, ended.state, ended.reason);
    ends.push_back(std::move(ended));
    for (RunEnded& end : further)
      if (!find_by(ends, &RunEnded::run, end.run)) ends.push_back(std::move(end));
  }
  return ends;
}

std::vector<EventBody> judge_run(const Study& study, const Run& run, const ReportEnd& reported) {
  ETUDE_ASSERT(study.live.contains(run.number));
  RunEnded ended = reported;
  const ScratchOrder* order = study.order_of(run);
  // Runs that an agent or a person ordered need not report metrics.
  if (order) ended.measurement.verdict.reset();
  // A shell reports its child's signal as 128 + n (POSIX, Shell Command Language, 2.8.2).
  const bool by_hand = order && order->by_hand();
  const bool shell = order && !order->cell ? !by_hand : study.spec.command_of(run.stage).shell;
  if (shell && ended.outcome.end == JobEnd::exited && ended.outcome.exit > 128 && ended.outcome.exit <= 192) {
    ended.outcome.end = JobEnd::signalled;
    ended.outcome.signal = ended.outcome.exit - 128;
  }
  const bool wanted = !study.cancelling && !study.to_kill.contains(run.number);
  // A person's command may have changed the person's own folder, so only the person may repeat it.
  const bool repeats = wanted && !by_hand;
  const bool no_room = ended.outcome.end == JobEnd::no_room;
  if (ended.outcome.end == JobEnd::voided || (no_room && ended.outcome.started_ms == 0)) {
    if (wanted) return {RunRequeued{run.number, ended.outcome.reason}};
    ended.outcome.end = JobEnd::cancelled;
  }
  Fate fate = fate_of(ended);
  const Attempts chain = chain_of(study, run);
  const bool asks = ended.outcome.end == JobEnd::exited && ended.outcome.exit == retry_exit && !by_hand;
  const bool lost = fate.state == RunState::lost;
  const bool granted = may_ask_again(study.spec, run);
  const bool again =
      repeats && ((asks && granted && chain.asked < most_retries) || (lost && (no_room || chain.lost < most_losses)));
  if (asks)
    fate.reason = {again     ? ReasonCode::retry_asked
                   : granted ? ReasonCode::retry_denied
                             : ReasonCode::retry_not_allowed};

  ended.run = run.number;
  ended.state = fate.state;
  ended.reason = std::move(fate.reason);
  const bool failed = ended.state == RunState::failed || ended.state == RunState::timed_out;
  if (!failed || again)
    ended.fingerprint.clear();
  else if (ended.fingerprint.empty())
    ended.fingerprint = sentence(ended.reason, 1);
  // Such a reason quotes what the job said already.
  const bool quotes =
      ended.reason.code == ReasonCode::gpu_out_of_memory || ended.reason.code == ReasonCode::job_out_of_memory;
  if (failed && !again && !reported.said.empty() && !quotes) {
    ended.reason = with_left_out_file(std::move(ended.reason), study.workspace.ignored, reported.said);
    ended.reason = {ReasonCode::ended_saying, {{"end", std::vector{ended.reason}}, {"said", reported.said}}};
  }
  std::vector<EventBody> events{ended};
  if (again) {
    events.push_back(next_attempt(study, run, asks ? back_off_ms(chain.asked, run.token) : 0));
    return events;
  }
  for (RunEnded& end : ends_of_dependants(study, run, ended.state, ended.reason)) events.push_back(std::move(end));
  for (ArmStopped& stopped : broken_arms(study, run, ended)) events.push_back(std::move(stopped));
  return events;
}

}  // namespace kernel
