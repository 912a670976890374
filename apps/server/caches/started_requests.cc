#include "apps/server/caches/started_requests.h"

#include <chrono>
#include <condition_variable>

#include <nlohmann/json.hpp>

#include "memory/store/reader.h"

namespace server {

namespace {

constexpr std::chrono::seconds longest_turn{30};

}  // namespace

struct StartedRequests::Waiting {
  std::mutex mutex;
  std::condition_variable over;
  std::set<std::string> taken;
};

StartedRequests::StartedRequests(std::string home) : home_(std::move(home)), waiting_(std::make_shared<Waiting>()) {}

StartedRequests::Turn::Turn(std::shared_ptr<Waiting> waiting, std::string token)
    : waiting_(std::move(waiting)), token_(std::move(token)) {}

StartedRequests::Turn::~Turn() {
  {
    const std::lock_guard lock(waiting_->mutex);
    waiting_->taken.erase(token_);
  }
  waiting_->over.notify_all();
}

std::shared_ptr<const StartedRequests::Turn> StartedRequests::turn(const std::string& token) {
  std::unique_lock lock(waiting_->mutex);
  if (!waiting_->over.wait_for(lock, longest_turn, [&] { return !waiting_->taken.contains(token); })) return nullptr;
  waiting_->taken.insert(token);
  return std::make_shared<const Turn>(waiting_, token);
}

std::optional<std::string> StartedRequests::study_of(const std::string& token) {
  const std::lock_guard lock(mutex_);
  const memory::Reader reader(home_);
  for (const std::string& id : reader.ids()) {
    if (!read_.insert(id).second) continue;
    const auto document = reader.study(id);
    // Parsed only if it has a token, since documents are long.
    if (!document || document->find("\"request\":\"") == document->npos) continue;
    const nlohmann::json request = nlohmann::json::parse(*document).value("request", nlohmann::json());
    if (request.is_string()) studies_.emplace(request, id);
  }
  const auto found = studies_.find(token);
  return found == studies_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace server
