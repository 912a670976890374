#include "apps/session/home/tried_runs.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace session {

using nlohmann::json;

namespace {

constexpr std::streamoff most_tried_bytes = 1 << 20;

/// None if the line is no try.
std::optional<TriedRun> read_try(const std::string& line) {
  const json entry = json::parse(line, nullptr, false);
  if (!entry.is_object()) return std::nullopt;
  try {
    TriedRun run;
    run.commands = entry.at("commands");
    run.workspace = entry.at("workspace");
    run.time.study = "try";
    run.time.part = "try";
    run.time.cell = entry.at("factors").get<kernel::Cell>();
    run.time.started_ms = entry.at("started_ms");
    run.time.ended_ms = entry.at("ended_ms");
    run.time.gpus = entry.at("gpus");
    if (entry.at("joules").is_number()) run.time.joules = entry.at("joules").get<double>();
    if (run.time.ended_ms < run.time.started_ms) return std::nullopt;
    return run;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

bool record_try(const HomePaths& home, const TriedRun& run) {
  const json entry = {{"commands", run.commands},
                      {"workspace", run.workspace},
                      {"factors", run.time.cell},
                      {"started_ms", run.time.started_ms},
                      {"ended_ms", run.time.ended_ms},
                      {"gpus", run.time.gpus},
                      {"joules", run.time.joules ? json(*run.time.joules) : json()}};
  const std::string line = entry.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const int fd = ::open(home.tried_runs().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  // One write, so that lines of several processes do not mix.
  const bool whole = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return ::close(fd) == 0 && whole;
}

std::vector<TriedRun> tried_runs(const HomePaths& home, const std::string& commands) {
  std::vector<TriedRun> list;
  std::ifstream in(home.tried_runs(), std::ios::binary);
  if (!in) return list;
  in.seekg(0, std::ios::end);
  const std::streamoff bytes = in.tellg();
  std::string line;
  in.seekg(std::max<std::streamoff>(0, bytes - most_tried_bytes));
  if (bytes > most_tried_bytes) std::getline(in, line);  // The rest of a line.
  while (std::getline(in, line))
    if (auto run = read_try(line); run && run->commands == commands) list.push_back(std::move(*run));
  return list;
}

}  // namespace session
