#pragma once
// The environment of a job and the values of the placeholders that only an executor can set. Both are allow-lists: a
// variable of the kernel's own environment is passed on only if the study or this list names it.

#include <map>
#include <string>

#include "kernel/domain/job_spec.h"

namespace executors {

/// Paths as the job sees them.
struct JobPlaces {
  std::string work, out, metrics, params, checkpoint, home, tmp;
  std::map<std::string, std::string> data;  ///< By name.
};
JobPlaces places_inside(const kernel::JobSpec&);
/// `checkpoint`: absolute. HOME is the person's home: a job without a sandbox is the person's decision.
JobPlaces places_outside(const kernel::JobSpec&, const std::string& checkpoint, const std::string& home);

/// The evaluation's places for a job with these: the job's outputs are shared, everything else is its own.
JobPlaces evaluator_places(const kernel::JobSpec&, const JobPlaces& job);

/// `own`: the kernel's environment. PYTHONHASHSEED is the run's seed, so that runs are reproducible.
std::map<std::string, std::string> job_environment(const kernel::JobSpec&, const JobPlaces&,
                                                   const std::map<std::string, std::string>& own);

/// The same for the evaluation with these places: ETUDE_JOB_OUTPUT replaces the variables for outputs.
std::map<std::string, std::string> evaluator_environment(const kernel::JobSpec&, const JobPlaces&,
                                                         const std::map<std::string, std::string>& own);

/// The spec's values, {run_dir} (the output folder), {data.X} and, if the command names it, {port} with a free port.
std::map<std::string, std::string> placeholder_values(const kernel::JobSpec&, const JobPlaces&);

}  // namespace executors
