#pragma once
// Access control for TCP: rules for Host and Origin, the home's token (HOME/token: 256 random bits in hex, readable by
// its owner only), browser sessions, and the one-time codes that begin them. Reads HOME/token for every request, so
// that a renewed token counts at once. Sees only headers. Thread-safe.

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace server {

/// The headers of a request; missing ones are empty.
struct RequestHeaders {
  std::string method, path, host, origin, fetch_site, authorization, cookie, content_type;
  bool has_body = false;
};

struct Refusal {
  int status;
  std::string title, detail;
};

struct AccessRules {
  std::string home;
  std::string host = "127.0.0.1";  ///< The address or name on which the server listens.
  int port = 0;
  bool tls = false;
  bool read_only = false;
  std::vector<std::string> origins{};  ///< Other origins whose pages may use the API, each with a token.
};

class AccessControl {
 public:
  explicit AccessControl(AccessRules rules) : rules_(std::move(rules)) {}

  /// The refusal; none if the request may pass.
  std::optional<Refusal> refuses(const RequestHeaders&) const;

  /// Such as "http://127.0.0.1:7717".
  std::string address() const;
  /// A link that opens the page once, valid for ten minutes.
  std::string one_time_link();
  /// The value of Set-Cookie for a valid code, which can be used once, or for the token. None if neither is valid.
  std::optional<std::string> admit(const std::string& code, const std::string& token);
  bool read_only() const { return rules_.read_only; }
  /// Whether pages of any other origin may use the API, so that answers depend on the Origin header.
  bool has_other_origins() const { return !rules_.origins.empty(); }
  bool is_allowed_origin(const std::string& origin) const;

 private:
  std::optional<Refusal> refuses_origin(const RequestHeaders&) const;
  bool is_foreign(const std::string& origin, const std::string& host) const;
  bool knows(const RequestHeaders&) const;
  bool is_open_session(std::string_view cookie, const std::string& token) const;
  std::string cookie_name() const { return "etude-" + std::to_string(rules_.port); }
  std::string seal(const std::string& token, std::string_view session) const;

  using Clock = std::chrono::steady_clock;
  const AccessRules rules_;
  std::mutex mutex_;
  std::map<std::string, Clock::time_point> codes_;  ///< Hash of a code → end of its validity.
};

/// Whether this Host header can only name this server. A name may be pointed here by another owner's DNS (rebinding);
/// an address cannot. `host`: what the server listens on.
bool is_own_host(std::string_view header, const std::string& host);

/// A problem unless it is an origin as browsers send it, such as "https://lab.example" or "http://127.0.0.1:5173".
std::optional<kernel::Problem> bad_origin(const std::string&);

/// Whether only this machine can reach it: 127.0.0.0/8, ::1 and localhost.
bool is_loopback(const std::string& host);

/// The home's token, made on first use. A problem if it cannot be read or written, or if others can read it.
kernel::Result<std::string> token_of(const std::string& home);
/// Replaces the token; the old one and its sessions become invalid.
kernel::Result<std::string> renew_token(const std::string& home);

/// The token that opens only `GET /metrics`. It follows from the home's token, and becomes invalid with it.
std::string scrape_token(const std::string& token);

/// Number of random bytes in a secret that cannot be guessed.
inline constexpr std::size_t secret_bytes = 32;
/// Whether both are equal, in a time that does not depend on where they differ.
bool same_secret(std::string_view, std::string_view);

}  // namespace server
