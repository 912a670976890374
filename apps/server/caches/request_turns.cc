#include "apps/server/caches/request_turns.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

namespace server {

namespace {

constexpr std::chrono::seconds longest_turn{30};

}  // namespace

struct RequestTurns::Waiting {
  std::mutex mutex;
  std::condition_variable over;
  std::set<std::string> taken;
};

RequestTurns::RequestTurns() : waiting_(std::make_shared<Waiting>()) {}

RequestTurns::Turn::Turn(std::shared_ptr<Waiting> waiting, std::string token)
    : waiting_(std::move(waiting)), token_(std::move(token)) {}

RequestTurns::Turn::~Turn() {
  {
    const std::lock_guard lock(waiting_->mutex);
    waiting_->taken.erase(token_);
  }
  waiting_->over.notify_all();
}

std::shared_ptr<const RequestTurns::Turn> RequestTurns::turn(const std::string& token) {
  std::unique_lock lock(waiting_->mutex);
  if (!waiting_->over.wait_for(lock, longest_turn, [&] { return !waiting_->taken.contains(token); })) return nullptr;
  waiting_->taken.insert(token);
  return std::make_shared<const Turn>(waiting_, token);
}

}  // namespace server
