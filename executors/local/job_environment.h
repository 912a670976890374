#pragma once
// The environment of a job and the values of the placeholders that only an executor can set. Both are allow-lists: a
// variable of the kernel's own environment is passed on only if the study or this list names it.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "kernel/domain/job_spec.h"

namespace executors {

/// Paths as the job sees them.
struct JobPlaces {
  std::string work, out, metrics, params, checkpoint, home, tmp;
  std::map<std::string, std::string> data;  ///< By name.
  std::string continued{};                  ///< The folder with the files of `JobSpec::continued`; empty: none.
};
JobPlaces places_inside(const kernel::JobSpec&);
/// `checkpoint`: absolute. HOME is the person's home: a job without a sandbox is the person's decision.
JobPlaces places_outside(const kernel::JobSpec&, const std::string& checkpoint, const std::string& home);

/// The evaluation's places for a job with these: the job's outputs are shared, everything else is its own.
JobPlaces evaluator_places(const kernel::JobSpec&, const JobPlaces& job);

/// `own`: the kernel's environment. PYTHONHASHSEED is the run's seed, so that runs are reproducible.
std::map<std::string, std::string> job_environment(const kernel::JobSpec&, const JobPlaces&,
                                                   const std::map<std::string, std::string>& own);

/// The same for the evaluation with these places: ETUDE_JOB_OUTPUT and ETUDE_JOB_CODE replace the variables for
/// outputs.
std::map<std::string, std::string> evaluator_environment(const kernel::JobSpec&, const JobPlaces&,
                                                         const std::map<std::string, std::string>& own);

/// The spec's values, {run_dir} (the output folder), {data.X} and {port}.
std::map<std::string, std::string> placeholder_values(const kernel::JobSpec&, const JobPlaces&, int port);

/// Chooses a port for each job on this machine.
class JobPorts {
 public:
  /// A free one that was not given to one of the latest jobs, which may not listen yet; 0 if the job needs none. In a
  /// network of its own every port is free. `elsewhere`: the job runs on another machine, so a random one.
  int port_for(const kernel::JobSpec&, bool elsewhere);

 private:
  std::deque<int> latest_;
};

/// Where the processes of a run on several devices meet, as PyTorch's libraries and its launcher read it.
void add_rendezvous(int port, std::map<std::string, std::string>& environment);

/// The share of its device for the job, in variables that the study may override. `device_bytes`: the device's memory.
/// `mps`: the folder of NVIDIA's server, which enforces the share; empty: there is none, or the job cannot reach it.
void add_share(const kernel::JobSpec&, std::optional<std::int64_t> device_bytes, const std::string& mps,
               std::map<std::string, std::string>& environment);
/// The folder of a running MPS daemon; empty if there is none. `own`: the kernel's environment.
std::string mps_folder(const std::map<std::string, std::string>& own);

}  // namespace executors
