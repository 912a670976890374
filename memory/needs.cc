#include "memory/needs.h"

#include "memory/event_log.h"
#include "memory/named_blobs.h"
#include "memory/read_connection.h"

namespace memory {

namespace {

constexpr const char* look = "`etude verify` says what else is wrong; nothing can be deleted before it is mended";

void refuse_missing_events(Database& database) {
  const std::int64_t written =
      database.integer("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'");
  if (database.integer("SELECT count(*) FROM events") != written)
    throw StoreFault(database.path(), "lacks events that were written, and what they named is unknown", look, true);
}

}  // namespace

Needs needs_of(const std::string& home) {
  const ReadConnection connection(home);
  Database& database = *connection.database();
  const Blobs blobs(home + "/blobs");
  Needs needs;
  const auto keep = [&](std::string_view sha256) { needs.blobs.emplace(sha256); };
  // One view of all of it, whoever writes meanwhile.
  Transaction view(database, Transaction::Kind::read);
  refuse_missing_events(database);
  for (const std::string& study : studies_by_age(database)) {
    kernel::Chain chain;
    std::string workspace, output;
    bool ended = false;
    each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
      refuse_broken(chain, event);
      each_mentioned(event.payload, keep);
      ended = ended || event.type == "StudyEnded";
      if (event.type != "StudyOpened") return;
      const kernel::Event decoded = event.decoded();
      const auto& opened = std::get<kernel::StudyOpened>(decoded.body);
      workspace = opened.workspace.hash;
      output = opened.output;
      each_mentioned(blobs.get(workspace), keep);
    });
    if (ended) continue;
    needs.workspaces.insert(workspace);
    needs.outputs.insert(output);
  }
  return needs;
}

}  // namespace memory
