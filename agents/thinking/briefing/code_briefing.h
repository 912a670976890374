#pragma once
// Messages about code for an engineer. At the beginning of a step of a search over code: the versions and their
// results, the version that the step starts from, and why it failed, if it did. Later: the result of a run that it
// ordered. Pure except for reading blobs.

#include <functional>
#include <string>

#include "kernel/study/state.h"

namespace agents {

/// A blob's bytes.
using FetchText = std::function<std::string(const std::string& sha256)>;

/// The version that a line of work with that subject is about; null if it is about none.
const kernel::CodeVersion* version_meant(const kernel::StudyTerms&, const kernel::LineSubject&);
/// The code that the subject's step begins with, or the version that it is about; null if there is neither.
const kernel::WorkspaceRecord* code_base(const kernel::StudyTerms&, const kernel::LineSubject&);
/// The names of the study's protected files; empty if there are none.
std::string protected_note(const kernel::StudyTerms&);
/// "improve v3"
std::string code_about(const kernel::CodeStep&);
/// The subject in words, for people.
std::string subject_words(const kernel::StudyTerms&, const kernel::LineSubject&);

/// The notes for a step, for the review of a version or of code that an agent amended; empty for other subjects.
/// `fetch` returns a blob's bytes.
std::string code_notes(const kernel::Study&, const kernel::LineSubject&, const FetchText&);

/// Outcome, metrics, and the ends of stdout and stderr. No times, which differ in a replay. `fetch` returns a blob's
/// bytes.
std::string scratch_text(const kernel::Run&, const FetchText&);

}  // namespace agents
