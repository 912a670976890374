#include "base/redact.h"

#include <catch2/catch.hpp>

#include "base/digest.h"

using kernel::RedactedStream;
using kernel::Redactor;

namespace {

// Put together here, so that nobody who searches the source for keys finds one.
const std::string mixed40 = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5lM7n";

struct Shaped {
  std::string text, redacted;
};

std::vector<Shaped> keys() {
  const auto one = [](const std::string& key, const std::string& label) {
    return Shaped{"the key is " + key + ".\n", "the key is [redacted: " + label + "].\n"};
  };
  return {
      one("sk-" + mixed40, "openai key"),
      one("sk-proj-" + mixed40 + "_x-Y", "openai key"),
      one("sk-ant-" + std::string("api03-") + mixed40, "anthropic key"),
      one("sk-or-v1-" + kernel::sha256_hex("x"), "openrouter key"),
      one("ghp_" + mixed40.substr(0, 36), "github token"),
      one("github_pat_" + mixed40 + "_" + mixed40, "github token"),
      one(std::string("AKIA") + "ABCDEFGH12345678", "aws key"),
      one("hf_" + mixed40.substr(0, 34), "hugging face token"),
      one(std::string("xoxb-") + "123456789012-123456789012-abc", "slack token"),
      one("AIza" + mixed40.substr(0, 35), "google key"),
      {"KEY=sk-" + mixed40 + "&x=1", "KEY=[redacted: openai key]&x=1"},
      {R"({"log":"\nsk-)" + mixed40 + R"("})", R"({"log":"\n[redacted: openai key]"})"},
      {"Authorization: Bearer abc.def-123\r\nHost: x\n", "Authorization: Bearer [redacted: credentials]\r\nHost: x\n"},
      {R"({"authorization": "Bearer abcdefgh"})", R"({"authorization": "Bearer [redacted: credentials]"})"},
      {"x-api-key: 0123456789abcdef0\n", "x-api-key: [redacted: credentials]\n"},
      {"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE+/\nabc=\n-----END RSA PRIVATE KEY-----\nb",
       "a\n[redacted: private key]\nb"},
      one("eyJhbGciOiJIUzI1NiJ9." + std::string("eyJzdWIiOiIxMjM0In0.") + mixed40, "web token"),
      {R"({"log":"\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.)" + mixed40 + R"(\n"})",
       R"({"log":"\n[redacted: web token]\n"})"},
      {"GET https://ann:s3cr3t@example.org/x?y=1 ok\n", "GET https://ann:[redacted: password]@example.org/x?y=1 ok\n"},
      {"postgresql+psycopg2://u:p@ss:w0rd@db:5432/n", "postgresql+psycopg2://u:[redacted: password]@db:5432/n"},
      {"'redis://:hunter2@localhost'", "'redis://:[redacted: password]@localhost'"},
      {"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n", "[redacted: private key]\\n"},
      {"-----BEGIN PRIVATE KEY-----\nMIIE\nabcd\nand then: it broke off",
       "[redacted: private key]\nand then: it broke off"},
  };
}

}  // namespace

TEST_CASE("what can hardly be anything else than a key is redacted") {
  const Redactor redact;
  for (const Shaped& one : keys()) {
    CHECK(redact(one.text) == one.redacted);
    CHECK(redact(one.redacted) == one.redacted);
  }
}

TEST_CASE("hashes, seeds, names and data are left alone") {
  const Redactor redact;
  for (const std::string& text : std::vector<std::string>{
           kernel::sha256_hex("a"),
           std::string("seed 12345678901234567890 uuid 123e4567-e89b-12d3-a456-426614174000"),
           "iVBORw0KGgo" + mixed40 + "/sk-" + "AKIA+" + mixed40 + "==",
           std::string("sk-learn-a-long-name-of-some-package-1234"),
           std::string("scikit sk-SK sk-0 task-12345678901234567890ABCdef"),
           std::string("hf_dataset_of_a_very_long_name_with_words"),
           std::string("AKIA and AIza are prefixes; ghp_short too"),
           std::string("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"),
           std::string("-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----"),
           std::string("set the Authorization: Bearer $TOKEN header, or Authorization: Bearer <token>"),
           std::string("authorization is needed; the bearer bond"),
           std::string("http://localhost:8080/a@b https://ann@example.org ssh://git@host:22/x see http://a:b"),
           std::string("postgres://user:$PASSWORD@host mysql://root:{password}@db http://u:****@h"),
           std::string("eyJ is how Base64 of JSON begins: eyJhbGciOiJIUzI1NiJ9, or eyJh.b.c, eyJhbGciOiJIUzI1NiJ9.x.y"),
           std::string("authorization token verification, authorization basic authentication"),
           "data:" + std::string(100, 'A') + "AKIA" + "ABCDEFGH12345678" + std::string(100, 'B'),
       })
    CHECK(redact(text) == text);
}

TEST_CASE("known keys are redacted whatever they look like, unless they are any word") {
  const Redactor redact({kernel::Secret{"here key", "open sesame 1"},
                         {"other key", "open sesame 1 and more"},
                         {"no key", "EMPTY"},
                         {"nor this", "lm-studio"}});
  CHECK(redact("xopen sesame 1x open sesame 1 and more") == "x[redacted: here key]x [redacted: other key]");
  CHECK(redact("EMPTY lm-studio") == "EMPTY lm-studio");
}

TEST_CASE("a key that comes in pieces is redacted, wherever it is cut, and plain text is not held back") {
  const Redactor redact({kernel::Secret{"here key", "open-sesame-1"}});
  std::vector<Shaped> all = keys();
  all.push_back({"say open-sesame-1, open-sesame", "say [redacted: here key], open-sesame"});
  for (const Shaped& one : all)
    for (std::size_t piece = 1; piece <= one.text.size(); ++piece) {
      RedactedStream stream(redact);
      std::string shown;
      for (std::size_t at = 0; at < one.text.size(); at += piece) shown += stream.feed(one.text.substr(at, piece));
      shown += stream.end();
      REQUIRE(shown == one.redacted);
    }
  RedactedStream stream(redact);
  for (const std::string& token :
       std::vector<std::string>{"The", " quick", " brown fox", " jumps.\n", "It ", "asks", " 12345"})
    CHECK(stream.feed(token) == token);
}

TEST_CASE("redacting takes linear time") {
  const Redactor redact({kernel::Secret{"here key", "open-sesame-1"}});
  for (const std::string& part : std::vector<std::string>{
           "-----BEGIN PRIVATE KEY-----", "sk-", "authorization ", "-----BEGIN ", "open-sesame-",
           "-----BEGIN PRIVATE KEY-----\n", "sk", "\\n", "eyJ", "eyJhbGciOiJI.", "://", "://u:p@", "://u:"}) {
    std::string text;
    while (text.size() < (4u << 20)) text += part;
    CHECK(!redact(text).empty());  // A quadratic one would not come back.
  }
}
