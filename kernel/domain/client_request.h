#pragma once
// What `StudyOpened::request` holds: the token of the client that asked for the study, and since the API compares
// repeated requests a newline and a fingerprint of what the client sent. Knows nothing of HTTP.

#include <string>
#include <string_view>

namespace kernel {

struct ClientRequest {
  std::string token;        ///< Without control characters.
  std::string fingerprint;  ///< Empty in older logs, and if no client of the API asked.
};

inline ClientRequest client_request(std::string_view recorded) {
  const std::size_t end = recorded.find('\n');
  if (end == recorded.npos) return {std::string(recorded), ""};
  return {std::string(recorded.substr(0, end)), std::string(recorded.substr(end + 1))};
}

/// The inverse.
inline std::string recorded_request(const ClientRequest& request) {
  return request.fingerprint.empty() ? request.token : request.token + "\n" + request.fingerprint;
}

}  // namespace kernel
