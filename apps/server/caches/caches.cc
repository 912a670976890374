#include "apps/server/caches/caches.h"

#include <algorithm>

#include <malloc.h>
#include <nlohmann/json.hpp>

#include "apps/session/watch/public_view.h"
#include "base/assert.h"

namespace server {

namespace {

constexpr std::size_t at_once = 500;
constexpr std::size_t most_bytes = 8 << 20;
constexpr std::size_t most_kept = 20'000;  ///< Runs; larger studies are folded again for each request.

}  // namespace

std::string rendered(const kernel::StoredEvent& event, std::set<int>& scratch) {
  using nlohmann::json;
  return "id: " + std::to_string(event.seq) + "\nevent: " + event.type +
         "\ndata: " + session::event_shape(event, scratch).dump(-1, ' ', false, json::error_handler_t::replace) +
         "\n\n";
}

void EventCache::catch_up() {
  const std::uint64_t news = feed_.seen();  // Read before the log, so that later events count as new.
  const bool closed = feed_.closed();
  if (!reader_) {
    reader_ = std::make_unique<memory::Reader>(home_);
    floor_ = last_ = reader_->last_event();
    read_ = news;
    if (!reader_->has_store()) reader_.reset();
    return;
  }
  if (news == read_ && !closed) return;
  for (std::size_t found = at_once; found == at_once;) {
    const std::vector<kernel::StoredEvent> events = reader_->events_after(last_, at_once);
    found = events.size();
    for (const kernel::StoredEvent& event : events) {
      ETUDE_ASSERT(event.seq > last_);  // `after` looks for it by its number.
      const auto [scratch, fresh] = scratch_.try_emplace(event.study);
      if (fresh) scratch->second = reader_->scratch_runs(event.study);
      lines_.push_back({event.seq, event.study, rendered(event, scratch->second)});
      bytes_ += lines_.back().text.size();
      last_ = event.seq;
    }
  }
  read_ = news;
  for (; bytes_ > most_bytes && !lines_.empty(); lines_.pop_front()) {
    bytes_ -= lines_.front().text.size();
    floor_ = lines_.front().seq;
  }
}

std::optional<EventCache::Piece> EventCache::after(std::int64_t after, const std::string& study, std::size_t longest) {
  const std::lock_guard lock(mutex_);
  catch_up();
  if (after < floor_ || !reader_) return std::nullopt;
  Piece piece;
  piece.until = after;
  auto line = std::upper_bound(lines_.begin(), lines_.end(), after,
                               [](std::int64_t seq, const Line& one) { return seq < one.seq; });
  for (; line != lines_.end() && piece.text.size() < longest; ++line) {
    if (study.empty() || line->study == study) piece.text += line->text;
    piece.until = line->seq;
  }
  return piece;
}

bool HistoryCache::show(const std::string& study, std::int64_t at, const std::function<void(const View&)>& see) {
  const std::lock_guard lock(mutex_);
  if (study != study_ || at < seq_) {
    study_ = study;
    seq_ = 0;
    state_ = {};
    chain_ = kernel::Chain();
  }
  try {
    seq_ = memory::Reader(home_).fold(study, seq_, at, state_, chain_);
  } catch (...) {
    study_.clear();  // It is folded only in part.
    throw;
  }
  const kernel::Study* then = state_.study(study);
  if (then) see({*then, chain_.head(), seq_});
  const bool there = then != nullptr;
  if (there && then->runs.size() > most_kept) {
    study_.clear();
    state_ = {};
    malloc_trim(0);  // Returns hundreds of megabytes that the allocator would keep.
  }
  return there;
}

std::optional<kernel::Problem> ConversationCache::show(
    const std::string& study, const std::function<void(const std::vector<artifacts::Transcript>&)>& see) {
  const std::lock_guard lock(mutex_);
  if (study != study_) {
    study_ = study;
    seq_ = 0;
    reader_ = artifacts::TranscriptReader(fetch_);
  }
  std::optional<kernel::Problem> unread;
  memory::Reader(home_).events(study, seq_, [&](const kernel::StoredEvent& event) {
    // Most events are of runs, and decoding them would take long.
    const bool spoken = event.is<kernel::LineOpened>() || event.is<kernel::ModelAsked>() ||
                        event.is<kernel::ModelAnswered>() || event.is<kernel::ToolReturned>() ||
                        event.is<kernel::LineEnded>();
    if (unread) return;
    if (spoken) unread = reader_.take(event.decoded(), static_cast<int>(event.seq));
    seq_ = event.seq;
  });
  if (unread) {
    study_.clear();  // It is read only in part.
    return unread;
  }
  see(reader_.so_far().all);
  return std::nullopt;
}

}  // namespace server
