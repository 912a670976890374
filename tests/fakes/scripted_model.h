#pragma once
// A model that says what a test tells it, at once, and counts what it is asked.

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "agents/thinking/calls/role_model.h"

namespace fakes {

class ScriptedModel : public agents::RoleModel {
 public:
  /// Of the request and how many were asked before. None: it never answers.
  using Script = std::function<std::optional<models::ModelOutcome>(const models::Request&, int)>;
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  std::uint64_t ask(const models::Request& request, std::function<void(std::string_view)> on_text,
                    std::function<void(models::ModelOutcome, agents::Attempts)> on_end) override {
    int before = 0;
    {
      const std::lock_guard lock(mutex_);
      before = static_cast<int>(asked_.size());
      asked_.push_back(request);
    }
    auto outcome = script_(request, before);
    if (!outcome) {
      const std::lock_guard lock(mutex_);
      waiting_ = std::move(on_end);
      return 1;
    }
    if (const auto* reply = std::get_if<models::Reply>(&*outcome); reply && on_text) on_text(reply->text);
    on_end(std::move(*outcome), {});
    return 0;
  }
  void cancel(std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    ++cancelled;
  }

  std::vector<models::Request> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  std::atomic<int> cancelled = 0;

 private:
  Script script_;
  mutable std::mutex mutex_;
  std::vector<models::Request> asked_;
  std::function<void(models::ModelOutcome, agents::Attempts)> waiting_;
};

/// A reply that calls one tool.
inline models::ModelOutcome calling(std::string tool, std::string arguments) {
  models::Reply reply;
  reply.calls = {{"c1", std::move(tool), std::move(arguments)}};
  reply.stop = models::Stop::tools;
  reply.usage = {100, 20, 0, 0, true};
  return reply;
}

/// Reads the file, then calls the tool, in one reply.
inline models::ModelOutcome reading_first(const std::string& path, std::string tool, std::string arguments) {
  models::ModelOutcome outcome = calling(std::move(tool), std::move(arguments));
  auto& calls = std::get<models::Reply>(outcome).calls;
  calls.insert(calls.begin(), {"c0", "read_file", "{\"path\":\"" + path + "\"}"});
  return outcome;
}

inline models::ModelOutcome saying(std::string text) {
  models::Reply reply;
  reply.text = std::move(text);
  reply.usage = {100, 20, 0, 0, true};
  return reply;
}

}  // namespace fakes
