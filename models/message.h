#pragma once
// A conversation with a language model, independent of the protocol, and what it costs by the prices of the
// configuration. JSON is kept as text: a model's text is stored unchanged, and its user checks it. Values; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace models {

struct Image {
  std::string media_type;  ///< image/png, image/jpeg, image/gif or image/webp.
  std::string bytes;
};

/// A model's call of a tool.
struct ToolCall {
  std::string id;  ///< The model's; unique within its message.
  std::string name;
  std::string arguments;  ///< JSON as the model wrote it; it may be malformed.
};

/// A part of an assistant's turn, for protocols in which the order of parts matters, or a model wants back more than
/// text and calls.
struct Part {
  enum class Kind { text, call, opaque };
  Kind kind = Kind::text;
  std::string text{};    ///< Of `text`: the text. Of `opaque`: JSON as it came, such as thinking with its signature.
  std::size_t call = 0;  ///< Of `call`: its index.
  std::string extra{};   ///< A JSON object of further members of the text or call, as they came; may be empty.
};

/// What a model returned beside text and calls. It is sent back unchanged to the same model, and to no other one.
struct Opaque {
  std::vector<Part> parts{};  ///< The whole turn in its order; empty if text, then calls is all of it.
  std::string extra{};        ///< A JSON object of further members of the turn, as they came; may be empty.
  std::string from{};         ///< The model and protocol that returned it (`opaque_source`).

  bool empty() const { return parts.empty() && extra.empty(); }
};

/// The answer of a tool to one call.
struct ToolAnswer {
  std::string call;  ///< ToolCall::id
  std::string text;
  std::vector<Image> images{};
  bool failed = false;
};

enum class Speaker { user, assistant };

/// One turn. The assistant's has calls; the user's has answers to them, and images.
struct Message {
  Speaker by = Speaker::user;
  std::string text{};
  std::vector<Image> images{};
  std::vector<ToolCall> calls{};
  std::vector<ToolAnswer> answers{};
  Opaque opaque{};  ///< Of the assistant.
};

struct Tool {
  std::string name, description;
  std::string parameters;  ///< A JSON Schema of an object, as text.
};

/// Asks for an answer in JSON of this shape.
struct AnswerShape {
  std::string name;
  std::string schema;  ///< A JSON Schema of an object, as text.
};

/// How much a model thinks before it answers. `unset`: the provider's default.
enum class Effort { unset, none, minimal, low, medium, high, max };
/// "high"; empty for `unset`.
std::string_view name(Effort);
/// `unset` for a text that names none.
Effort effort_of(std::string_view);

struct Request {
  std::string model;   ///< The provider's name for it.
  std::string system;  ///< The system prompt; it stays the same during a conversation, so that it can be cached.
  std::vector<Message> messages;
  std::vector<Tool> tools{};
  std::optional<AnswerShape> shape{};
  int max_output = 4096;  ///< Tokens.
  std::optional<double> temperature{};
  Effort effort = Effort::unset;
  std::string extra{};  ///< A JSON object that is merged into the body; may be empty.
  bool stream = true;
  bool long_cache = false;  ///< Keep the prefix in the provider's cache for an hour: runs lie between two requests.
  std::vector<std::string> texts{};  ///< If not empty, a request for their embeddings, without a conversation.
};

/// Tokens. `input` excludes tokens that were read from or written to the provider's cache.
struct TokenUsage {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_written = 0;
  bool known = false;                   ///< Whether the provider stated it.
  std::int64_t thought = 0;             ///< Of `output`: tokens of thinking, where it is stated.
  std::int64_t cache_written_long = 0;  ///< Of `cache_written`: kept for an hour.
  std::optional<double> usd{};          ///< The price that the provider states.

  std::int64_t total() const { return input + output + cache_read + cache_written; }
};

enum class Stop {
  end,
  tools,     ///< Waits for answers to its calls.
  length,    ///< Out of tokens, so the text is cut off.
  withheld,  ///< The provider's filter, or the model's own refusal.
};

struct Reply {
  std::string text;
  std::vector<ToolCall> calls{};
  Stop stop = Stop::end;
  TokenUsage usage{};
  std::string id{}, model{};          ///< As the provider states.
  std::string tier{}, fingerprint{};  ///< Service tier and system fingerprint, as the provider states.
  std::string thoughts{};             ///< A summary of its thinking, where the provider shows one.
  std::string refusal{};              ///< Why it refuses: category and explanation, where they are stated.
  Opaque opaque{};
  std::vector<std::vector<float>> vectors{};  ///< One per text of an embedding request, all of one length.
};

/// US dollars per million tokens.
struct Rates {
  double input = 0, output = 0;
  std::optional<double> cache_read{}, cache_written{};  ///< If none, the price of `input`.
  std::optional<double> cache_written_long{};           ///< Kept for an hour; if none, that of `cache_written`.
};

/// The prices of a model.
struct Price : Rates {
  /// Prices of whole requests by the length of their prompt: from so many tokens on, in rising order.
  std::vector<std::pair<std::int64_t, Rates>> above{};
  double batch = 0.5;  ///< The share of the prices that is charged for a reply by the batch API.
};

/// In US dollars: the price that the provider states, or that by the prices if it states none, or less than a tenth of
/// that: a server that calls its replies free must not outlast a budget. `by_batch`: the reply came by the batch API.
double cost(const Price&, const TokenUsage&, bool by_batch = false);

/// The most tokens that a request may take, reserved before it is sent: the text at two bytes per token, `image_tokens`
/// per picture, and the longest answer.
inline constexpr std::int64_t image_tokens = 1600;
TokenUsage set_aside(const Request&);
/// The fewest tokens that the texts of a request and of its reply can be, at 16 bytes per token; usual texts have three
/// to five. A provider that states less states no use.
std::int64_t fewest_tokens(const Request&, const Reply&);

}  // namespace models
