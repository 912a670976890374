#pragma once
// The interface of the place where jobs run: launch, harvest, cleaning, capacity, and the programs of commands. The
// local machine is one backend (executors/local); `make_backend` chooses it. Independent of study states, agents and
// the database. A backend holds no state that threads share: any thread may call it at any time.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "executors/backend/harvest.h"
#include "kernel/domain/records.h"
#include "kernel/domain/study_spec.h"
#include "kernel/loop/admission.h"
#include "kernel/loop/executor.h"

namespace executors {

/// Environment variables: name → value.
using Variables = std::map<std::string, std::string>;

/// A request to find programs.
struct EnvironmentQuery {
  kernel::EnvironmentSpec environment;
  std::vector<kernel::CommandTemplate> commands;
  std::string workspace;  ///< The author's folder, absolute; used for `./program`, `.python-version` and `.venv`.
  std::string folder;     ///< Absolute: relative paths of `environment.use` start here, and `activate` lines run in it.
  /// Possible values of placeholders, e.g. a factor's levels, for commands whose program is a placeholder.
  std::map<std::string, std::vector<std::string>> values;
  /// The commands come from an untrusted author, so even a version query is a risk: only the system's programs and
  /// those on PATH are executed or shown, for any environment or path that the commands name.
  bool untrusted = false;
  bool sandboxed = true;  ///< False: some runs want no sandbox.
  std::string kept{};     ///< HOME/kept, where an image is unpacked; needed to resolve `apptainer:`.
};
/// The query for a study file.
EnvironmentQuery query_of(const kernel::StudySpec&);

/// The run folder of a launch of this home that holds a file of this name; empty if there is none.
std::string launch_with(const std::string& home, const std::string& file);

/// Variables that a job takes from the environment in which its study started: locale, time zone, and those in `pass`.
Variables passed_on(const Variables& own, const std::vector<std::string>& pass);

struct SandboxProbe {
  bool works = false;
  std::string bwrap;    ///< Absolute path; empty if not installed.
  std::string version;  ///< As bubblewrap reports it.
  std::string why;      ///< The problem, if it does not work.
  std::string remedy;   ///< How a person can solve the problem, as exactly as possible.
  std::string walls;    ///< If it does not work: what holds a job instead, such as "Landlock 6, a filter of …".
};

/// What the runs of a study need of the nodes of a cluster.
struct NodeNeeds {
  std::vector<std::string> paths;            ///< Files and folders, absolute.
  std::vector<std::string> nodes;            ///< Those that runs name; none: any that can have the runs.
  std::vector<kernel::Resources> resources;  ///< Of one run, for each stage.
};
/// The needs of a study file's runs; without paths.
NodeNeeds node_needs(const kernel::StudySpec&);

/// What the machines that run jobs say of runs with such needs.
struct NodesAnswer {
  std::optional<kernel::Problem> problem{};  ///< With its remedy, if one lacks something.
  int kinds = 1;                             ///< Of machines that the runs may get; they may differ in speed.
};

enum class Health { ok, warn, missing };

/// Whether one thing that runs need is present. `missing`: studies cannot run without it.
struct MachineCheck {
  std::string name;
  Health health = Health::ok;
  std::string detail;  ///< The observed state.
  std::string remedy;  ///< Empty if there is nothing to repair.
};

/// A thing outside a home that its runs need: a copy of a thing of the home, a folder of a launch, or a program.
struct Elsewhere {
  std::string path;
  std::string of;  ///< What it stands for in the home, as an absolute path; empty for a program of every launch.
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Its name in the configuration and for --executor.
  virtual std::string name() const = 0;
  /// Prepares the place for jobs of this home. The problem, with its remedy, if it cannot take them. Precondition: the
  /// caller owns the home and has started no job.
  virtual std::optional<kernel::Problem> open_for(const std::string& home) const = 0;
  /// A problem if launches of this home are another backend's, which only that one can follow or end.
  virtual std::optional<kernel::Problem> launches_of_another(const std::string& home) const = 0;
  /// The folder outside every home that runs write into; empty if there is none.
  virtual std::string shared_folder() const { return ""; }
  /// What lies there for this home.
  virtual std::vector<Elsewhere> elsewhere(const std::string&) const { return {}; }

  /// Launches jobs. Its destruction stops the listening; jobs continue.
  virtual std::unique_ptr<kernel::Executor> executor(kernel::JobListener) const = 0;

  /// The outputs of the run in this folder so far, on this machine.
  virtual Harvest harvest(const std::string& run_folder) const = 0;

  /// True if a job still runs, or may start, in the folder.
  virtual bool is_supervised(const std::string& run_folder) const = 0;
  /// Ends a launch that no kernel tracks: voided if it has not begun; else all its processes are killed. False if some
  /// did not die. Precondition: no kernel uses its token.
  virtual bool end_stray(const std::string& run_folder) const = 0;
  /// Removes a folder of a launch, or the checkpoint of a chain. Precondition: the launch ended or was voided.
  virtual void remove(const std::string& run_folder) const = 0;

  /// Resources that can be leased. Throws std::runtime_error if a declaration of devices is wrong.
  virtual kernel::Machine machine() const = 0;
  /// Number of cores that runs may use; at least 1.
  virtual int cores() const = 0;
  /// Facts on the machine for the record of an environment, as far as known: arch, cores, cpu, kernel, memory, os,
  /// cuda, driver, gpu.
  virtual std::map<std::string, std::string> machine_facts() const = 0;

  /// Finds the programs and libraries of commands, so that jobs get exactly these. `own`: the caller's environment.
  /// Refuses by name a program that cannot be the same in a job.
  virtual kernel::Result<kernel::EnvironmentRecord> resolve(const EnvironmentQuery&, const Variables& own) const = 0;
  /// Without a problem also if no machine that runs jobs is free to be asked.
  virtual NodesAnswer ask_nodes(const std::string& /*home*/, const NodeNeeds&) const { return {}; }
  /// Programs of the commands that are not there, as far as that is known without starting one.
  virtual std::vector<kernel::Problem> missing_programs(const EnvironmentQuery&, const Variables& own) const = 0;
  /// What `environment.use` names, as far as that is known without starting a program. None for `system`, and for an
  /// environment that is not there, which `missing_programs` tells.
  virtual std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery&,
                                                                 const Variables& own) const = 0;
  /// Whether jobs can have a sandbox. `own`: its PATH is used to find programs.
  virtual SandboxProbe probe_sandbox(const Variables& own) const = 0;
  /// Lines of `etude doctor` for this backend, in reading order.
  virtual std::vector<MachineCheck> checks(const Variables& own) const = 0;
};

}  // namespace executors
