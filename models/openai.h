#pragma once
// OpenAI's chat completions, as OpenAI, vLLM, llama.cpp, Ollama, OpenRouter and LM Studio serve them. Pure: writes
// requests and reads replies, in a stream or whole; sends nothing.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/dialect.h"
#include "models/endpoint.h"

namespace models::openai {

HttpRequest chat(const Endpoint&, const Request&);
HttpRequest embeddings(const Endpoint&, const std::string& model, const std::vector<std::string>& texts);

/// A reply that is not streamed.
Outcome read_whole(std::string_view body);
/// A reply with one vector per text, in their order, or why there is none.
Outcome read_embeddings(std::string_view body, std::size_t texts);

/// A streamed reply, chunk after chunk.
class Stream {
 public:
  /// The data of one event. `on_text`: told what it adds to the reply's text.
  void event(std::string_view data, const std::function<void(std::string_view)>& on_text);
  /// Nothing more is to come.
  bool done() const { return done_ || failed_; }
  /// Once `done`, or when the connection has closed.
  Outcome result() &&;

 private:
  void choice(const nlohmann::json&, const std::function<void(std::string_view)>& on_text);
  void call(const nlohmann::json&);

  struct Open {
    std::int64_t index = 0;
    ToolCall call;
  };
  Reply reply_;
  std::vector<Open> calls_;
  std::string finish_;
  std::optional<Failure> failed_;
  bool began_ = false, done_ = false;
};

}  // namespace models::openai
