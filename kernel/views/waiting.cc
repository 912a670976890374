#include "kernel/views/waiting.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "kernel/views/json_parts.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

namespace {

/// "2026-03-01 12:00 UTC"
std::string minute_of(std::int64_t wall_ms) {
  std::string text = iso8601(wall_ms);
  return text.replace(text.find('T'), 1, " ").substr(0, 16) + " UTC";
}

}  // namespace

Reason awaited_batch(const ModelCall& call) {
  return {ReasonCode::batch_awaited,
          {{"batch", call.batch->id}, {"model", call.model}, {"until", minute_of(call.batch->until_ms)}}};
}

json waiting_shape(const Study& study) {
  json waiting = json::array();
  if (study.state == StudyState::paused && study.pause_reason == PauseReason::disk)
    waiting.push_back({{"on", "disk"}, {"why", sentence(study.pause_detail, study.wording)}});
  for (const LineOfWork& line : study.thinking.lines) {
    if (!line.waits.empty())
      waiting.push_back({{"on", "provider"}, {"line", line.id}, {"why", sentence(line.waits, study.wording)}});
    const ModelCall* call = study.thinking.newest_call(line);
    if (study.state == StudyState::running && call && call->in_batch())
      waiting.push_back({{"on", "batch"},
                         {"line", line.id},
                         {"why", sentence(awaited_batch(*call), study.wording)},
                         {"since", time_or_null(call->batch->since_ms)},
                         {"until", time_or_null(call->batch->until_ms)}});
  }
  return waiting;
}

}  // namespace kernel
