#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"
#include "base/digest.h"

namespace artifacts {
namespace {

/// A sparse file can claim any size; hashing more than this could take for ever.
constexpr std::uint64_t most_hashed = std::uint64_t{256} << 30;

bool is_recorded_folder(std::string_view path) {
  return path.starts_with("evidence/") || path.starts_with("src/");
}

/// Files that every artifact may have in addition to the recorded ones.
bool is_of_the_format(std::string_view path) {
  for (const std::string_view folder : {"logic/", "trace/", "data/", "rubric/", "staging/"})
    if (path.starts_with(folder)) return true;
  for (const std::string_view file : {"PAPER.md", "README.md", "LICENSE", "etude.json", "report.html", "report.md",
                                      "level2_report.json", "trajectory.html", ".ara_env"})
    if (path == file) return true;
  return false;
}

class HashCheck {
 public:
  HashCheck(const Artifact& artifact, const SafeRoot& root, Findings& findings, const HashObserver& hashing)
      : artifact_(artifact), root_(root), findings_(findings), hashing_(hashing) {}

  void all(const EtudeJson& seal) {
    if (seal.kind == FileKind::none) return;
    if (seal.kind != FileKind::regular || seal.too_large) {
      bad(seal.too_large ? "the file is larger than 256 MB" : "this is not a regular file of the artifact");
      return;
    }
    const nlohmann::json& json = seal.document;
    if (!json.is_object() || !json.contains("files") || !json["files"].is_object()) {
      bad(json.is_discarded() ? "this is not JSON" : "there is no object `files` of paths and hashes",
          seal.trouble_line);
      return;
    }
    for (const auto& [path, hash] : json["files"].items()) {
      if (hash.is_string())
        recorded_.emplace(path, hash.get<std::string>());
      else
        bad(fmt::format("the hash of {} is no string", quote(path)));
    }
    for (const Entry& entry : artifact_.files.entries)
      if (entry.kind == FileKind::regular && recorded_.contains(entry.path)) to_hash_ += entry.size;
    for (const auto& [path, hash] : recorded_) verify(path, hash);
    for (const Entry& entry : artifact_.files.entries) unrecorded(entry);
  }

 private:
  void bad(const std::string& what, int line = 0) {
    findings_.add(RuleId::bad_json, etude_json_file, line, what + "; no hash was verified");
  }

  void verify(const std::string& path, const std::string& expected) {
    kernel::Sha256 digest;
    const FileBytes read = root_.stream(path, most_hashed - hashed_, [&](std::string_view piece) {
      hashed_ += piece.size();
      digest.update(piece);
      if (hashing_) hashing_(hashed_, to_hash_);
    });
    if (read.too_large)
      findings_.add(RuleId::too_large, path, 0, "more than 256 GB are recorded; this file was not verified");
    else if (read.kind == FileKind::outside)
      findings_.add(RuleId::outside_root, path, 0, "etude.json records a file that lies outside the artifact");
    else if (read.kind == FileKind::secret)
      findings_.add(RuleId::bad_json, etude_json_file, 0,
                    fmt::format("{} is a secret that must not be recorded", quote(path)));
    else if (read.kind == FileKind::unreadable)
      findings_.add(RuleId::unreadable_file, path, 0, "the recorded file cannot be read");
    else if (read.kind != FileKind::regular)
      findings_.add(RuleId::missing_file, path, 0, "etude.json records this file, which is not there");
    else if (digest.hex() != expected)
      findings_.add(RuleId::changed_file, path, 0, "the SHA-256 differs from the one in etude.json");
  }

  void unrecorded(const Entry& entry) {
    if (recorded_.contains(entry.path)) return;
    const bool file = entry.kind == FileKind::regular;
    if (is_recorded_folder(entry.path)) {
      // A folder behind a link could contain anything.
      if (file || (entry.kind == FileKind::directory && entry.link))
        findings_.add(RuleId::unlisted_file, entry.path, 0, "etude.json does not record this");
    } else if (file && !is_of_the_format(entry.path)) {
      findings_.add(RuleId::extra_file, entry.path, 0, "this file is no part of what was recorded");
    }
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  Findings& findings_;
  std::map<std::string, std::string> recorded_;
  const HashObserver& hashing_;
  std::uint64_t hashed_ = 0, to_hash_ = 0;
};

}  // namespace

EtudeJson open_seal(const SafeRoot& root) {
  const FileBytes read = root.read(etude_json_file, largest_etude_json);
  if (read.kind != FileKind::regular || read.too_large) return {read.kind, read.too_large, {}, 0};
  EtudeJson seal{read.kind, false, nlohmann::json::parse(read.bytes, nullptr, false), 0};
  if (seal.document.is_discarded()) seal.trouble_line = line_of_json_trouble(read.bytes).value_or(0);
  return seal;
}

void check_hashes(const Artifact& artifact, const SafeRoot& root, const EtudeJson& seal, Findings& findings,
                  const HashObserver& hashing) {
  HashCheck(artifact, root, findings, hashing).all(seal);
}

}  // namespace artifacts
