#include "artifacts/edit/artifact_draft.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "artifacts/published/judge_artifact.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"
#include "base/utf8.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_edited = 16u << 20;
constexpr const char* seal_file = "etude.json";

/// Whether the finding is about pages that the published checker only reads if tree and claims have no error.
bool is_of_later_pages(published::Code code) {
  return code >= published::Code::ARA210;
}

bool is_sound(const std::vector<published::PublishedFact>& facts) {
  return std::ranges::none_of(facts, [](const published::PublishedFact& one) {
    return !is_of_later_pages(one.code) && one.code >= published::Code::ARA100 &&
           published::rule_of(one.code).severity == Severity::error;
  });
}

void put(published::Pages& pages, const FileChange& change) {
  for (const auto& [file, page] : {std::pair{published::tree_file, &pages.tree},
                                   {published::claims_file, &pages.claims},
                                   {published::paper_file, &pages.paper},
                                   {published::concepts_file, &pages.concepts},
                                   {published::related_work_file, &pages.related_work},
                                   {published::evidence_index_file, &pages.evidence_index}})
    if (change.file == file) *page = change.after;
  std::string_view path = change.file;
  if (!change.created || !path.starts_with("evidence/") || !path.ends_with(".md")) return;
  path.remove_prefix(std::string_view("evidence/").size());
  path.remove_suffix(3);
  if (const auto slash = path.find('/'); slash != path.npos)
    pages.evidence.push_back({std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))});
}

}  // namespace

kernel::Result<ArtifactDraft> ArtifactDraft::open(const std::string& path,
                                                  const published::ConfigurationChoice& choice) {
  auto root = SafeRoot::open(path);
  if (!root) return root.problem();
  if (root->look(seal_file).kind != FileKind::none)
    return kernel::Problem{
        printable(path), 0, "the artifact is sealed",
        "its pages follow from the event log that etude.json seals, and an audit would call the edit "
        "a forgery",
        fmt::format("edit a copy without the seal: `etude ara merge {} -o COPY`", printable(path))};
  auto configuration = published::find_configuration(path, choice);
  if (!configuration) return configuration.problem();
  Findings unused;
  Artifact artifact = read_artifact(*root, unused);
  return ArtifactDraft(std::move(*root), std::move(*configuration), std::move(artifact));
}

bool ArtifactDraft::has(const std::string& file) const {
  return std::ranges::find(changes_, file, &FileChange::file) != changes_.end() ||
         root_.look(file).kind != FileKind::none;
}

kernel::Result<std::optional<std::string>> ArtifactDraft::text(const std::string& file) const {
  const auto changed = std::ranges::find(changes_, file, &FileChange::file);
  if (changed != changes_.end()) return std::optional(changed->after);
  FileBytes read = root_.read(file, largest_edited);
  if (read.kind == FileKind::none) return std::optional<std::string>();
  if (read.whole()) return std::optional(std::move(read.bytes));
  return kernel::Problem{file, 0, "cannot be edited",
                         read.too_large ? "the file is larger than 16 MB" : "it is no regular file of the artifact",
                         "edit it by hand"};
}

void ArtifactDraft::change(const std::string& file, std::string bytes, int line) {
  const auto changed = std::ranges::find(changes_, file, &FileChange::file);
  if (changed != changes_.end()) {
    changed->after = std::move(bytes);
    changed->line = line;
    return;
  }
  FileBytes read = root_.read(file, largest_edited);
  changes_.push_back({file, read.kind == FileKind::none, std::move(read.bytes), std::move(bytes), line});
}

std::vector<FileChange> ArtifactDraft::changes() const {
  std::vector<FileChange> real;
  for (const FileChange& one : changes_)
    if (one.created || one.before != one.after) real.push_back(one);
  return real;
}

std::vector<Finding> ArtifactDraft::introduced() const {
  published::Pages pages = published::read_pages(root_, root_.list());
  std::vector<published::PublishedFact> before = published::judge(pages);
  const bool sound = is_sound(before);
  for (const FileChange& change : changes()) put(pages, change);
  std::vector<Finding> findings;
  for (const published::PublishedFact& fact : published::judge(pages)) {
    const auto known = std::ranges::find_if(before, [&](const published::PublishedFact& old) {
      return std::tie(old.code, old.file, old.what) == std::tie(fact.code, fact.file, fact.what);
    });
    if (known != before.end()) {
      before.erase(known);
      continue;
    }
    const published::RuleSetting& setting = configuration_.of(fact.code);
    if (!setting.reported || (!sound && is_of_later_pages(fact.code))) continue;
    const published::PublishedRule& rule = published::rule_of(fact.code);
    findings.push_back({std::string(rule.name),
                        setting.severity,
                        fact.file,
                        fact.line,
                        printable(fmt::format("{}: {}", fact.what, rule.mend)),
                        setting.fixable,
                        true,
                        {}});
  }
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::severity);
  return findings;
}

std::optional<kernel::Problem> ArtifactDraft::write() const {
  const std::vector<FileChange> all = changes();
  std::string why;
  std::size_t done = 0;
  for (; why.empty() && done < all.size(); ++done) {
    const FileChange& one = all[done];
    const FileBytes now = root_.read(one.file, largest_edited);
    if ((now.kind == FileKind::none) != one.created || (!one.created && now.bytes != one.before))
      why = "somebody changed the file meanwhile";
    else
      why = one.created ? root_.create(one.file, one.after) : root_.replace(one.file, one.after);
  }
  if (why.empty()) return std::nullopt;
  const std::string file = all[done - 1].file;
  for (std::size_t i = done - 1; i-- > 0;) {
    const std::string left = all[i].created ? root_.remove(all[i].file) : root_.replace(all[i].file, all[i].before);
    if (!left.empty()) why += fmt::format("; {} stays changed: {}", all[i].file, left);
  }
  return kernel::Problem{file, 0, "cannot be written", why, "try again", true};
}

}  // namespace artifacts
