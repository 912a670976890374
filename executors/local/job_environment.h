#pragma once
// What a job is told: its environment and the values of the placeholders only an executor knows. Everything is an
// allow-list; nothing of the kernel's own environment passes unless the study or this list names it.

#include <map>
#include <string>

#include "kernel/domain/job_spec.h"

namespace executors {

/// Where things are, as the job sees them.
struct JobPlaces {
  std::string work, out, metrics, params, checkpoint, home, tmp;
  std::map<std::string, std::string> data;  ///< By name.
};
JobPlaces places_inside(const kernel::JobSpec&);
/// `checkpoint`: absolute. The home is the person's own: without sandbox a job is on their word.
JobPlaces places_outside(const kernel::JobSpec&, const std::string& checkpoint, const std::string& home);

/// The evaluation's, for a job with these: its outputs are what the job's were, all else is its own.
JobPlaces evaluator_places(const kernel::JobSpec&, const JobPlaces& job);

/// `own`: the kernel's environment. PYTHONHASHSEED is the run's seed, so that a run is the same twice.
std::map<std::string, std::string> job_environment(const kernel::JobSpec&, const JobPlaces&,
                                                   const std::map<std::string, std::string>& own);

/// The same for the evaluation, whose places these are: ETUDE_JOB_OUTPUT instead of what a job writes to.
std::map<std::string, std::string> evaluator_environment(const kernel::JobSpec&, const JobPlaces&,
                                                         const std::map<std::string, std::string>& own);

/// The spec's values, {run_dir} (the output folder), {data.X} and, if the command names it, a free {port}.
std::map<std::string, std::string> placeholder_values(const kernel::JobSpec&, const JobPlaces&);

}  // namespace executors
