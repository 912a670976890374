#pragma once
// OpenAI's Responses API, without storage at the provider: reasoning comes back encrypted and is sent again. Pure:
// writes requests and reads replies, streamed or complete; sends nothing.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "models/habits.h"
#include "models/protocols/dialect.h"

namespace models::responses {

nlohmann::json body_of(const Request&, const Habits&);

/// Reads a reply that is not streamed.
ModelOutcome read_whole(std::string_view body);

/// Reads a streamed reply, event by event.
class Stream {
 public:
  void event(std::string_view data, const std::function<void(std::string_view)>& on_text);
  bool done() const { return done_ || failed_; }
  ModelOutcome result() &&;

 private:
  std::map<std::int64_t, std::string> items_;  ///< By their place: each as JSON.
  std::string whole_;                          ///< The response at the end.
  std::optional<Failure> failed_;
  bool began_ = false, done_ = false;
};

}  // namespace models::responses
