#pragma once
// Studies that no kernel works on: finds those that an earlier kernel left unfinished, finds what prevents resuming
// one, and records a person's command for one. Starts nothing.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/session/home/home.h"
#include "apps/session/prepare/captured_work.h"
#include "apps/session/prepare/fork.h"
#include "apps/session/prepare/import.h"
#include "apps/session/prepare/prepare.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/tagging.h"
#include "kernel/study/state.h"

namespace session {

/// The kernel's refusal as a problem of the study.
kernel::Problem refusal(const std::string& study, const std::string& reason);

enum class Recording { done, owned };

/// `owned`: a kernel owns the home and must be asked instead. A problem if the study or the command is refused.
/// `config`: the configuration file with the keys to redact; empty for the default.
kernel::Result<Recording> record(const HomePaths&, const kernel::Command&, const std::string& config);

/// The same for code that was amended.
kernel::Result<Recording> record_amendment(const HomePaths&, const executors::Backend&, const AmendRequest&,
                                           const std::string& config);

/// The same for a fork; returns the new study's id, empty if a kernel owns the home.
kernel::Result<std::string> record_fork(const HomePaths&, const ForkRequest&);

/// The same for a study that captures the work in a folder; returns its id, empty if a kernel owns the home.
kernel::Result<std::string> record_capture(const HomePaths&, const executors::Backend&, const CaptureRequest&,
                                           const std::string& config);

/// The same for a change of a study's tags, also of one that has ended.
kernel::Result<Recording> record_tagging(const HomePaths&, const std::string& study, const kernel::Tagging&,
                                         const std::string& config);

/// The same for the import of an artifact; none if a kernel owns the home.
kernel::Result<std::optional<Import>> import_offline(const HomePaths&, const ImportRequest&);

/// The studies that `resume` without an id resumes: those that a crash, an interrupt or a full disk stopped, without
/// those that the home's owner works on.
std::vector<std::string> stopped_studies(const std::string& home, const std::set<std::string>& in_hand = {});

/// A missing path in HOME/kept that runs still need; without it they would fail. Empty if nothing is missing.
std::string missing_output(const kernel::Study&, const HomePaths&);

/// A path of the evaluator's data that does not exist; without it no run can be scored. Empty if all paths exist.
std::string missing_evaluator_data(const kernel::StudyTerms&);

/// Whether the command starts nothing. For a study that a crash stopped, it is kept for the next `resume`. A process
/// that pauses after an interrupt waits for running jobs.
bool only_recorded(const kernel::CommandBody&);

}  // namespace session
