#include "memory/store/store.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "base/assert.h"
#include "kernel/codec/codec.h"
#include "memory/log/event_log.h"
#include "memory/log/migrations.h"
#include "memory/store/memories.h"
#include "memory/store/read_models.h"

namespace memory {

namespace {

bool opens(const std::vector<const kernel::Event*>& events) {
  return std::ranges::any_of(
      events, [](const auto* event) { return std::holds_alternative<kernel::StudyOpened>(event->body); });
}

constexpr std::size_t many_runs = 10'000;

bool bulky(const kernel::Event& event) {
  const auto* queued = std::get_if<kernel::RunsQueued>(&event.body);
  return queued && queued->runs.size() > many_runs;
}

bool resumes(const kernel::Event& event) {
  return std::holds_alternative<kernel::StudyResumed>(event.body);
}

}  // namespace

CommitFault::CommitFault() {
  const char* variable = std::getenv("ETUDE_FAULT");
  const std::string_view wanted = variable ? variable : "";
  if (wanted.empty()) return;
  for (const auto& [kind, at] :
       {std::pair<std::string_view, std::int64_t*>{"kill-before-commit:", &before_}, {"kill-after-commit:", &after_}}) {
    if (!wanted.starts_with(kind)) continue;
    const char* end = wanted.data() + wanted.size();
    const auto read = std::from_chars(wanted.data() + kind.size(), end, *at);
    if (read.ec == std::errc() && read.ptr == end && *at > 0) return;
  }
  throw StoreFault("ETUDE_FAULT", "is not kill-before-commit:N or kill-after-commit:N", "unset it: it is for tests");
}

void CommitFault::strike(std::int64_t at, std::int64_t now) {
  if (at > 0 && at == now) ::kill(::getpid(), SIGKILL);
}

Store::Store(const std::string& home, std::int64_t fold_every)
    : snapshots_(fold_every), reserve_(home + "/ballast"), blobs_(home + "/blobs") {
  prepare_home(home);
  database_ = std::make_unique<Database>(database_path(home), Database::Access::write);
  // Checked before anything is changed, so that another program's database is left alone.
  schema_version(*database_, migrations());
  if (Query mode = database_->query("PRAGMA journal_mode = WAL"); !mode.step() || mode.text(0) != "wal")
    throw StoreFault(database_->path(), "cannot use a write-ahead log here", "choose another home with --home");
  database_->run_script("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216");
  // In one transaction, so that no reader sees new tables without rows.
  migrate(*database_, migrations(), [&] {
    if (stored_read_model_version(*database_) != read_model_version) rebuild_read_models(*database_);
  });
  reserve_.create();
  if (stored_read_model_version(*database_) == read_model_version) return;
  Transaction transaction(*database_, Transaction::Kind::write);
  rebuild_read_models(*database_);
  transaction.commit();
}

void Store::append(const std::vector<kernel::Event>& events, const kernel::State& after) {
  ETUDE_ASSERT(std::this_thread::get_id() == thread_);
  if (events.empty()) return;
  // Queueing a hundred thousand runs takes 30 MB, which are free again by now but scattered over the heap.
  if (std::exchange(bulky_, std::ranges::any_of(events, bulky))) malloc_trim(0);
  // A full disk released the reserve before the pause that this one ends.
  if (std::ranges::any_of(events, resumes)) reserve_.create();
  try {
    append_all(events, after);
  } catch (const StoreFault& fault) {
    snapshots_.forget();
    if (!fault.full || !reserve_.release()) throw;
    append_all(events, after);
    if (full_) full_(fault);
  } catch (...) {
    snapshots_.forget();
    throw;
  }
}

void Store::append_all(const std::vector<kernel::Event>& events, const kernel::State& after) {
  struct Batch {
    std::string study, head;
    std::vector<const kernel::Event*> events;
  };
  std::vector<Batch> batches;  // In the order of their first events, which gives studies their numbers.
  const bool waits = !std::ranges::all_of(events, kernel::only_reports);
  // A power cut loses commits that did not wait for the disk, and nothing before them.
  if (waits != waits_) database_->run_script(waits ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  waits_ = waits;
  Transaction transaction(*database_, Transaction::Kind::write);
  for (const kernel::Event& event : events) {
    auto batch = std::ranges::find_if(batches, [&](const Batch& b) { return b.study == event.study; });
    if (batch == batches.end())
      batch = batches.insert(batches.end(), {event.study, head_of(*database_, event.study), {}});
    batch->head = append_event(*database_, event, batch->head);
    batch->events.push_back(&event);
  }
  for (const Batch& batch : batches) {
    const kernel::Study* study = after.study(batch.study);
    if (!study) throw std::logic_error("events appended for study " + batch.study + ", which the state does not hold");
    update_read_models(*database_, batch.events, *study, batch.head);
    if (opens(batch.events))
      index_papers(*database_, *study, [this](const std::string& blob) { return blobs_.get(blob); });
    snapshots_.follow(*database_, batch.events, *study, batch.head);
  }
  fault_.before();
  transaction.commit();
  fault_.after();
}

void Store::replay(const std::string& study, const std::function<void(const kernel::Event&)>& each) {
  each_event(*database_, study, 0, [&](const kernel::StoredEvent& event) { each(event.decoded()); });
}

std::optional<kernel::RunEnded> Store::remembered(const std::string& key) {
  Query q = database_->query("SELECT record FROM remembered WHERE key = ? LIMIT 1", key);
  if (!q.step()) return std::nullopt;
  return std::get<kernel::RunEnded>(kernel::decode("RunEnded", kernel::event_version, q.text(0)));
}

kernel::State Store::load_active(const std::string& only) {
  std::vector<std::string> active;
  for (Query q = database_->query("SELECT id FROM studies WHERE state <> 'ended' ORDER BY n"); q.step();)
    active.emplace_back(q.text(0));
  kernel::State state;
  for (const std::string& study : active)
    if (only.empty() || study == only) snapshots_.load(*database_, study, state);
  return state;
}

kernel::State Store::load(const std::string& study) {
  kernel::State state;
  fold_study(*database_, study, state);
  return state;
}

int Store::next_study_number() {
  return static_cast<int>(
      database_->integer("SELECT coalesce(max(CAST(substr(id, 2) AS INTEGER)), 0) + 1 FROM studies"));
}

template <typename Change>
auto Store::commit(const Change& change) {
  ETUDE_ASSERT(std::this_thread::get_id() == thread_);
  try {
    return commit_now(change);
  } catch (const StoreFault& fault) {
    if (!fault.full || !reserve_.release()) throw;
    auto done = commit_now(change);
    if (full_) full_(fault);
    return done;
  }
}

template <typename Change>
auto Store::commit_now(const Change& change) {
  if (!waits_) database_->run_script("PRAGMA synchronous = FULL");
  waits_ = true;
  Transaction transaction(*database_, Transaction::Kind::write);
  auto done = change();
  fault_.before();
  transaction.commit();
  fault_.after();
  return done;
}

TakenIn Store::take_in(const kernel::ImportedArtifact& artifact, std::int64_t time_ms) {
  return commit([&] { return memory::take_in(*database_, artifact, time_ms); });
}

std::optional<kernel::Problem> Store::tag(const std::string& study, const kernel::Tagging& change,
                                          std::int64_t time_ms) {
  return commit([&] { return store_tagging(*database_, study, change, time_ms); });
}

std::string Store::head(const std::string& study) {
  return head_of(*database_, study);
}

}  // namespace memory
