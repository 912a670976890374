#include "memory/workspace/code_reads.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/utf8.h"
#include "kernel/domain/enum_names.h"
#include "memory/workspace/seed_pins.h"

namespace memory {

namespace {

using kernel::CodeRead;

constexpr std::size_t longest_line = 80;

struct Words {
  CodeRead reads;
  std::string_view word;
};
// A word counts where no letter, digit or underscore stands before or after it.
constexpr std::array reading{
    Words{CodeRead::parameters, "ETUDE_PARAMS"},
    Words{CodeRead::seed, "ETUDE_SEED"},
    Words{CodeRead::token, "ETUDE_RUN"},
    Words{CodeRead::token, "/proc/self/environ"},
    Words{CodeRead::clock, "time.time"},
    Words{CodeRead::clock, "time_ns"},
    Words{CodeRead::clock, "perf_counter"},
    Words{CodeRead::clock, "perf_counter_ns"},
    Words{CodeRead::clock, "monotonic"},
    Words{CodeRead::clock, "monotonic_ns"},
    Words{CodeRead::clock, "process_time"},
    Words{CodeRead::clock, "datetime.now"},
    Words{CodeRead::clock, "utcnow"},
    Words{CodeRead::clock, "clock_gettime"},
    Words{CodeRead::clock, "gettimeofday"},
    Words{CodeRead::clock, "steady_clock"},
    Words{CodeRead::clock, "system_clock"},
    Words{CodeRead::clock, "high_resolution_clock"},
    Words{CodeRead::clock, "Instant::now"},
    Words{CodeRead::clock, "SystemTime::now"},
    Words{CodeRead::clock, "nanoTime"},
    Words{CodeRead::clock, "currentTimeMillis"},
    Words{CodeRead::clock, "Date.now"},
    Words{CodeRead::clock, "performance.now"},
    Words{CodeRead::clock, "time.Now"},
    Words{CodeRead::clock, "Sys.time"},
    Words{CodeRead::clock, "systime"},
    Words{CodeRead::clock, "date +"},
    Words{CodeRead::clock, "EPOCHREALTIME"},
    Words{CodeRead::clock, "EPOCHSECONDS"},
    Words{CodeRead::sleep, "sleep"},
    Words{CodeRead::sleep, "usleep"},
    Words{CodeRead::sleep, "nanosleep"},
    Words{CodeRead::sleep, "sleep_for"},
    Words{CodeRead::sleep, "sleep_until"},
    Words{CodeRead::sleep, "Sys.sleep"},
};
constexpr std::array<std::string_view, 7> reporting{"ETUDE_METRICS", "value",       "seed",       "srand",
                                                    "manual_seed",   "default_rng", "RandomState"};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool names(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(line[at - 1])) && (end >= line.size() || !in_word(line[end]) || !in_word(word.back())))
      return true;
  }
  return false;
}

/// The name that the line assigns to; empty if it assigns to none.
std::string_view assigned(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == line.npos || sign == 0 || (sign + 1 < line.size() && line[sign + 1] == '=')) return {};
  std::size_t end = sign;
  while (end > 0 && !in_word(line[end - 1])) --end;
  std::size_t start = end;
  while (start > 0 && in_word(line[start - 1])) --start;
  return line.substr(start, end - start);
}

bool reports(std::string_view line) {
  return std::ranges::any_of(reporting, [&](std::string_view word) { return names(line, word); });
}

/// True if what this line assigns reaches a line that reports.
bool reaches_report(const std::vector<std::string_view>& lines, std::size_t from) {
  if (reports(lines[from])) return true;
  std::set<std::string_view> tainted{assigned(lines[from])};
  tainted.erase("");
  for (bool more = !tainted.empty(); more;) {
    more = false;
    for (const std::string_view line : lines) {
      if (std::ranges::none_of(tainted, [&](std::string_view name) { return names(line, name); })) continue;
      if (reports(line)) return true;
      if (const std::string_view next = assigned(line); !next.empty()) more = tainted.insert(next).second || more;
    }
  }
  return false;
}

}  // namespace

std::vector<kernel::CodeLine> code_reads(std::string_view path, std::string_view text,
                                         const std::function<bool(std::string_view line)>& by_agent) {
  std::vector<kernel::CodeLine> found;
  if (!may_pin_seeds(path)) return found;
  std::vector<std::string_view> lines, whole;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    whole.push_back(rest.substr(0, end));
    lines.push_back(without_comment(path, whole.back()));
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::set<CodeRead> kinds;
    for (const Words& one : reading)
      if (names(lines[i], one.word)) kinds.insert(one.reads);
    if (kinds.empty() || !kernel::valid_utf8(lines[i])) continue;
    const std::size_t first = lines[i].find_first_not_of(" \t"), last = lines[i].find_last_not_of(" \t\r");
    const std::string place = fmt::format("{}:{}: {}", path, i + 1,
                                          kernel::utf8_prefix(lines[i].substr(first, last + 1 - first), longest_line));
    for (const CodeRead kind : kinds)
      found.push_back({kind, place, by_agent(whole[i]), kind == CodeRead::clock && reaches_report(lines, i)});
  }
  return found;
}

void add_code_reads(kernel::WorkspaceRecord& record, std::vector<kernel::CodeLine> lines) {
  for (kernel::CodeLine& line : lines) {
    const auto same = [&](const kernel::CodeLine& known) {
      return known.reads == line.reads && known.by_agent == line.by_agent && known.reported == line.reported;
    };
    if (static_cast<std::size_t>(std::ranges::count_if(record.reads, same)) < most_code_reads)
      record.reads.push_back(std::move(line));
  }
}

}  // namespace memory
