#pragma once
// Requirements of a study on its code and its answers. Agents state them, another agent judges them from the source
// alone, and the kernel demands them before it registers agents' proposals. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// True if agents proposed hypotheses or wrote code, so that no person has checked that the code does what is asked.
bool needs_requirements(const Study&);

/// Why nothing may be registered yet; empty if it may be.
Reason unmet_requirements(const Study&);

/// Hash of the code that the requirement is about: the study's present code, or a version's.
const WorkspaceHash& code_meant(const StudyTerms&, const StudyRequirement&);
/// True if its judgement is about that code.
bool is_current(const StudyTerms&, const StudyRequirement&);

/// The kernel's own requirement, that an agent's change does only what it is for; null if there is none.
const StudyRequirement* requirement_on_amendment(const Study&);
/// True if a person judged that it is met by the present code.
bool is_read_by_person(const Study&);

/// Requirements on the method without a judgement for the present code, or for `version` of a search if not empty.
std::vector<const StudyRequirement*> unjudged(const Study&, const std::string& version);

/// Requirements on the method that the present code does not meet, by the judgement or by the role that stated them.
std::vector<const StudyRequirement*> unmet(const Study&, const std::string& version);
/// Names the first of them and the reason. Precondition: not empty.
Reason lacking_reason(const std::vector<const StudyRequirement*>& unmet);

/// Why it is not yet known whether a version meets the requirements; empty if it is known.
Reason unreviewed(const Study&, const std::string& version);

/// Why `judge` may not judge a requirement so; empty if it may. A person may judge any requirement.
std::string refused_judgement(const Study&, const std::string& judge, const std::string& requirement, bool met);

/// True if the role's open lines of work, if there are any, have read all lines that the requirement is bound to.
bool has_read(const Journal&, const std::string& role, const StudyRequirement&);

/// What is to be said of who reviewed: that a model judged code that it wrote, or requirements that it drew.
std::vector<Reason> review_cautions(const Study&);

/// The verdicts on a part of the question: "supported (H1)", "not answered".
std::string answer_to(const Hypotheses&, const StudyRequirement&);

/// The id of the next requirement that an agent or a person states: R1, R2, …
std::string next_requirement(const Journal&);

/// The sections that an agent may add to the write-up, in order.
const std::vector<std::string>& section_names();

}  // namespace kernel
