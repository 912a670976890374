#pragma once
// What `etude ara add`, `edit` and `link` do to a draft of an artifact: which file and which field each concerns.
// Knows nothing of the command line.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "artifacts/edit/artifact_draft.h"
#include "artifacts/edit/tree_edits.h"
#include "base/result.h"

namespace artifacts {

/// Names and values, in the order given; names as a person writes them ("falsification_criteria").
using GivenFields = std::vector<std::pair<std::string, FieldValue>>;

enum class AddedKind { node, claim, experiment, heuristic, related_work, concept_term, evidence };

struct Addition {
  AddedKind kind = AddedKind::claim;
  std::string id{};  ///< Empty: the next free one. Of evidence: its path below evidence/, without the suffix.
  std::string title{};
  std::string type{};    ///< Of a node.
  std::string parent{};  ///< Of a node; empty: at the top.
  std::string body{};    ///< Of evidence: Markdown behind the fields.
  std::string now{};     ///< The timestamp of a node, unless a field gives one.
  GivenFields fields{};
};

/// Returns the address of what was added.
kernel::Result<std::string> add_to(ArtifactDraft& draft, const Addition& addition);
/// Sets fields of the entry with this address, or its title.
kernel::Result<std::string> edit_in(ArtifactDraft& draft, const std::string& address, const GivenFields& fields);
/// Writes down that one entry rests on another, where the format has a place for it.
kernel::Result<std::string> link_in(ArtifactDraft& draft, const std::string& from, const std::string& to);

}  // namespace artifacts
