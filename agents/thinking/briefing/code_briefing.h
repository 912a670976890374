#pragma once
// What an engineer is told of code: at the beginning of a step of a search over code, the versions and their results,
// the version that the step starts from, and why it failed if it did; later, how a run that it ordered went. Pure
// except for reading blobs.

#include <functional>
#include <string>

#include "kernel/study/state.h"

namespace agents {

/// A blob's bytes.
using FetchText = std::function<std::string(const std::string& sha256)>;

/// The version that a line of work with that subject looks at; null: it looks at none.
const kernel::CodeVersion* version_meant(const kernel::Study&, const kernel::LineSubject&);
/// The code that the subject's step begins with, or the version that it looks at; null: it is neither.
const kernel::WorkspaceRecord* code_base(const kernel::Study&, const kernel::LineSubject&);
/// The names of the study's protected files; empty if there are none.
std::string protected_note(const kernel::Study&);
/// "improve v3"
std::string code_about(const kernel::CodeStep&);
/// The subject in words, for people.
std::string subject_words(const kernel::Study&, const kernel::LineSubject&);

/// What of the study the step is told, or who looks at a version; `fetch`: of a blob. Empty: it is none of these.
std::string code_notes(const kernel::Study&, const kernel::LineSubject&, const FetchText&);

/// Outcome, metrics, and the ends of stdout and stderr. No times, which differ in a replay. `fetch` returns a blob's
/// bytes.
std::string scratch_text(const kernel::Run&, const FetchText&);

}  // namespace agents
