#pragma once
// The artifact's pages about a study: logic, sources, trace and PAPER.md, composed only from the record. Numbers stay
// in the evidence; claims quote them. Pure except for the index, which reads the staged files.

#include <map>
#include <string>
#include <vector>

#include "artifacts/write/staging.h"
#include "kernel/study/state.h"

namespace artifacts {

std::string problem_page(const kernel::Study&);
std::string claims_page(const kernel::Study&);
std::string concepts_page(const kernel::Study&);
std::string experiments_page(const kernel::Study&);
std::string related_work_page(const kernel::Study&);
std::string constraints_page(const kernel::Study&);
/// Limitations of the results, as a list of sentences, also used by the report.
std::vector<std::string> limits(const kernel::Study&);

std::string environment_page(const kernel::Study&);
/// src/configs/packages_PROGRAM.txt: the lock file of one program, one `name==version` a line, as pip reads it.
std::string packages_page(const std::string& program, const std::map<std::string, std::string>& libraries);
/// src/configs/parameters.md: factors, constants, design and the registered tests.
std::string parameters_page(const kernel::Study&);
/// src/artifacts.md, from the staged workspace.
std::string code_page(const kernel::StudyTerms&, const Staging&);
/// data/dataset.md; empty if the study declares no data.
std::string dataset_page(const kernel::StudyTerms&);

/// trace/exploration_tree.yaml
std::string tree_page(const kernel::Study&);

/// staging/observations.yaml; empty if there are no notes.
std::string observations_page(const kernel::Exploration&);
std::vector<const kernel::Node*> observations_of(const kernel::Exploration&);

std::string paper_page(const kernel::Study&, const std::string& tool_version, const Staging&);

/// The number of headings "## " on a page, which the Layer Index states.
long long headings(const std::string& page, const std::string& prefix = "## ");

}  // namespace artifacts
