#include "apps/server/access/access.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/server/protocol/protocol.h"
#include "base/digest.h"
#include "memory/files/file.h"

namespace server {

namespace {

constexpr std::chrono::minutes code_life{10};
constexpr std::size_t most_codes = 16;
constexpr std::int64_t session_life_s = 30 * 24 * 3600;
constexpr std::size_t token_length = 2 * secret_bytes;

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

/// "[::1]:7717" → "::1"; in lower case.
std::string without_port(std::string_view header) {
  std::string host(header.substr(0, header.rfind(':')));
  if (header.starts_with("["))
    host = header.substr(1, header.find(']') - 1);
  else if (header.find(':') == std::string_view::npos)
    host = header;
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return host;
}

/// The value of one cookie of a Cookie header.
std::string cookie_in(std::string_view header, const std::string& name) {
  while (!header.empty()) {
    const std::size_t end = header.find(';');
    std::string_view one = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name + "=")) return std::string(one.substr(name.size() + 1));
  }
  return "";
}

bool is_below_api(const std::string& path) {
  return path == api_root || path.starts_with(std::string(api_root) + "/");
}

/// POST requests that change nothing.
bool only_looks(const std::string& path) {
  const std::string root = api_root;
  for (const char* one : {"/session", "/artifacts/check", "/artifacts/audit", "/artifacts/cost", "/plan", "/simulate",
                          "/validate", "/verify"})
    if (path == root + one) return true;
  return false;
}

bool is_json(const std::string& type) {
  return type.substr(0, type.find(';')) == "application/json";
}

std::string token_path(const std::string& home) {
  return home + "/token";
}

kernel::Problem unusable(const std::string& path, const std::string& why, const std::string& todo) {
  return {"", 0, path, why, todo, true};
}

kernel::Problem failed(const std::string& path, const char* doing) {
  return unusable(path, std::string(doing) + " (" + std::strerror(errno) + ")", "check who owns the home");
}

/// HMAC-SHA-256 in hex.
std::string hmac(const std::string& key, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), bytes.data(), &size);
  return kernel::in_hex({reinterpret_cast<const char*>(bytes.data()), size});
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_address(host));
}

bool is_own_host(std::string_view header, const std::string& host) {
  const std::string asked = without_port(header);
  if (asked == "localhost" || asked == host) return true;
  return is_loopback(host) ? is_loopback(asked) : is_address(asked);
}

std::optional<kernel::Problem> bad_origin(const std::string& text) {
  const auto bad = [&](const std::string& why, const std::string& todo) {
    return kernel::Problem{"", 0, "--allow-origin " + text, why, todo};
  };
  constexpr const char* example = "give scheme, host and port as browsers send them, such as https://lab.example";
  if (text == "*" || text == "null") return bad("it stands for more than one origin", "name each origin");
  const bool tls = text.starts_with("https://");
  if (!tls && !text.starts_with("http://")) return bad("it is no origin", example);
  std::string_view rest = std::string_view(text).substr(tls ? 8 : 7);
  if (rest.find_first_of("/?#@") != std::string_view::npos) return bad("it is more than an origin", example);
  const std::size_t colon = rest.find(':', rest.starts_with('[') ? std::min(rest.find(']'), rest.size()) : 0);
  const std::string host(rest.substr(0, colon));
  constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  const bool is_v6 =
      host.size() > 2 && host.front() == '[' && host.back() == ']' && is_address(host.substr(1, host.size() - 2));
  if (!is_v6 && (host.empty() || host.find_first_not_of(of_names) != std::string::npos))
    return bad("its host is no name in small letters and no address", example);
  if (colon == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  if (error != std::errc() || end != rest.data() + rest.size() || rest.front() == '0' || port < 1 || port > 65535)
    return bad("nothing may follow the host but a port", example);
  if (port == (tls ? 443 : 80)) return bad("browsers leave this port out", "leave it out, too");
  return std::nullopt;
}

bool AccessControl::is_foreign(const std::string& origin, const std::string& host) const {
  return !origin.empty() && origin != (rules_.tls ? "https://" : "http://") + host;
}

bool AccessControl::is_allowed_origin(const std::string& origin) const {
  return std::ranges::find(rules_.origins, origin) != rules_.origins.end();
}

std::optional<Refusal> AccessControl::refuses_origin(const RequestHeaders& headers) const {
  if (!is_own_host(headers.host, rules_.host))
    return Refusal{403, "the Host header names another host", "use " + address()};
  if (is_foreign(headers.origin, headers.host)) {
    if (is_allowed_origin(headers.origin) && is_below_api(headers.path)) return std::nullopt;
    return Refusal{403, "requests from pages of other origins are refused", headers.origin};
  }
  // Browsers send this even without an origin; opening the page from a link does not count as foreign.
  const bool foreign = headers.fetch_site == "cross-site" || headers.fetch_site == "same-site";
  if (foreign && is_below_api(headers.path))
    return Refusal{403, "requests from pages of other origins are refused", headers.fetch_site};
  return std::nullopt;
}

std::optional<Refusal> AccessControl::refuses(const RequestHeaders& headers) const {
  if (auto foreign = refuses_origin(headers)) return foreign;
  if (!is_below_api(headers.path)) return std::nullopt;  // The page itself contains no data.
  const bool signs_in = headers.method == "POST" && headers.path == std::string(api_root) + "/session";
  if (!signs_in && !knows(headers))
    return Refusal{
        401, "no valid token or session",
        "send `Authorization: Bearer` and the content of HOME/token, or open the link of `etude serve --link`"};
  if (rules_.read_only && headers.method != "GET" && headers.method != "HEAD" && !only_looks(headers.path))
    return Refusal{403, "this server is read-only", "it was started with --read-only"};
  if (headers.has_body && !is_json(headers.content_type))
    return Refusal{415, "the body must be application/json", headers.content_type};
  return std::nullopt;
}

bool AccessControl::knows(const RequestHeaders& headers) const {
  const auto token = token_of(rules_.home);
  if (!token) return false;
  constexpr std::string_view bearer = "Bearer ";
  if (headers.authorization.starts_with(bearer)) {
    const std::string_view given = std::string_view(headers.authorization).substr(bearer.size());
    const bool scrapes =
        (headers.method == "GET" || headers.method == "HEAD") && headers.path == std::string(api_root) + "/metrics";
    return same_secret(given, *token) || (scrapes && same_secret(given, scrape_token(*token)));
  }
  // Only our own page may use a session: browsers send its cookie with the requests of pages on other ports, too.
  if (is_foreign(headers.origin, headers.host)) return false;
  return is_open_session(cookie_in(headers.cookie, cookie_name()), *token);
}

/// A session is "END.NONCE.SEAL": it is not stored, and stays valid after a restart but not after a new token.
bool AccessControl::is_open_session(std::string_view cookie, const std::string& token) const {
  const std::size_t dot = cookie.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view session = cookie.substr(0, dot);
  if (!same_secret(cookie.substr(dot + 1), seal(token, session))) return false;
  std::int64_t end = 0;
  std::from_chars(session.data(), session.data() + session.size(), end);
  return end > std::time(nullptr);
}

std::string AccessControl::seal(const std::string& token, std::string_view session) const {
  return hmac(token, fmt::format("etude session {} {}", rules_.port, session));
}

std::string AccessControl::address() const {
  const std::string host = rules_.host.find(':') == std::string::npos ? rules_.host : "[" + rules_.host + "]";
  return fmt::format("{}://{}:{}", rules_.tls ? "https" : "http", host, rules_.port);
}

std::string AccessControl::one_time_link() {
  const std::string code = kernel::random_token(secret_bytes);
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  std::erase_if(codes_, [&](const auto& known) { return known.second < now; });
  if (codes_.size() >= most_codes)
    codes_.erase(std::ranges::min_element(codes_, [](const auto& a, const auto& b) { return a.second < b.second; }));
  codes_[kernel::sha256_hex(code)] = now + code_life;
  // After the #, which browsers do not send and servers do not log.
  return address() + "/#code=" + code;
}

std::optional<std::string> AccessControl::admit(const std::string& code, const std::string& token) {
  const auto own = token_of(rules_.home);
  if (!own) return std::nullopt;
  bool good = !token.empty() && same_secret(token, *own);
  if (!code.empty()) {
    const std::lock_guard lock(mutex_);
    const auto known = codes_.find(kernel::sha256_hex(code));
    good = known != codes_.end() && known->second >= Clock::now();
    if (known != codes_.end()) codes_.erase(known);
  }
  if (!good) return std::nullopt;
  const std::string session =
      fmt::format("{}.{}", std::time(nullptr) + session_life_s, kernel::random_token(secret_bytes));
  return fmt::format("{}={}.{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", cookie_name(), session,
                     seal(*own, session), session_life_s, rules_.tls ? "; Secure" : "");
}

std::string scrape_token(const std::string& token) {
  return hmac(token, "etude scrape");
}

bool same_secret(std::string_view a, std::string_view b) {
  // Hashes of secrets of different lengths have the same length.
  const std::string one = kernel::sha256_hex(a), other = kernel::sha256_hex(b);
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

kernel::Result<std::string> token_of(const std::string& home) {
  const std::string path = token_path(home);
  const memory::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return renew_token(home);
  if (!file) return failed(path, "cannot be read");
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed(path, "cannot be read");
  if ((about.st_mode & 077) != 0)
    return unusable(path, "others may read it", "`etude serve --new-token` makes another one");
  char bytes[token_length + 2];
  const long size = memory::read_some(file.get(), bytes, sizeof bytes);
  std::string token(bytes, size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!token.empty() && token.back() == '\n') token.pop_back();
  if (token.size() != token_length || token.find_first_not_of("0123456789abcdef") != std::string::npos)
    return unusable(path, "holds no token", "`etude serve --new-token` makes another one");
  return token;
}

kernel::Result<std::string> renew_token(const std::string& home) {
  const std::string path = token_path(home), fresh = path + ".new", token = kernel::random_token(secret_bytes);
  ::unlink(fresh.c_str());
  const memory::Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return failed(fresh, "cannot be written");
  memory::write_all(file.get(), token + "\n", fresh);
  memory::sync_file(file.get(), fresh);
  // Atomic, so that no reader sees part of a token.
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed(path, "cannot be written");
  return token;
}

}  // namespace server
