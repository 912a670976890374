#include "memory/log/event_log.h"

#include "kernel/domain/event_references.h"

namespace memory {

std::string head_of(Database& database, const std::string& study) {
  Query q = database.query("SELECT hash FROM events WHERE study = ? ORDER BY seq DESC LIMIT 1", study);
  return q.step() ? std::string(q.text(0)) : std::string();
}

std::string append_event(Database& database, const kernel::Event& event, const std::string& head) {
  const kernel::StoredEvent stored = kernel::to_stored(event, head.empty() ? std::string(kernel::chain_start) : head);
  database.run(
      "INSERT INTO events(study, v, time, boot, actor, type, payload, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      stored.study, stored.version, stored.time, stored.boot, stored.actor, stored.type, stored.payload, stored.prev,
      stored.hash);
  return stored.hash;
}

namespace {

const std::string columns = "SELECT seq, study, v, time, boot, actor, type, payload, prev, hash FROM events ";

void read_row(const Query& q, kernel::StoredEvent& event) {
  event.seq = q.integer(0);
  event.study = q.text(1);
  event.version = static_cast<int>(q.integer(2));
  event.time = q.integer(3);
  event.boot = q.integer(4);
  event.actor = q.text(5);
  event.type = q.text(6);
  event.payload = q.text(7);
  event.prev = q.text(8);
  event.hash = q.text(9);
}

/// Repeats the index's condition (migration 9) word for word, or SQLite would not use the index.
std::string is_a_moment() {
  std::string types;
  for (const std::string_view type : kernel::moment_types())
    types += (types.empty() ? "'" : ", '") + std::string(type) + "'";
  return "type IN (" + types + ")";
}

template <typename... Values>
std::vector<kernel::StoredEvent> events_of(Database& database, const std::string& condition, const Values&... values) {
  std::vector<kernel::StoredEvent> events;
  for (Query q = database.query(columns + condition, values...); q.step();) read_row(q, events.emplace_back());
  return events;
}

}  // namespace

void each_event(Database& database, const std::string& study, std::int64_t after,
                const std::function<void(const kernel::StoredEvent&)>& each) {
  kernel::StoredEvent event;
  for (Query q = database.query(columns + "WHERE study = ? AND seq > ? ORDER BY seq", study, after); q.step();) {
    read_row(q, event);
    each(event);
  }
}

std::vector<kernel::StoredEvent> events_after(Database& database, std::int64_t after, std::size_t most,
                                              const std::string& study) {
  return events_of(database,
                   study.empty() ? "WHERE ?2 = '' AND seq > ?1 ORDER BY seq LIMIT ?3"
                                 : "WHERE study = ?2 AND seq > ?1 ORDER BY seq LIMIT ?3",
                   after, study, static_cast<std::int64_t>(most));
}

std::vector<kernel::StoredEvent> moments(Database& database, const std::string& study, std::int64_t after,
                                         std::size_t most, const std::string& type) {
  return events_of(database,
                   "INDEXED BY moments WHERE study = ?1 AND seq > ?2 AND " + is_a_moment() +
                       " AND (?4 = '' OR type = ?4) ORDER BY seq LIMIT ?3",
                   study, after, static_cast<std::int64_t>(most), type);
}

int moment_count(Database& database, const std::string& study) {
  Query q =
      database.query("SELECT count(*) FROM events INDEXED BY moments WHERE study = ? AND " + is_a_moment(), study);
  return q.step() ? static_cast<int>(q.integer(0)) : 0;
}

void refuse_broken(kernel::Chain& chain, const kernel::StoredEvent& event) {
  if (const std::string wrong = chain.add(event); !wrong.empty())
    throw StoreFault(event_label(event), wrong, "the store was changed; `etude verify` lists what else was", true);
}

std::string event_label(const kernel::StoredEvent& event) {
  return "event " + std::to_string(event.seq) + " (" + event.type + " of study " + event.study + ")";
}

std::vector<std::string> studies_by_age(Database& database) {
  std::vector<std::string> studies;
  for (Query q = database.query("SELECT study FROM events GROUP BY study ORDER BY min(seq)"); q.step();)
    studies.emplace_back(q.text(0));
  return studies;
}

void fold_study(Database& database, const std::string& study, kernel::State& state) {
  kernel::Chain chain;
  each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
    refuse_broken(chain, event);
    kernel::apply(state, event.decoded());
  });
}

}  // namespace memory
