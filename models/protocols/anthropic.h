#pragma once
// Anthropic's Messages API. Pure: writes requests and reads replies, streamed or complete; sends nothing.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "models/habits.h"
#include "models/protocols/dialect.h"

namespace models::anthropic {

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
  void block(const nlohmann::json& event, std::string_view data, const std::function<void(std::string_view)>& on_text);

  struct Block {
    OrderedJson start = OrderedJson::object();  ///< As it began, with pieces of its texts added.
    std::string arguments;                      ///< Of a tool.
  };
  Reply reply_;
  std::map<std::int64_t, Block> blocks_;
  std::string stop_;
  std::optional<Failure> failed_;
  bool began_ = false, done_ = false;
};

}  // namespace models::anthropic
