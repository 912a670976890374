#pragma once
// Anthropic's Messages API. Pure: writes requests and reads replies, streamed or complete; sends nothing.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "models/dialect.h"
#include "models/http.h"

namespace models::anthropic {

/// An answer of a given shape is requested as the arguments of a tool that must be called, which every model supports.
HttpRequest messages(const Endpoint&, const Request&);

/// Reads a reply that is not streamed. `request` tells which tool stands for the answer's shape.
ModelOutcome read_whole(std::string_view body, const Request& request);

/// Reads a streamed reply, event by event.
class Stream {
 public:
  explicit Stream(const Request& request) : shape_(request.shape ? request.shape->name : "") {}

  void event(std::string_view data, const std::function<void(std::string_view)>& on_text);
  bool done() const { return done_ || failed_; }
  ModelOutcome result() &&;

 private:
  void block(const nlohmann::json& event, const std::function<void(std::string_view)>& on_text);

  struct Block {
    std::string type, text;  ///< The content: text, or a tool's arguments.
    std::string id, name;
  };
  std::string shape_;
  Reply reply_;
  std::map<std::int64_t, Block> blocks_;
  std::string stop_;
  std::optional<Failure> failed_;
  bool began_ = false, done_ = false;
};

}  // namespace models::anthropic
