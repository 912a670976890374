#pragma once
// What people are told of a study that ends, fails, waits or is paused: facts as JSON. Pure. It holds no
// secret that the log does not hold, and no value of a metric.

#include <optional>

#include <nlohmann/json.hpp>

#include "config/notify_settings.h"
#include "kernel/study/state.h"

namespace session {

struct Notice {
  config::NotifyOn on = config::NotifyOn::ended;
  /// {"event","study","title","state","outcome","reason","detail","gate","verdicts","runs","tokens","usd","artifact",
  /// "report","time","text"}; null where there is nothing.
  nlohmann::json facts;
};

/// The message about the event, if people are told of such; `after`: the study after it.
std::optional<Notice> notice_about(const kernel::Event&, const kernel::Study& after);

/// That jobs of all studies wait, since the place where they run does not answer; the study's members are null.
Notice notice_of_jobs(const std::string& why, std::int64_t wall_ms);

}  // namespace session
