#pragma once
// What PAPER.md says of a study in prose, and the files at the artifact's root by which people and registries find,
// cite and run it: README.md, CITATION.cff and codemeta.json. Composed only from the record. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

/// The authors that the study file names; else the program.
std::vector<std::string> author_names(const kernel::StudySpec&, const std::string& tool_version);
/// The question and the answer; since wording 5 with the first few sizes.
std::string abstract_of(const kernel::Study&);
/// The sections from the results to the availability of data and code.
std::string paper_sections(const kernel::Study&);

std::string readme_page(const kernel::Study&, const std::string& head);
/// Citation File Format 1.2.0.
std::string citation_file(const kernel::Study&, const std::string& tool_version, const std::string& head);
/// CodeMeta 3.0.
std::string codemeta_file(const kernel::Study&, const std::string& tool_version, const std::string& head);

}  // namespace artifacts
