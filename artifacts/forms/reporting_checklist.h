#pragma once
// Reporting checklists, answered from the record: REFORMS (Kapoor et al., "REFORMS: Consensus-based recommendations for
// machine-learning-based science", Science Advances 10 (2024), table 1) and the NeurIPS paper checklist (2025). An
// answer names where the artifact shows it; what the record does not hold is `not recorded`, never inferred.

#include <string>
#include <vector>

#include "artifacts/forms/run_flow.h"
#include "artifacts/read/model.h"

namespace artifacts {

enum class AnswerWord { yes, partly, no, not_applicable, not_recorded };

/// A file of the artifact, and a heading in it (or its beginning); empty for the whole file.
struct RecordAddress {
  std::string path, heading;
};

struct ChecklistAnswer {
  AnswerWord answer = AnswerWord::not_recorded;
  std::string why;  ///< Plain text.
  std::vector<RecordAddress> where{};
};

/// What the answers are made of; borrowed.
struct AnsweredFrom {
  const kernel::Study& study;
  const Listing& files;
  const std::vector<ExperimentFlow>& flows;
};

struct ChecklistItem {
  std::string id, module, text;
  ChecklistAnswer (*answer)(const AnsweredFrom&);
};

const std::vector<ChecklistItem>& reforms_items();
const std::vector<ChecklistItem>& neurips_items();

/// The whole page. The problem: no artifact of etude, or a broken record.
kernel::Result<std::string> checklist_page(const SafeRoot&, const Listing&);

}  // namespace artifacts
