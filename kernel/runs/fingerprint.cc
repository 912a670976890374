#include "kernel/runs/fingerprint.h"

#include <cctype>

#include <fmt/format.h>

#include "kernel/wording/wording.h"

namespace kernel {

namespace {

constexpr std::size_t longest = 200;

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t start = text.rfind('\n');
  return start == text.npos ? text : text.substr(start + 1);
}

/// Numbers, addresses and counters differ between runs that fail for the same cause.
std::string without_numbers(std::string_view text) {
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
    case JobEnd::disk:
      return "disk";
    case JobEnd::processes:
      return "processes";
    default:
      return without_numbers(outcome.reason);
  }
}

}  // namespace

std::string fingerprint(const JobOutcome& outcome, const Measurement& measurement, std::string_view err) {
  const std::string said = without_numbers(last_line(err));
  return how(outcome, measurement) + (said.empty() ? "" : ": " + said);
}

}  // namespace kernel
