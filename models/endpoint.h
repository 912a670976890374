#pragma once
// Where a model is served, and one request to it over HTTP. Values; any thread.

#include <string>
#include <utility>
#include <vector>

namespace models {

enum class Protocol { openai, anthropic };

/// In seconds; 0 for no limit.
struct TimeLimits {
  double connect = 10;
  double first_byte = 120;  ///< From the connection to the first byte of the reply, while the model reads the prompt.
  double idle = 60;         ///< Between two bytes of the reply.
  double total = 900;
};

struct Endpoint {
  Protocol api = Protocol::openai;
  std::string base_url;  ///< http://127.0.0.1:8000/v1, https://api.anthropic.com
  std::string key;       ///< From the environment; empty if none is sent.
  TimeLimits limits{};
};

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>>
      headers;       ///< One may contain the key, so they are never shown or stored.
  std::string body;  ///< JSON.
  TimeLimits limits{};
};

/// The service's address without user, password and query, which may be shown.
std::string shown_url(const std::string& url);

}  // namespace models
