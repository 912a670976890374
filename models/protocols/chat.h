#pragma once
// OpenAI's chat completions, as served by OpenAI, Azure, Gemini, DeepSeek, Mistral, OpenRouter, vLLM, SGLang,
// llama.cpp, Ollama and LM Studio. Pure: writes requests and reads replies, streamed or complete; sends nothing.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/habits.h"
#include "models/protocols/dialect.h"

namespace models::chat {

/// The body. `own_api`: OpenAI's or Azure's, whose models refuse `max_tokens`; other servers know only that name.
nlohmann::json body_of(const Request&, const Habits&, bool own_api);
nlohmann::json embeddings_body(const Request&);

/// Reads a reply that is not streamed.
ModelOutcome read_whole(std::string_view body);
/// Reads a reply with one vector per text, in order, or the failure.
ModelOutcome read_embeddings(std::string_view body, std::size_t texts);

/// Reads a streamed reply, chunk by chunk.
class Stream {
 public:
  /// Takes the data of one event. `on_text` is called with the text that it adds to the reply.
  void event(std::string_view data, const std::function<void(std::string_view)>& on_text);
  /// Whether the reply is complete or has failed.
  bool done() const { return done_ || failed_; }
  /// The reply, or the failure. Call it once. A stream without an end is a reply that was cut off.
  ModelOutcome result() &&;

 private:
  void choice(const nlohmann::json&, std::string_view data, const std::function<void(std::string_view)>& on_text);
  void call(const nlohmann::json&, const OrderedJson& as_it_came);

  struct Open {
    std::int64_t index = 0;
    ToolCall call;
    OrderedJson extra = OrderedJson::object();
  };
  Reply reply_;
  std::vector<Open> calls_;
  OrderedJson extra_ = OrderedJson::object();  ///< Further members of the message.
  std::string finish_, refusal_;
  std::optional<Failure> failed_;
  bool began_ = false, done_ = false;
};

}  // namespace models::chat
