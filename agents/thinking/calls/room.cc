#include "agents/thinking/calls/room.h"

#include <algorithm>

namespace agents {

namespace {

/// Contexts to which servers cut prompts are whole numbers of this many tokens.
constexpr std::int64_t step_of_contexts = 256;

}  // namespace

std::int64_t estimated_tokens(const models::Request& request) {
  return models::set_aside(request).input * 2 / 3;  // It counts two bytes per token.
}

std::optional<int> room_for_reply(const models::Request& request, std::int64_t context) {
  if (context <= 0) return request.max_output;
  const std::int64_t left = context - estimated_tokens(request);
  if (left < context / 4) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(request.max_output, left));
}

void drop_to_fit(models::Request& request, std::int64_t context) {
  std::vector<models::Message>& messages = request.messages;
  while (messages.size() > 2 && estimated_tokens(request) > context * 3 / 4) {
    messages.pop_back();
    while (messages.size() > 1 && messages.back().by == models::Speaker::assistant) messages.pop_back();
  }
}

Counted as_counted(const models::Request& request, std::int64_t read) {
  std::size_t bytes = 0;
  for (const models::Message& message : request.messages) {
    bytes += message.opaque.extra.size();
    for (const models::Part& part : message.opaque.parts)
      if (part.kind == models::Part::Kind::opaque) bytes += part.text.size();
  }
  models::Request tools;
  tools.tools = request.tools;
  const std::int64_t of_tools = estimated_tokens(tools) - estimated_tokens({});
  return {read, estimated_tokens(request) - of_tools, static_cast<std::int64_t>(bytes / 3)};
}

bool is_cut(const Counted& now, const Counted& before) {
  if (now.read <= 0 || now.estimated < 1024) return false;
  // A prompt that was continued has become longer.
  if (before.read > 0) {
    const std::int64_t added = now.estimated - before.estimated;
    if (now.read <= 2 * added + 200) return false;  // Some servers count only what was not in their cache.
    return now.read + now.opaque < before.read || (now.read == before.read && added > 200);
  }
  // Estimated at three bytes per token; twelve would be far too many, and so are 4.5 if the number is that of a
  // context.
  const std::int64_t bytes = 3 * now.estimated, rest = now.read % step_of_contexts;
  const bool round = rest <= 1 || rest == step_of_contexts - 1;
  return bytes > 12 * now.read || (round && 2 * bytes > 9 * now.read);
}

}  // namespace agents
