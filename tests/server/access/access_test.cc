#include "apps/server/access/access.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "tests/cli/draft/temp_folder.h"

using namespace server;
using test::TempFolder;
namespace fs = std::filesystem;

namespace {

RequestHeaders headers(const std::string& authorization = "") {
  return {"GET", "/api/v1/health", "127.0.0.1:7717", "", "", authorization, "", "", false};
}

int status_of(const AccessControl& access, const RequestHeaders& headers) {
  const auto refusal = access.refuses(headers);
  return refusal ? refusal->status : 200;
}

std::string code_in(const std::string& link) {
  return link.substr(link.find("#code=") + 6);
}

/// Set-Cookie's value as a browser sends it back.
std::string cookie_in(const std::string& set) {
  return set.substr(0, set.find(';'));
}

/// A session's cookie as the server makes it.
std::string sealed(const std::string& token, int port, const std::string& session) {
  const std::string text = "etude session " + std::to_string(port) + " " + session;
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), bytes.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return session + "." + hex;
}

}  // namespace

TEST_CASE("a token is made once, 256 bits that only its owner reads, and another one takes its place") {
  TempFolder home;
  const auto token = token_of(home.path());
  REQUIRE(token);
  CHECK(token->size() == 64);
  CHECK(*token_of(home.path()) == *token);
  CHECK((fs::status(fs::path(home.path()) / "token").permissions() & fs::perms(077)) == fs::perms::none);
  const auto other = renew_token(home.path());
  REQUIRE(other);
  CHECK(*other != *token);
  CHECK(*token_of(home.path()) == *other);
}

TEST_CASE("a token that others may read, or that is too short, is none") {
  TempFolder home;
  const fs::path file = fs::path(home.path()) / "token";
  REQUIRE(token_of(home.path()));
  fs::permissions(file, fs::perms(0640));
  CHECK_FALSE(token_of(home.path()));
  fs::permissions(file, fs::perms(0600));
  CHECK(token_of(home.path()));
  std::ofstream(file) << "short\n";
  CHECK_FALSE(token_of(home.path()));
}

TEST_CASE("secrets are the same or not, whatever their lengths") {
  CHECK(same_secret("abc", "abc"));
  CHECK_FALSE(same_secret("abc", "abd"));
  CHECK_FALSE(same_secret("abc", "ab"));
  CHECK_FALSE(same_secret("", "a"));
}

TEST_CASE("the token opens, nothing else does, and a renewed one counts at once") {
  TempFolder home;
  const AccessControl access({home.path(), "127.0.0.1", 7717, false, false});
  const std::string token = *token_of(home.path());
  CHECK(status_of(access, headers("Bearer " + token)) == 200);
  for (const std::string& wrong :
       {std::string(), std::string("Bearer "), "Bearer " + token + "0", "Basic " + token, token})
    CHECK(status_of(access, headers(wrong)) == 401);
  REQUIRE(renew_token(home.path()));
  CHECK(status_of(access, headers("Bearer " + token)) == 401);
}

TEST_CASE("a code opens once, and its session is the browser's until the token is renewed") {
  TempFolder home;
  AccessControl access({home.path(), "127.0.0.1", 7717, false, false});
  REQUIRE(token_of(home.path()));
  const std::string code = code_in(access.one_time_link());
  CHECK(code.size() == 64);
  const auto cookie = access.admit(code, "");
  REQUIRE(cookie);
  CHECK(cookie->find("HttpOnly") != cookie->npos);
  CHECK(cookie->find("SameSite=Strict") != cookie->npos);
  CHECK_FALSE(access.admit(code, ""));
  CHECK_FALSE(access.admit("", ""));
  RequestHeaders asked = headers();
  asked.cookie = cookie_in(*cookie);
  CHECK(status_of(access, asked) == 200);
  const AccessControl elsewhere({home.path(), "127.0.0.1", 7718, false, false});
  CHECK(status_of(elsewhere, asked) == 401);
  asked.cookie.back() = asked.cookie.back() == '0' ? '1' : '0';
  CHECK(status_of(access, asked) == 401);
  asked.cookie = cookie_in(*cookie);
  REQUIRE(renew_token(home.path()));
  CHECK(status_of(access, asked) == 401);
}

TEST_CASE("a session opens until it ends, though its seal stays right") {
  TempFolder home;
  const AccessControl access({home.path(), "127.0.0.1", 7717, false, false});
  const std::string token = *token_of(home.path());
  const auto status_until = [&](std::int64_t end) {
    RequestHeaders asked = headers();
    asked.cookie = "etude-7717=" + sealed(token, 7717, std::to_string(end) + ".nonce");
    return status_of(access, asked);
  };
  const std::int64_t now = std::time(nullptr);
  CHECK(status_until(now + 3600) == 200);
  CHECK(status_until(now - 1) == 401);
  CHECK(status_until(0) == 401);
}

TEST_CASE("pages of an allowed origin need the token, and the session of the page is not theirs") {
  TempFolder home;
  AccessControl access({home.path(), "127.0.0.1", 7717, false, true, {"https://lab.example", "http://127.0.0.1:5173"}});
  const std::string token = *token_of(home.path());
  RequestHeaders asked = headers("Bearer " + token);
  asked.fetch_site = "cross-site";
  CHECK(status_of(access, asked) == 403);
  asked.origin = "https://lab.example";
  CHECK(status_of(access, asked) == 200);
  asked.fetch_site.clear();
  for (const char* other : {"http://lab.example", "https://lab.example:8443", "https://evil.lab.example",
                            "https://lab.example.evil.org", "null"}) {
    asked.origin = other;
    CHECK(status_of(access, asked) == 403);
  }
  asked.origin = "http://127.0.0.1:5173";
  asked.method = "POST";
  asked.path = "/api/v1/studies";
  CHECK(status_of(access, asked) == 403);  // The server is read-only.
  asked.method = "GET";
  asked.authorization.clear();
  asked.cookie = cookie_in(*access.admit("", token));
  CHECK(status_of(access, asked) == 401);
  asked.origin = "http://127.0.0.1:7717";
  CHECK(status_of(access, asked) == 200);
}

TEST_CASE("an allowed origin is written as browsers send it") {
  for (const char* good : {"https://lab.example", "http://localhost:5173", "http://127.0.0.1:1", "https://[::1]:8443"})
    CHECK_FALSE(bad_origin(good));
  for (const char* bad : {"",
                          "*",
                          "null",
                          "lab.example",
                          "ftp://lab.example",
                          "https://",
                          "https://*",
                          "https://*.lab.example",
                          "https://lab.example/",
                          "https://lab.example/app",
                          "https://me@lab.example",
                          "https://Lab.example",
                          "https://lab.example:443",
                          "http://lab.example:80",
                          "https://lab.example:",
                          "https://lab.example:0",
                          "https://lab.example:65536",
                          "https://lab.example:x",
                          "https://[::1",
                          "https://[lab]",
                          "https://a b"})
    CHECK(bad_origin(bad));
}

TEST_CASE("only the newest codes are kept, so that asking for many fills nothing") {
  TempFolder home;
  AccessControl access({home.path(), "127.0.0.1", 7717, false, false});
  REQUIRE(token_of(home.path()));
  const std::string first = code_in(access.one_time_link());
  for (int i = 0; i < 40; ++i) access.one_time_link();
  const std::string last = code_in(access.one_time_link());
  CHECK_FALSE(access.admit(first, ""));
  CHECK(access.admit(last, ""));
}

TEST_CASE("a name that somebody else's DNS answers for is not us") {
  for (const char* own : {"127.0.0.1:7717", "127.0.0.1", "localhost", "LocalHost:9", "[::1]:7717"})
    CHECK(is_own_host(own, "127.0.0.1"));
  for (const char* other : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:7717"})
    CHECK_FALSE(is_own_host(other, "127.0.0.1"));
  CHECK(is_loopback("127.4.5.6"));
  CHECK_FALSE(is_loopback("10.0.0.1"));
}

TEST_CASE("other origins are refused, with a good token, too") {
  TempFolder home;
  const AccessControl access({home.path(), "127.0.0.1", 7717, false, false});
  RequestHeaders asked = headers("Bearer " + *token_of(home.path()));
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:7717", "http://127.0.0.1:1"}) {
    asked.origin = origin;
    CHECK(status_of(access, asked) == 403);
  }
  asked.origin = access.address();
  CHECK(status_of(access, asked) == 200);
  asked.fetch_site = "cross-site";
  CHECK(status_of(access, asked) == 403);
}

TEST_CASE("read-only access lets clients look and change nothing") {
  TempFolder home;
  const AccessControl access({home.path(), "127.0.0.1", 7717, false, true});
  RequestHeaders asked = headers("Bearer " + *token_of(home.path()));
  CHECK(status_of(access, asked) == 200);
  asked.method = "POST";
  asked.content_type = "application/json";
  asked.has_body = true;
  asked.path = "/api/v1/studies";
  CHECK(status_of(access, asked) == 403);
  asked.path = "/api/v1/artifacts/check";
  CHECK(status_of(access, asked) == 200);
}
