#pragma once
// What a home has taken over from an artifact that somebody made. Plain values; every text in them is a stranger's
// word, and what is called supported there is supported by that word alone.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// One thing that the artifact says.
struct ForeignItem {
  std::string kind;  ///< artifact, claim, concept, evidence, experiment, decision, dead_end, pivot or insight
  std::string item;  ///< Its address within the artifact: "C03", "N07", "evidence/tables/t1.md"; of `artifact`: empty.
  std::string verdict;  ///< Of claims, as the artifact has it; empty: it says nothing that is known.
  std::string title, body;
};

struct ImportedArtifact {
  std::string id;  ///< "ara:resnet"
  std::string title, year, doi;
  std::vector<std::string> authors;
  std::string source;  ///< The folder that it was read from, absolute.
  std::string files;   ///< The blob that lists its files (base/manifest.h); whose hash says which artifact it is.
  std::int64_t errors = 0, warnings = 0;  ///< What `etude check` said of it.
  std::vector<ForeignItem> items;
  // Of an artifact of ours, by the event log that it carries; else empty.
  std::string head;                 ///< Of the log's chain.
  std::string context;              ///< kernel::context_key of its study.
  std::vector<Predecessor> tested;  ///< Its verdicts.
  /// The level of each factor that its hypotheses were tested against.
  std::map<std::string, std::string> controls;
  std::string code;  ///< The blob that lists its code: the workspace of its study, or else what lies in src/.

  const ForeignItem* find(std::string_view item) const;
};

/// What addresses of imported artifacts begin with.
inline constexpr std::string_view foreign = "ara:";
/// "ara:NAME" of whatever a folder may be called.
std::string foreign_id(std::string_view name);

/// Whether the item can be cited by its own address, `[@ara:NAME/C03]`: claims and nodes, not files.
bool is_citable(const ForeignItem&);

}  // namespace kernel
