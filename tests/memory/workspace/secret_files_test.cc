#include "memory/workspace/secret_files.h"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/memory/story.h"

namespace {

using story::TempFolder;

void put(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

std::string found_in(const std::string& root, std::vector<std::string> exclude = {},
                     std::vector<std::string> allow = {}) {
  kernel::WorkspaceSpec spec;
  spec.path = root;
  spec.exclude = std::move(exclude);
  spec.allow_secrets = std::move(allow);
  std::string text;
  for (const memory::SecretFile& file : memory::secret_files(spec, "").files)
    text += file.path + ": " + file.what + "\n";
  return text;
}

}  // namespace

TEST_CASE("files that look like secrets are found by name or by the key in them") {
  TempFolder root;
  put(root / ".env", "A=1\n");
  put(root / ".env.local", "A=1\n");
  put(root / "keys/id_ed25519", "x");
  put(root / "keys/server.pem",
      std::string("-----BEGIN RSA PRIVATE KEY") + "-----\nMIIE\n-----END RSA PRIVATE KEY-----\n");
  put(root / "src/client.py", "token = 'ghp_" + std::string("aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5") + "'\n");
  CHECK(found_in(root) ==
        ".env: by its name\n.env.local: by its name\nkeys/id_ed25519: by its name\nkeys/server.pem: private key\n"
        "src/client.py: github token\n");
  CHECK(found_in(root, {".env*", "keys/", "client.py"}).empty());
  CHECK(found_in(root, {}, {"/.env", "keys/", "client.py"}) == ".env.local: by its name\n");
}

TEST_CASE("a stored tree has the same secrets as its folder") {
  TempFolder root;
  put(root / "secret", "key: ghp_" + std::string("aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5") + "\n");
  put(root / "plain", "nothing\n");
  const std::vector<kernel::ManifestEntry> tree = {{kernel::EntryType::file, "a/.env", "plain", 8, ""},
                                                   {kernel::EntryType::link, "b/.env", "", 0, "../a/.env"},
                                                   {kernel::EntryType::file, "c/empty/.env", "plain", 0, ""},
                                                   {kernel::EntryType::executable, "d.sh", "secret", 45, ""},
                                                   {kernel::EntryType::file, "e", "plain", 8, ""},
                                                   {kernel::EntryType::file, "f", "not there", 8, ""}};
  const auto found = [&](const std::vector<std::string>& allowed) {
    std::string text;
    for (const memory::SecretFile& file : memory::secrets_among(
             tree, [&](const std::string& sha256) { return root / sha256; }, allowed))
      text += file.path + ": " + file.what + "\n";
    return text;
  };
  CHECK(found({}) == "a/.env: by its name\nd.sh: github token\n");
  CHECK(found({"a/"}) == "d.sh: github token\n");
}

TEST_CASE("examples, certificates, empty files and what is left out of the workspace are no secrets") {
  TempFolder root;
  put(root / ".env.example", "KEY=\n");
  put(root / ".netrc", "");
  put(root / "cert.pem", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n");
  put(root / "README.md",
      "postgres://user:password@localhost, [redacted: github token], Authorization: Bearer abcdefgh\n");
  put(root / "ignored/.env", "A=1\n");
  put(root / ".gitignore", "ignored/\n");
  put(root / "model.bin", std::string("\0x ghp_", 7) + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5");
  CHECK(found_in(root).empty());
  CHECK(found_in(root / "nowhere").empty());
}
