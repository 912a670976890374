#include "agents/thinking/calls/fit_for_services.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "models/protocols/dialect.h"

namespace agents {

void name_calls_apart(models::Reply& reply) {
  constexpr std::size_t longest = 64;
  std::set<std::string> known;
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    std::string& id = reply.calls[i].id;
    const bool plain = !id.empty() && id.size() <= longest &&
                       std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
    for (std::size_t n = i + 1; !plain || known.contains(id); ++n) {
      id = fmt::format("call_{}", n);
      if (!known.contains(id)) break;
    }
    known.insert(id);
  }
}

models::ToolCall as_servers_take_it(models::ToolCall call) {
  if (!models::own_json(call.arguments).is_object()) call.arguments = "{}";
  call.name.resize(std::min<std::size_t>(call.name.size(), 64));
  for (char& c : call.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  if (call.name.empty()) call.name = "_";
  return call;
}

}  // namespace agents
