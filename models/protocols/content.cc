#include "models/protocols/content.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace models {

void add_text_part(Opaque& opaque, const std::string& text) {
  if (!opaque.parts.empty() && opaque.parts.back().kind == Part::Kind::text && opaque.parts.back().extra.empty())
    opaque.parts.back().text += text;
  else
    opaque.parts.push_back({Part::Kind::text, text, 0, ""});
}

void add_call_part(Opaque& opaque, std::size_t call, std::string extra) {
  opaque.parts.push_back({Part::Kind::call, "", call, std::move(extra)});
}

void add_opaque_part(Opaque& opaque, const OrderedJson& part) {
  opaque.parts.push_back({Part::Kind::opaque, ordered_text(part), 0, ""});
}

std::string extra_of_call(const Opaque& opaque, std::size_t call) {
  for (const Part& part : opaque.parts)
    if (part.kind == Part::Kind::call && part.call == call) return part.extra;
  return "";
}

void join_details(OrderedJson& known, const OrderedJson& more) {
  if (!known.is_array()) known = OrderedJson::array();
  for (const OrderedJson& piece : more) {
    OrderedJson* last = known.empty() ? nullptr : &known.back();
    const auto same = [&](const char* key) {
      return last->contains(key) == piece.contains(key) && (!piece.contains(key) || (*last)[key] == piece[key]);
    };
    if (!piece.is_object() || !last || !last->is_object() || !piece.contains("index") || !same("index") ||
        !same("type")) {
      known.push_back(piece);
      continue;
    }
    for (const auto& [name, value] : piece.items()) {
      OrderedJson& into = (*last)[name];
      const bool grows = name == "text" || name == "summary" || name == "data";
      if (grows && into.is_string() && value.is_string())
        into = into.get<std::string>() + value.get<std::string>();
      else if (into.is_null())
        into = value;
    }
  }
}

std::string effort_name(Effort effort, const Habits& habits) {
  static constexpr std::array names{"", "none", "minimal", "low", "medium", "high", "xhigh"};
  const auto asked = static_cast<int>(effort);
  if (asked == 0 || habits.efforts.empty()) return names.at(static_cast<std::size_t>(asked));
  // "max" and "xhigh" are two names for the most.
  if (effort == Effort::max && habits.efforts.contains("max")) return "max";
  int best = 0;
  for (int i = 1; i < static_cast<int>(names.size()); ++i)
    if (habits.efforts.contains(names.at(static_cast<std::size_t>(i))) &&
        (best == 0 || std::abs(i - asked) < std::abs(best - asked)))
      best = i;
  return names.at(static_cast<std::size_t>(best));
}

}  // namespace models
