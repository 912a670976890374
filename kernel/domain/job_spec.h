#pragma once
// A job as an executor receives it, and how it ended. Plain values, independent of studies, agents and the database.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"
#include "kernel/domain/usage.h"

namespace kernel {

/// A read-only folder or file that a job sees as /etude/data/NAME.
struct DataMount {
  std::string name;
  std::string path;         ///< Absolute path outside the sandbox.
  std::string placeholder;  ///< Its name in the command: "data.corpus", "train.ckpt".
};

/// Programs of a job, resolved once per study outside the sandbox.
struct Toolchain {
  std::vector<std::string> path;      ///< PATH entries inside the sandbox, in order.
  std::vector<std::string> prefixes;  ///< Absolute folders and files outside /usr, mounted read-only at the same place.
  std::map<std::string, std::string> variables;  ///< e.g. VIRTUAL_ENV
};

/// The evaluation of a successful job, after all its processes have ended. It runs in its own sandbox over a fresh copy
/// of the workspace and reads the job's outputs.
struct Evaluation {
  Tier tier = Tier::none;
  CommandTemplate command;
  std::vector<DataMount> data;  ///< Read-only in its working directory under these names; no job sees them.
  /// Absolute path of the snapshot that it gets a copy of: a person's code, even if the job ran a version by an agent.
  std::string workspace{};
};

/// Everything that an executor needs for one attempt of one run.
struct JobSpec {
  std::string run;    ///< The run's id: ETUDE_RUN.
  std::string stage;  ///< An earlier stage's name; empty if the run measures.
  LaunchToken token;
  std::string folder;      ///< Absolute path of the run's own folder; the executor creates it.
  std::string workspace;   ///< Absolute path of the snapshot that is copied into the run.
  std::string in_place{};  ///< Absolute path: the job runs in this folder itself, without a copy and without a sandbox.
  std::vector<std::string> protect;  ///< Files below the workspace that the job may read, but not change.
  std::string checkpoint;            ///< Absolute path, shared along retry_of; empty: inside the run's own folder.
  CommandTemplate command;
  std::map<std::string, std::string> values;  ///< Values of placeholders; the executor adds {run_dir} {port} {data.X}.
  std::string params_json;                    ///< Content of ETUDE_PARAMS.
  std::vector<DataMount> data;
  std::vector<DataMount> prepared;  ///< Read-only in the working directory under these names; only in a sandbox.
  Toolchain toolchain;
  std::map<std::string, std::string> set;  ///< environment.set
  std::vector<std::string> pass;           ///< environment.pass
  /// Variables that the study recorded from the environment in which it started; none: use the kernel's environment.
  std::optional<std::map<std::string, std::string>> passed;
  Resources resources;
  std::vector<std::string> gpus;  ///< Ids (uuid or index) of the leased devices; the job sees no others.
  std::uint64_t seed = 0;
  int attempt = 1;  ///< ETUDE_ATTEMPT; counts along retry_of.
  std::optional<Evaluation> evaluation{};
};

/// `no_room`: the disk of the run folder was full, which may have caused any other failure. Append new enumerators at
/// the end: stored states hold their numbers.
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
  Usage usage;  ///< Includes the evaluation's usage.
  bool sandboxed = false;
  Tier tier{};                                  ///< Evaluation::tier; not part of the record.
  BoxedOptional<EvaluatorOutcome> evaluator{};  ///< None if the job was not evaluated.
};

}  // namespace kernel
