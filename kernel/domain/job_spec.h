#pragma once
// A job as an executor takes it, and how it ended. Plain values; they know nothing of studies, agents or the database.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"
#include "kernel/domain/usage.h"

namespace kernel {

/// A read-only folder or file a job may see as /etude/data/NAME.
struct DataMount {
  std::string name;
  std::string path;         ///< Absolute, outside.
  std::string placeholder;  ///< What names it in the command: "data.corpus", "train.ckpt".
};

/// Where a job's programs come from, resolved once per study outside the sandbox.
struct Toolchain {
  std::vector<std::string> path;      ///< PATH entries inside, in order.
  std::vector<std::string> prefixes;  ///< Absolute folders and files outside /usr, mounted read-only at the same place.
  std::map<std::string, std::string> variables;  ///< e.g. VIRTUAL_ENV
};

/// The evaluation of a job that has succeeded, after all its processes are gone: by a process in a sandbox of its own,
/// over a fresh copy of the workspace, with the job's outputs to read.
struct Evaluation {
  Tier tier = Tier::none;
  CommandTemplate command;
  std::vector<DataMount> data;  ///< Read-only in its working directory, by these names; no job sees them.
  /// Absolute path of the snapshot that it has a copy of: the person's own, whatever version the job ran.
  std::string workspace{};
};

/// Everything one attempt of one run needs; complete, so that an executor asks nobody.
struct JobSpec {
  std::string run;    ///< The run's id: ETUDE_RUN.
  std::string stage;  ///< An earlier stage's name; empty: the run measures.
  LaunchToken token;
  std::string folder;                ///< Absolute path of the run's own folder; created by the executor.
  std::string workspace;             ///< Absolute path of the snapshot that is copied into the run.
  std::string in_place{};            ///< Absolute: the job runs in this folder, and gets no copy; never in a sandbox.
  std::vector<std::string> protect;  ///< Files below the workspace that the job may read, but not change.
  std::string checkpoint;  ///< Absolute path of the folder that survives along retry_of; empty: one of the run's own.
  CommandTemplate command;
  std::map<std::string, std::string>
      values;               ///< Placeholders already known; the executor adds {run_dir} {port} {data.X}.
  std::string params_json;  ///< Content of ETUDE_PARAMS.
  std::vector<DataMount> data;
  std::vector<DataMount> prepared;  ///< Seen read-only in the working directory, by these names; in the sandbox only.
  Toolchain toolchain;
  std::map<std::string, std::string> set;  ///< environment.set
  std::vector<std::string> pass;           ///< environment.pass
  /// What the study took over of the environment it was started in; none: take it from the kernel's own.
  std::optional<std::map<std::string, std::string>> passed;
  Resources resources;
  std::vector<std::string> gpus;  ///< Ids (uuid or index) of the devices the run has leased: it sees no others.
  std::uint64_t seed = 0;
  int attempt = 1;  ///< ETUDE_ATTEMPT, counts along retry_of.
  std::optional<Evaluation> evaluation{};
};

/// `no_room`: the disk of the run folder was full, and whatever happened may be its doing. New ones come last: stored
/// states hold their places.
enum class JobEnd {
  exited,
  signalled,
  timed_out,
  memory,
  disk,
  cancelled,
  failed_to_start,
  voided,
  lost,
  processes,
  no_room
};

/// How the evaluation of a job ended.
struct EvaluatorOutcome {
  JobEnd end = JobEnd::exited;
  int exit = 0;
  int signal = 0;
  std::string reason;
  std::int64_t started_ms = 0, ended_ms = 0;

  bool succeeded() const { return end == JobEnd::exited && exit == 0; }
};

/// How one job ended. Wall times are milliseconds since the epoch and only for display.
struct JobOutcome {
  std::string run;
  LaunchToken token;
  std::string stage;  ///< JobSpec::stage; not part of the record.
  JobEnd end = JobEnd::exited;
  int exit = 0;
  int signal = 0;
  std::string reason;  ///< One line for people: "timed out after 60 s", "memory: 1.2 GB used, 1 GB allowed".
  std::int64_t started_ms = 0, ended_ms = 0;
  Usage usage;  ///< With that of the evaluation.
  bool sandboxed = false;
  Tier tier{};                                  ///< Evaluation::tier; not part of the record.
  BoxedOptional<EvaluatorOutcome> evaluator{};  ///< None: it was not evaluated.
};

}  // namespace kernel
