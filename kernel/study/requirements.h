#pragma once
// What a study has to do, in code, and to answer: drawn by agents, confirmed by another from the source alone, and
// demanded by the kernel before it registers what agents propose. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Agents proposed some of what is to be tested, or wrote its code: nobody else has checked that it does what is asked.
bool needs_requirements(const Study&);

/// Why nothing may be registered yet; empty: nothing is against it.
std::string unmet_requirements(const Study&);

/// Hash of the code that it is about: the study's as it is, or a version's.
const WorkspaceHash& code_meant(const StudyTerms&, const StudyRequirement&);
/// What was said of it was said of that code.
bool is_current(const Study&, const StudyRequirement&);

/// Those of the method that nobody has judged for the code as it is; of `version`, in a search over code, where it is
/// not empty.
std::vector<const StudyRequirement*> unjudged(const Study&, const std::string& version);

/// Those of the method that the code as it is does not meet, by the reviewer or by who drew them.
std::vector<const StudyRequirement*> unmet(const Study&, const std::string& version);
/// Which the first of them is, and why; not of none.
std::string lacking_words(const std::vector<const StudyRequirement*>& unmet);

/// Why nobody knows yet whether a version does what is required; empty: it is known, one way or the other.
std::string unreviewed(const Study&, const std::string& version);

/// Why `judge` may not say that of a requirement; empty: he may. A person may judge any.
std::string refused_judgement(const Study&, const std::string& judge, const std::string& requirement, bool met);

/// What the verdicts say to a part of the question: "supported (H1)", "not answered".
std::string answer_to(const Hypotheses&, const StudyRequirement&);

/// The sections that a write-up may have beside what the kernel writes, in their order.
const std::vector<std::string>& section_names();

}  // namespace kernel
