#pragma once
// A model that says what a test tells it, at once, and counts what it is asked.

#include <atomic>
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
  std::uint64_t ask_in_batch(const models::Request& request, double patience_s,
                             std::optional<models::BatchTicket> ticket,
                             std::function<void(models::BatchTicket)> on_submitted,
                             std::function<void(models::BatchOutcome, agents::Attempts)> on_end) override {
    if (!batches)
      return RoleModel::ask_in_batch(request, patience_s, std::move(ticket), std::move(on_submitted),
                                     std::move(on_end));
    const bool taken_up = ticket.has_value();
    if (!taken_up) {
      {
        const std::lock_guard lock(mutex_);
        ticket = models::BatchTicket{"b" + std::to_string(++submitted_), "http://h", 3600000};
        asked_.push_back(request);
      }
      on_submitted(*ticket);
    }
    if (auto outcome = batches(request, *ticket, taken_up)) {
      on_end(std::move(*outcome), {});
      return 0;
    }
    const std::lock_guard lock(mutex_);
    left_.push_back(std::move(on_end));
    return 1;
  }
  void cancel(std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    ++cancelled;
  }
  void cancel_batch(std::uint64_t) override { ++batches_cancelled; }

  std::vector<models::Request> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

  int submitted() const {
    const std::lock_guard lock(mutex_);
    return submitted_;
  }

  std::atomic<int> cancelled = 0, batches_cancelled = 0;
  /// Of the request, its batch, and whether that is taken up from an earlier program. None: it never ends. Empty: the
  /// model has no batches.
  std::function<std::optional<models::BatchOutcome>(const models::Request&, const models::BatchTicket&, bool)>
      batches{};

 private:
  Script script_;
  mutable std::mutex mutex_;
  std::vector<models::Request> asked_;
  std::function<void(models::ModelOutcome, agents::Attempts)> waiting_;
  std::vector<std::function<void(models::BatchOutcome, agents::Attempts)>> left_;
  int submitted_ = 0;
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
