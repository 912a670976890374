#include "agents/thinking/calls/context_window.h"

#include "models/message.h"

namespace agents {

bool make_room(models::Request& request, std::int64_t tokens) {
  static const std::string left_out = "(Left out to make room: call the tool again if you need it.)";
  bool any = false;
  if (tokens <= 0) return any;
  for (std::size_t i = 0; i + 1 < request.messages.size(); ++i)
    for (models::ToolAnswer& answer : request.messages[i].answers) {
      if (answer.text.size() <= left_out.size() && answer.images.empty()) continue;
      if (models::set_aside(request).total() <= tokens) return any;
      answer.text = left_out;
      answer.images.clear();
      any = true;
    }
  return any;
}

}  // namespace agents
