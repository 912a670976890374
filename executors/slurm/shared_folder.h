#pragma once
// The shared folder of a cluster: what runs of one home need on the nodes lies below SHARED/etude-HOME, at the same
// relative paths as in the home. Workspaces, kept outputs and the supervisor are named by their content, and copied
// once. The home's own run folder stays empty but for the launch's note.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// What the home's run folder says of a launch that was submitted.
struct SubmissionNote {
  std::string submission;  ///< The token of Submission.
  int index = 0;           ///< Its task in the array.
  bool operator==(const SubmissionNote&) const = default;
};
/// False, with errno, if the disk refuses. Creates the folder.
bool write_note(const std::string& run_folder, const SubmissionNote&);
std::optional<SubmissionNote> read_note(const std::string& run_folder);

/// The home of a run folder or a checkpoint: HOME/runs/STUDY/LAUNCH, HOME/try/TRY/run.
std::string home_of(const std::string& run_folder);
/// SHARED/etude-HOME, where HOME stands for the home's path and machine.
std::string shared_home(const std::string& shared, const std::string& home);
/// The place on the nodes of a folder three levels below its home.
std::string shared_place(const std::string& shared, const std::string& run_folder);

struct Published {
  kernel::JobSpec job;  ///< With its places on the nodes.
  int error = 0;        ///< An errno if something could not be copied.
};
/// Copies what the job needs of the home and is not there yet; the same call of another process may go on. Data outside
/// the home keep their paths.
Published publish(const kernel::JobSpec&, const std::string& shared);
/// Why nothing can be written there, with its remedy. `error`: an errno.
kernel::Problem not_written(const std::string& folder, int error);
/// Whether this errno says that a disk or a quota is full.
bool is_full(int error);
/// Copies a program to SHARED/etude-HOME/programs/SHA256/NAME. Its path there.
kernel::Result<std::string> publish_program(const std::string& program, const std::string& shared_home);
/// Removes copies of workspaces and kept outputs that the home no longer has. Precondition: no job of it starts now.
void remove_stale_copies(const std::string& shared, const std::string& home);
/// Everything below SHARED/etude-HOME: copies, programs, launches, and folders that a study left empty.
std::vector<Elsewhere> things_of_home(const std::string& shared, const std::string& home);

}  // namespace executors
