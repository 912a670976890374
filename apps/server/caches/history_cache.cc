#include "apps/server/caches/history_cache.h"

#include <malloc.h>

namespace server {

namespace {

constexpr std::size_t most_kept = 20'000;  ///< Runs; larger studies are folded again for each request.

}  // namespace

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

}  // namespace server
