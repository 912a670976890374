#pragma once
// How a job without a sandbox runs in an image: by `apptainer exec`, in namespaces of its own, with the run's folders
// at their own places. Pure.

#include <map>
#include <string>
#include <vector>

#include "executors/local/job_environment.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// A command that runs `arguments` with `environment` in the image. Precondition: the job names one.
/// `contained`: nothing of the person's home and of /tmp is shown.
struct ApptainerCommand {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  ///< Of Apptainer itself, which passes the job's on.
};
ApptainerCommand run_in_apptainer(const kernel::JobSpec&, const JobPlaces&, bool contained,
                                  const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment, const std::string& apptainer);

}  // namespace executors
