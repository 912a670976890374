#pragma once
// What a home imported from another author's artifact. Its texts are untrusted, its verdicts that author's statements.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

struct ForeignItem {
  std::string kind;  ///< artifact, claim, concept, evidence, experiment, decision, dead_end, pivot or insight
  std::string item;  ///< Its address within the artifact: "C03", "N07", "evidence/tables/t1.md"; empty for `artifact`.
  std::string verdict;  ///< Of claims, as the artifact states it; empty if it states none that is known.
  std::string title, body;
};

struct ImportedArtifact {
  std::string id;  ///< "ara:resnet"
  std::string title, year, doi;
  std::vector<std::string> authors;
  std::string source;  ///< The absolute path of the imported folder.
  std::string files;   ///< The blob that lists its files (base/manifest.h); its hash identifies the artifact.
  std::int64_t errors = 0, warnings = 0;  ///< Counts of findings of `etude check`.
  std::vector<ForeignItem> items;
  // The next four members come from the event log of an artifact made by etude; else empty.
  std::string head;                 ///< Of the log's chain.
  std::string context;              ///< kernel::context_key of its study.
  std::vector<Predecessor> tested;  ///< The verdicts in the log.
  /// The control level of each factor in its hypotheses.
  std::map<std::string, std::string> controls;
  std::string code;  ///< The blob that lists its code: its study's workspace, or else the files in src/.

  const ForeignItem* find(std::string_view item) const { return find_by(items, &ForeignItem::item, item); }
};

/// Prefix of the addresses of imported artifacts.
inline constexpr std::string_view foreign = "ara:";
/// "ara:NAME" for a folder of any name.
std::string foreign_id(std::string_view name);

/// True for claims and nodes, which have citable addresses like `[@ara:NAME/C03]`; false for files.
bool is_citable(const ForeignItem&);

}  // namespace kernel
