#include "memory/log/value_codec.h"

#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace memory {

std::string_view as_logged(const std::string& text, std::string& replaced) {
  if (kernel::valid_utf8(text)) return text;
  using nlohmann::json;
  return replaced = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace memory
