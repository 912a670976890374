#include "memory/log/state_snapshots.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "base/digest.h"
#include "kernel/domain/event_references.h"
#include "memory/log/event_log.h"
#include "memory/log/value_codec.h"

namespace memory {

namespace {

/// Raised when the same events fold into other values of the same shape; a test reminds you.
constexpr int fold_version = 17;
constexpr int runs_in_part = 256;

int part_of(int number) {
  return (number - 1) / runs_in_part;
}

template <typename Member>
constexpr bool stands_apart = std::is_same_v<std::remove_const_t<Member>, decltype(kernel::Study::runs)>;

std::string bytes_of(const kernel::Study& study) {
  ValueWriter writer;
  each_member(study, [&writer](const auto& member) {
    if constexpr (!stands_apart<std::remove_reference_t<decltype(member)>>) writer.add(member);
  });
  return writer.take();
}

std::string part_bytes(const kernel::RunBoard& study, int part) {
  ValueWriter writer;
  const auto first = static_cast<std::size_t>(part) * runs_in_part;
  for (std::size_t i = first; i < std::min(first + runs_in_part, study.runs.size()); ++i) writer.add(study.runs[i]);
  return writer.take();
}

int parts(std::int64_t runs) {
  return static_cast<int>((runs + runs_in_part - 1) / runs_in_part);
}

/// The parts whose runs the events change.
struct Changed : kernel::EventReferences {
  explicit Changed(std::set<int>& parts) : stale(parts) {}
  void run(int number) override { stale.insert(part_of(number)); }
  std::set<int>& stale;
};

void need(bool sound) {
  if (!sound) throw std::runtime_error("the folded state is not whole");
}

/// Reads the stored state; its last event must be in the chain.
kernel::Study read_folded(Database& database, const std::string& study, std::string& head) {
  kernel::Study folded;
  std::int64_t runs = 0;
  {
    Query q = database.query(
        "SELECT f.head, f.runs, f.sha256, f.state FROM folded f JOIN events e ON e.seq = f.seq AND e.study = f.study "
        "AND e.hash = f.head WHERE f.study = ?",
        study);
    need(q.step());
    head = q.text(0);
    runs = q.integer(1);
    need(kernel::sha256_hex(q.text(3)) == q.text(2));
    ValueReader reader(q.text(3));
    each_member(folded, [&reader](auto& member) {
      if constexpr (!stands_apart<std::remove_reference_t<decltype(member)>>) reader.get(member);
    });
    need(reader.done());
  }
  Query q = database.query("SELECT part, sha256, runs FROM folded_runs WHERE study = ? ORDER BY part", study);
  for (int part = 0; part < parts(runs); ++part) {
    need(q.step() && q.integer(0) == part && kernel::sha256_hex(q.text(2)) == q.text(1));
    ValueReader reader(q.text(2));
    while (!reader.done()) reader.get(folded.runs.emplace_back());
  }
  need(!q.step() && folded.id == study && static_cast<std::int64_t>(folded.runs.size()) == runs);
  return folded;
}

/// The same; none if what is stored is not usable.
std::optional<kernel::Study> usable_folded(Database& database, const std::string& study, std::string& head) {
  try {
    return read_folded(database, study, head);
  } catch (const StoreFault&) {
    throw;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

void erase(Database& database, const std::string& study) {
  database.run("DELETE FROM folded WHERE study = ?", study);
  database.run("DELETE FROM folded_runs WHERE study = ?", study);
}

}  // namespace

const std::string& state_snapshot_layout() {
  static const std::string hash = kernel::sha256_hex(std::to_string(fold_version) + " " + layout_of<kernel::Study>());
  return hash;
}

std::int64_t state_snapshot_seq(Database& database, const std::string& study) {
  Query q = database.query("SELECT seq FROM folded WHERE study = ? AND layout = ?", study, state_snapshot_layout());
  return q.step() ? q.integer(0) : 0;
}

bool matches_state_snapshot(Database& database, const kernel::Study& study) {
  std::string head;
  const std::optional<kernel::Study> stored = usable_folded(database, study.id, head);
  if (!stored || bytes_of(*stored) != bytes_of(study) || stored->runs.size() != study.runs.size()) return false;
  for (int part = 0; part < parts(static_cast<std::int64_t>(study.runs.size())); ++part)
    if (part_bytes(*stored, part) != part_bytes(study, part)) return false;
  return true;
}

void StateSnapshots::load(Database& database, const std::string& study, kernel::State& state) {
  Known known;
  std::int64_t after = state_snapshot_seq(database, study);
  kernel::Chain chain;
  if (std::string head; after > 0) {
    if (std::optional<kernel::Study> folded = usable_folded(database, study, head)) {
      state.studies.insert_or_assign(study, std::move(*folded));
      chain = kernel::Chain(head);
      known.stored = true;
    } else {
      after = 0;  // Fold all events.
    }
  }
  Changed changed(known.stale);
  each_event(database, study, after, [&](const kernel::StoredEvent& stored) {
    refuse_broken(chain, stored);
    const kernel::Event event = stored.decoded();
    kernel::apply(state, event);
    ++known.since;
    kernel::each_reference(event.body, changed);
  });
  known_[study] = std::move(known);
}

void StateSnapshots::follow(Database& database, const std::vector<const kernel::Event*>& events,
                            const kernel::Study& after, const std::string& head) {
  ETUDE_ASSERT(!events.empty() && events.back()->study == after.id && !head.empty());
  Known& known = known_[after.id];
  Changed changed(known.stale);
  for (const kernel::Event* event : events) kernel::each_reference(event->body, changed);
  known.since += static_cast<std::int64_t>(events.size());
  if (after.state == kernel::StudyState::ended) {
    erase(database, after.id);
    known_.erase(after.id);
  } else if (known.since >= every_) {
    write(database, after, head, known);
  }
}

void StateSnapshots::write(Database& database, const kernel::Study& study, const std::string& head, Known& known) {
  const auto runs = static_cast<std::int64_t>(study.runs.size());
  if (!known.stored) {
    erase(database, study.id);
    for (int part = 0; part < parts(runs); ++part) known.stale.insert(part);
  }
  for (const int part : known.stale) {
    const std::string bytes = part_bytes(study, part);
    database.run("INSERT OR REPLACE INTO folded_runs(study, part, sha256, runs) VALUES (?, ?, ?, ?)", study.id, part,
                 kernel::sha256_hex(bytes), BlobValue{bytes});
  }
  const std::string bytes = bytes_of(study);
  database.run(
      "INSERT OR REPLACE INTO folded(study, seq, head, layout, runs, sha256, state) VALUES (?1, (SELECT max(seq) FROM "
      "events WHERE study = ?1), ?2, ?3, ?4, ?5, ?6)",
      study.id, head, state_snapshot_layout(), runs, kernel::sha256_hex(bytes), BlobValue{bytes});
  known = {true, 0, {}};
}

}  // namespace memory
