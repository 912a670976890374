#include "apps/session/watch/study_trace.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "kernel/study/state.h"

namespace session {

kernel::TraceCounts write_trace(const memory::Reader& reader, const std::string& study,
                                const std::function<void(std::string_view)>& write) {
  std::optional<kernel::ChromeTrace> document;
  kernel::State state;
  kernel::Timeline timeline([&](const kernel::TimelineItem& item) { document->add(item); });
  reader.events(study, 0, [&](const kernel::StoredEvent& stored) {
    const kernel::Event event = stored.decoded();
    kernel::apply(state, event);
    const kernel::Study& now = *state.study(study);
    if (!document)
      document.emplace(write, nlohmann::json{{"study", now.id},
                                             {"title", now.spec.title},
                                             {"opened", kernel::iso8601(now.opened_ms)},
                                             {"etude", ETUDE_VERSION}});
    timeline.add(event, now);
  });
  timeline.finish();
  document->finish();
  return document->counts();
}

}  // namespace session
