#pragma once
// A conversation with a language model, whatever protocol carries it. JSON travels as text: what a model wrote is kept
// as it came, and judged by whoever uses it. Values; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace models {

struct Image {
  std::string media_type;  ///< image/png, image/jpeg, image/gif or image/webp.
  std::string bytes;
};

/// The model asks for a tool.
struct ToolCall {
  std::string id;  ///< The model's; unique within its message.
  std::string name;
  std::string arguments;  ///< A JSON text, as the model wrote it: it may be none.
};

/// What a tool said to one of the model's calls.
struct ToolAnswer {
  std::string call;  ///< ToolCall::id
  std::string text;
  std::vector<Image> images{};
  bool failed = false;
};

enum class Speaker { user, assistant };

/// One turn. Calls are of the assistant's; answers to them, and images, of the user's.
struct Message {
  Speaker by = Speaker::user;
  std::string text{};
  std::vector<Image> images{};
  std::vector<ToolCall> calls{};
  std::vector<ToolAnswer> answers{};
};

struct Tool {
  std::string name, description;
  std::string parameters;  ///< A JSON Schema of an object, as text.
};

/// The answer is to be JSON of this shape.
struct AnswerShape {
  std::string name;
  std::string schema;  ///< A JSON Schema of an object, as text.
};

struct Request {
  std::string model;   ///< The provider's name of it.
  std::string system;  ///< What precedes the conversation; stays the same while it goes on, so that it may be cached.
  std::vector<Message> messages;
  std::vector<Tool> tools{};
  std::optional<AnswerShape> shape{};
  int max_output = 4096;  ///< Tokens.
  std::optional<double> temperature{};
  std::vector<std::string> texts{};  ///< Not empty: their embeddings are asked for, and there is no conversation.
};

/// Tokens. What was read from the provider's cache, or written to it, is no part of `input`.
struct Usage {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
  bool known = false;  ///< The provider said so.

  std::int64_t total() const { return input + output + cache_read + cache_written; }
};

enum class Stop {
  end,
  tools,     ///< Waits for answers to its calls.
  length,    ///< Out of tokens: the text is cut off.
  withheld,  ///< The provider's filter, or the model's own refusal.
};

struct Reply {
  std::string text;
  std::vector<ToolCall> calls{};
  Stop stop = Stop::end;
  Usage usage{};
  std::string id{}, model{};                  ///< As the provider says.
  std::vector<std::vector<float>> vectors{};  ///< One per text whose embedding was asked for, of one length.
};

}  // namespace models
