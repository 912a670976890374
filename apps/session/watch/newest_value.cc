#include "apps/session/watch/newest_value.h"

#include <nlohmann/json.hpp>

#include "executors/backend/harvest.h"
#include "kernel/runs/job.h"

namespace session {

namespace {

constexpr std::uint64_t most_bytes = 4096;

std::optional<NewestValue> value_in(std::string_view line, const std::string& metric) {
  const nlohmann::json said = nlohmann::json::parse(line, nullptr, false);
  if (!said.is_object() || said.value("name", nlohmann::json()) != metric) return std::nullopt;
  const nlohmann::json value = said.value("value", nlohmann::json()), step = said.value("step", nlohmann::json());
  if (!value.is_number()) return std::nullopt;
  return NewestValue{value.get<double>(),
                     step.is_number_integer() ? std::optional(step.get<std::int64_t>()) : std::nullopt};
}

}  // namespace

std::optional<NewestValue> newest_value(std::string_view end_of_metrics, const std::string& metric) {
  // Behind the last line break stands what the job is writing.
  for (std::size_t end = end_of_metrics.rfind('\n'); end != end_of_metrics.npos && end > 0;) {
    const std::size_t before = end_of_metrics.rfind('\n', end - 1);
    const std::size_t begin = before == end_of_metrics.npos ? 0 : before + 1;
    if (const auto found = value_in(end_of_metrics.substr(begin, end - begin), metric)) return found;
    end = before;
  }
  return std::nullopt;
}

std::optional<NewestValue> newest_value(const HomePaths& home, const std::string& study,
                                        const kernel::LaunchToken& launch, const std::string& metric) {
  const executors::Harvest harvest(home.run_folder(study, kernel::launch_name(launch)));
  return newest_value(harvest.end_of_metrics(most_bytes), metric);
}

}  // namespace session
