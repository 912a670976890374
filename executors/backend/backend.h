#pragma once
// All that a kernel, or a command line, needs of the place where jobs run: launch, harvest, cleaning, capacity, and
// what commands find there. The local machine is one (executors/local); `make_backend` says which there are. It knows
// nothing of studies' states, agents or the database. A backend holds no state that threads share: any thread, at any
// time.

#include <map>
#include <memory>
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

/// Which programs are to be found, and where.
struct EnvironmentQuery {
  kernel::EnvironmentSpec environment;
  std::vector<kernel::CommandTemplate> commands;
  std::string workspace;  ///< The author's folder, absolute: for `./program`, `.python-version` and `.venv`.
  std::string folder;     ///< What a relative `venv:PATH` starts from, absolute.
  /// What a placeholder may stand for, e.g. a factor's levels: for commands whose program is a placeholder.
  std::map<std::string, std::vector<std::string>> values;
  /// Written by a stranger, so that asking is already a risk: only the system's programs and those on PATH are executed
  /// or shown, whatever environment or path it names.
  bool strangers = false;
};
/// The query of a study file.
EnvironmentQuery query_of(const kernel::StudySpec&);

/// What a job takes over of the environment its study was started in: locale, time zone, and what `pass` names.
Variables passed_on(const Variables& own, const std::vector<std::string>& pass);

struct SandboxProbe {
  bool works = false;
  std::string bwrap;    ///< Absolute path; empty: not installed.
  std::string version;  ///< As it says itself.
  std::string why;      ///< What is missing, if it does not work.
  std::string remedy;   ///< What a person can do about it, as exact as can be known.
};

enum class Health { ok, warn, missing };

/// Whether one thing that runs need is there. `missing`: studies cannot do without it.
struct MachineCheck {
  std::string name;
  Health health = Health::ok;
  std::string detail;  ///< What was found.
  std::string remedy;  ///< Empty when there is nothing to mend.
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Launches jobs, and stops listening when it is destroyed: jobs go on.
  virtual std::unique_ptr<kernel::Executor> executor(kernel::JobListener) const = 0;

  /// What the run of this folder has left so far, here on this machine.
  virtual Harvest harvest(const std::string& run_folder) const = 0;

  /// Whether something still runs, or may start, in the folder.
  virtual bool is_supervised(const std::string& run_folder) const = 0;
  /// Ends a launch that nobody answers for: voided if it has not begun; else all of it is killed. False where something
  /// of it would not die. Precondition: no kernel knows its token.
  virtual bool end_stray(const std::string& run_folder) const = 0;
  /// Removes a launch's folder, as far as that is allowed. Precondition: the launch ended or was voided.
  virtual void remove(const std::string& run_folder) const = 0;

  /// What there is to lease. Throws std::runtime_error where a declaration of devices is wrong.
  virtual kernel::Machine machine() const = 0;
  /// Cores that runs may use; at least 1.
  virtual int cores() const = 0;
  /// What runs there run on, for the record of an environment: arch, cores, cpu, kernel, memory, os, as far as known.
  virtual std::map<std::string, std::string> machine_facts() const = 0;

  /// Finds the programs and libraries of commands, so that jobs get exactly these. `own`: the environment of whoever
  /// asks. A program that cannot be the same in a job is refused by name.
  virtual kernel::Result<kernel::EnvironmentRecord> resolve(const EnvironmentQuery&, const Variables& own) const = 0;
  /// Whether jobs can have a sandbox. `own`: programs are found by its PATH.
  virtual SandboxProbe probe_sandbox(const Variables& own) const = 0;
  /// What `etude doctor` says of it, in the order in which people should read it.
  virtual std::vector<MachineCheck> checks(const Variables& own) const = 0;
};

}  // namespace executors
