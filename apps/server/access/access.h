#pragma once
// Who may come in by TCP, and as what: the rules for Host and Origin, the home's token, sessions of a browser and the
// one-time codes that begin them. Reads HOME/token anew for every visit, so that a renewed one counts at once. Sees
// headers only, no bodies. Thread-safe.

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace server {

/// What a request says of itself; missing headers are empty.
struct Visit {
  std::string method, path, host, origin, fetch_site, authorization, cookie, content_type;
  bool has_body = false;
};

struct Refusal {
  int status;
  std::string title, detail;
};

struct AccessRules {
  std::string home;
  std::string host = "127.0.0.1";  ///< What the server listens on: an address, or a name.
  int port = 0;
  bool tls = false;
  bool read_only = false;
};

class AccessControl {
 public:
  explicit AccessControl(AccessRules rules) : rules_(std::move(rules)) {}

  /// What to answer instead; nothing: come in.
  std::optional<Refusal> refuses(const Visit&) const;

  /// "http://127.0.0.1:7717".
  std::string address() const;
  /// A link that opens the page once, within ten minutes.
  std::string invite();
  /// Set-Cookie's value for who brings a code, which is spent by it, or the token. Nothing: neither is good.
  std::optional<std::string> admit(const std::string& code, const std::string& token);
  bool read_only() const { return rules_.read_only; }

 private:
  std::optional<Refusal> refuses_origin(const Visit&) const;
  bool knows(const Visit&) const;
  bool is_open_session(std::string_view cookie, const std::string& token) const;
  std::string cookie_name() const { return "etude-" + std::to_string(rules_.port); }
  std::string seal(const std::string& token, std::string_view session) const;

  using Clock = std::chrono::steady_clock;
  const AccessRules rules_;
  std::mutex mutex_;
  std::map<std::string, Clock::time_point> codes_;  ///< A code's hash → when it ends.
};

/// Whether this Host header can only mean us. A name that somebody else's DNS answers for may be pointed at us
/// (rebinding); an address cannot. `host`: what the server listens on.
bool is_own_host(std::string_view header, const std::string& host);

/// Whether only this machine reaches it: 127.0.0.0/8, ::1 and localhost.
bool is_loopback(const std::string& host);

}  // namespace server
