#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/json_difference.h"
#include "artifacts/read/recorded_log.h"
#include "artifacts/read/recorded_workspace.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"

namespace artifacts {
namespace {

using nlohmann::json;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// What the seal says besides sealed_members().
constexpr std::array<std::string_view, 8> of_the_file{"etude", "tool",   "wording", "study_file",
                                                      "runs",  "events", "files",   "pages"};

}  // namespace

namespace {

class RecordCheck {
 public:
  RecordCheck(const Artifact& artifact, const SafeRoot& root, Writer writer, Findings& findings)
      : artifact_(artifact), root_(root), exactly_(writer == Writer::same), findings_(findings) {}

  std::optional<RecordedLog> all(const json& seal, const LogObserver& observer) {
    // check_hashes reports a malformed file.
    if (!seal.is_object() || !seal.contains("etude")) return std::nullopt;
    if (seal["etude"] != etude_json_version) {
      findings_.add(RuleId::bad_json, etude_json_file, 0,
                    fmt::format("this program knows version {} of the file; what it says was not compared with the log",
                                etude_json_version));
      return std::nullopt;
    }
    if (const json wording = seal.value("wording", json(1));
        !wording.is_number_integer() || wording < 1 || wording > kernel::wording_version)
      findings_.add(RuleId::bad_json, etude_json_file, 0,
                    fmt::format("this program knows the wordings 1 to {}; it cannot write these pages again",
                                kernel::wording_version));
    auto log = read_log(root_, observer);
    if (!log) {
      findings_.add(RuleId::broken_chain, log.problem().file, log.problem().line, log.problem().why);
      return std::nullopt;
    }
    if (!log->study.outcome) {
      findings_.add(RuleId::broken_chain, log_file, 0, "the log does not reach the study's conclusion");
      return std::nullopt;
    }
    try {
      compare_head(seal, *log);
      compare_members(seal, *log);
    } catch (const std::exception& error) {
      findings_.add(RuleId::broken_chain, log_file, 0,
                    fmt::format("the log holds values that no study could have had ({})", error.what()));
    }
    for (const std::string& hash : log->study.workspaces())
      for (const kernel::Problem& problem : workspace_problems(root_, artifact_.files, hash))
        findings_.add(RuleId::workspace_mismatch, problem.file, 0, "the file " + problem.why);
    return std::move(*log);
  }

 private:
  static constexpr std::size_t whole = std::string::npos;  ///< The member as a whole, not one of its elements.

  /// Reports a difference: in the member with that key, and in which of its elements.
  void differs(std::string_view where, std::string_view key, std::size_t element) {
    findings_.add(RuleId::log_mismatch, etude_json_file, line_of(key, element),
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

  void compare_head(const json& seal, const RecordedLog& log) {
    const json events = seal.value("events", json::object());
    const json head = events.is_object() ? events.value("head", json()) : json();
    if (head != log.head)
      findings_.add(RuleId::log_mismatch, etude_json_file, line_of("events", whole),
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

std::optional<RecordedLog> check_record(const Artifact& artifact, const SafeRoot& root, const EtudeJson& seal,
                                        Writer writer, Findings& findings, const LogObserver& observer) {
  return RecordCheck(artifact, root, writer, findings).all(seal.document, observer);
}

}  // namespace artifacts
