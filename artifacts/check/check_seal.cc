#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/record.h"
#include "artifacts/read/references.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"
#include "base/digest.h"
#include "kernel/study/gates.h"

namespace artifacts {

using nlohmann::json;

namespace {

/// A sparse file can claim any size; hashing more than this could take days.
constexpr std::uint64_t most_hashed = std::uint64_t{256} << 30;

/// Files that every artifact may have in addition to the recorded ones.
bool is_of_the_format(std::string_view path) {
  static constexpr std::string_view folders[] = {"logic/", "trace/", "data/", "rubric/", "staging/"};
  static constexpr std::string_view files[] = {"PAPER.md",           "README.md",       "LICENSE",     "CITATION.cff",
                                               "codemeta.json",      "etude.json",      "report.html", "report.md",
                                               "level2_report.json", "trajectory.html", ".ara_env"};
  return begins_with_one_of(folders, path) || is_one_of(files, path);
}

/// A value takes sixteen bytes or more in memory and two in the file. Each run has some seventy-five.
constexpr std::size_t most_values = 16'000'000;

class HashCheck {
 public:
  HashCheck(const Artifact& artifact, const SafeRoot& root, const kernel::Study* study, Findings& findings,
            const HashObserver& hashing)
      : artifact_(artifact), root_(root), findings_(findings), hashing_(hashing) {
    if (study && study->pictures)
      for (const kernel::OutputFile& file : study->pictures->files) logged_.insert(file.path);
  }

  void all(const EtudeJson& seal) {
    if (seal.kind == FileKind::none) return;
    if (seal.kind != FileKind::regular || seal.too_large) {
      bad(seal.too_large ? "the file is larger than 256 MB, or has more than 16 million values"
                         : "this is not a regular file of the artifact");
      return;
    }
    const nlohmann::json& json = seal.document;
    if (!json.is_object() || !json.contains("files") || !json["files"].is_object()) {
      bad(json.is_discarded() ? "this is not JSON" : "there is no object `files` of paths and hashes",
          seal.trouble_line);
      return;
    }
    if (seal.doubled_key)
      findings_.add_of_record(RuleId::bad_json, etude_json_file, 0,
                              "an object has a key twice; other programs may read the other value");
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
    findings_.add_of_record(RuleId::bad_json, etude_json_file, line, what + "; no hash was verified");
  }

  void verify(const std::string& path, const std::string& expected) {
    kernel::Sha256 digest;
    const FileBytes read = root_.stream(path, most_hashed - hashed_, [&](std::string_view piece) {
      hashed_ += piece.size();
      digest.update(piece);
      if (hashing_) hashing_(hashed_, to_hash_);
    });
    if (read.too_large)
      findings_.add_of_record(RuleId::too_large, path, 0, "more than 256 GB are recorded; this file was not verified");
    else if (read.kind == FileKind::outside)
      findings_.add_of_record(RuleId::outside_root, path, 0,
                              "etude.json records a file that lies outside the artifact");
    else if (read.kind == FileKind::secret)
      findings_.add_of_record(RuleId::bad_json, etude_json_file, 0,
                              fmt::format("{} is a secret that must not be recorded", quote(path)));
    else if (read.kind == FileKind::unreadable)
      findings_.add_of_record(RuleId::unreadable_file, path, 0, "the recorded file cannot be read");
    else if (read.kind != FileKind::regular)
      findings_.add_of_record(RuleId::missing_file, path, 0, "etude.json records this file, which is not there");
    else if (digest.hex() != expected)
      findings_.add_of_record(RuleId::changed_file, path, 0, "the SHA-256 differs from the one in etude.json");
  }

  void unrecorded(const Entry& entry) {
    if (recorded_.contains(entry.path)) return;
    const bool file = entry.kind == FileKind::regular;
    if (entry.path.starts_with("evidence/") || entry.path.starts_with("src/")) {
      // A folder behind a link could contain anything.
      if (file || (entry.kind == FileKind::directory && entry.link))
        findings_.add_of_record(RuleId::unlisted_file, entry.path, 0, "etude.json does not record this");
    } else if (file && !is_of_the_format(entry.path) && !logged_.contains(entry.path)) {
      findings_.add(RuleId::extra_file, entry.path, 0, "this file is no part of what was recorded");
    }
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  Findings& findings_;
  std::map<std::string, std::string> recorded_;
  std::set<std::string> logged_;  ///< The log has their hash, which the audit compares.
  const HashObserver& hashing_;
  std::uint64_t hashed_ = 0, to_hash_ = 0;
};

/// What the seal says besides sealed_members().
constexpr std::array<std::string_view, 9> of_the_file{"etude", "tool",   "wording", "layout", "study_file",
                                                      "runs",  "events", "files",   "pages"};

class RecordCheck {
 public:
  RecordCheck(const Artifact& artifact, const SafeRoot& root, Writer writer, Findings& findings)
      : artifact_(artifact), root_(root), exactly_(writer == Writer::same), findings_(findings) {}

  std::optional<RecordedLog> all(const json& seal, const LogObserver& observer) {
    // check_hashes reports a malformed file.
    if (!seal.is_object() || !seal.contains("etude")) return std::nullopt;
    if (seal["etude"] != etude_json_version) {
      findings_.add_of_record(
          RuleId::bad_json, etude_json_file, 0,
          fmt::format("this program knows version {} of the file; what it says was not compared with the log",
                      etude_json_version));
      return std::nullopt;
    }
    const std::optional<int> wording = wording_of(seal);
    if (!wording)
      findings_.add_of_record(RuleId::bad_json, etude_json_file, 0,
                              fmt::format("this program knows the wordings 1 to {}; it cannot write these pages again",
                                          kernel::wording_version));
    auto log = read_log(root_, observer);
    if (!log) {
      findings_.add_of_record(RuleId::broken_chain, log.problem().file, log.problem().line, log.problem().why);
      return std::nullopt;
    }
    put_in_words(log->study, wording.value_or(kernel::wording_version));
    if (!log->study.outcome) {
      findings_.add_of_record(RuleId::broken_chain, log_file, 0, "the log does not reach the study's conclusion");
      return std::nullopt;
    }
    try {
      compare_head(seal, *log);
      compare_members(seal, *log);
    } catch (const std::exception& error) {
      findings_.add_of_record(RuleId::broken_chain, log_file, 0,
                              fmt::format("the log holds values that no study could have had ({})", error.what()));
    }
    const std::set<std::string> withheld = kernel::withheld_files(log->study);
    for (const std::string& hash : log->study.workspaces()) compare_folder(workspace_path(hash), hash, withheld);
    if (!log->study.sealed_manifest.empty()) compare_folder(sealed_folder, log->study.sealed_manifest, withheld);
    return std::move(*log);
  }

 private:
  static constexpr std::size_t whole = std::string::npos;  ///< The member as a whole, not one of its elements.

  /// Reports a difference: in the member with that key, and in which of its elements.
  void differs(std::string_view where, std::string_view key, std::size_t element) {
    findings_.add_of_record(RuleId::log_mismatch, etude_json_file, line_of(key, element),
                            fmt::format("{} is not what the log says", where));
  }

  /// The member's line; 0 if it is missing. The text is parsed again only for a difference, which is rare.
  int line_of(std::string_view key, std::size_t element) {
    if (!lines_) {
      const FileBytes read = root_.read(etude_json_file, largest_etude_json);
      lines_ = lines_of_members(read.bytes);
    }
    const auto member = lines_->find(key);
    if (member == lines_->end()) return 0;
    const std::vector<int>& elements = member->second.elements;
    return element < elements.size() ? elements[element] : member->second.line;
  }

  void compare_folder(const std::string& folder, const std::string& hash, const std::set<std::string>& withheld) {
    for (const kernel::Problem& problem : folder_problems(root_, artifact_.files, folder, hash, withheld))
      findings_.add_of_record(RuleId::workspace_mismatch, problem.file, 0, "the file " + problem.why);
  }

  void compare_head(const json& seal, const RecordedLog& log) {
    const json events = seal.value("events", json::object());
    const json head = events.is_object() ? events.value("head", json()) : json();
    if (head != log.head)
      findings_.add_of_record(RuleId::log_mismatch, etude_json_file, line_of("events", whole),
                              fmt::format("events.head is not the hash that the chain of {} ends with", log_file));
    if (!events.is_object() || events.value("count", json()) != log.events) differs("events.count", "events", whole);
  }

  void compare_members(const json& seal, const RecordedLog& log) {
    const json expected = recorded_members(log.study, log.head);
    for (const auto& [key, value] : expected.items()) {
      const json found = seal.value(key, json());
      if (value.is_array() && found.is_array() && value.size() == found.size()) {
        // Reports every entry that differs, each by its first differing member.
        for (std::size_t i = 0; i < value.size(); ++i)
          if (const auto where = first_difference(found[i], value[i], exactly_))
            differs(fmt::format("{}[{}]{}", key, i, *where), key, i);
      } else if (const auto where = first_difference(found, value, exactly_)) {
        differs(key + *where, key, whole);
      }
    }
    if (exactly_ && log.version > 1 && !seal.contains("wording")) differs("wording", "wording", whole);
    const json none;
    const auto runs = seal.find("runs");
    compare_runs(runs == seal.end() ? none : *runs, log.study);
    for (const auto& [key, value] : seal.items())
      if (exactly_ && !expected.contains(key) && !is_one_of(of_the_file, key)) differs(quote(key), key, whole);
  }

  void compare_runs(const json& found, const kernel::Study& study) {
    if (!found.is_array() || found.size() != study.runs.size()) return differs("runs", "runs", whole);
    std::size_t i = 0;
    each_recorded_run(study, [&](const json& run) {
      if (const auto where = first_difference(found[i], run, exactly_))
        differs(fmt::format("runs[{}]{}", i, *where), "runs", i);
      ++i;
    });
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  const bool exactly_;
  Findings& findings_;
  std::optional<std::map<std::string, MemberLines, std::less<>>> lines_;
};

}  // namespace

namespace {

/// Without recursion, because a stranger chose the depth.
std::size_t keys_of(const nlohmann::json& document) {
  std::size_t keys = 0;
  std::vector<const nlohmann::json*> open{&document};
  while (!open.empty()) {
    const nlohmann::json& value = *open.back();
    open.pop_back();
    if (value.is_object()) keys += value.size();
    for (const nlohmann::json& member : value)
      if (member.is_structured()) open.push_back(&member);
  }
  return keys;
}

}  // namespace

EtudeJson open_seal(const SafeRoot& root) {
  const FileBytes read = root.read(etude_json_file, largest_etude_json);
  if (!read.whole()) return {read.kind, read.too_large, {}, 0};
  const JsonSize size = size_of_json(read.bytes);
  if (size.values > most_values) return {read.kind, true, {}, 0};
  EtudeJson seal{read.kind, false, nlohmann::json::parse(read.bytes, nullptr, false), 0};
  seal.doubled_key = !seal.document.is_discarded() && keys_of(seal.document) < size.keys;
  if (seal.document.is_discarded()) seal.trouble_line = line_of_json_trouble(read.bytes).value_or(0);
  return seal;
}

void check_hashes(const Artifact& artifact, const SafeRoot& root, const EtudeJson& seal, const kernel::Study* study,
                  Findings& findings, const HashObserver& hashing) {
  HashCheck(artifact, root, study, findings, hashing).all(seal);
}

std::optional<RecordedLog> check_record(const Artifact& artifact, const SafeRoot& root, const EtudeJson& seal,
                                        Writer writer, Findings& findings, const LogObserver& observer) {
  return RecordCheck(artifact, root, writer, findings).all(seal.document, observer);
}

}  // namespace artifacts
