#pragma once
// A job as an executor receives it, how it ended, and the resources that it used, as measured. Plain values,
// independent of studies, agents and the database. Measures without a counter are absent, never estimated.

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/boxed_optional.h"
#include "kernel/domain/identifiers.h"
#include "kernel/domain/reason.h"

namespace kernel {

/// A command as the author wrote it, with placeholders.
struct CommandTemplate {
  bool shell = true;  ///< true: `words[0]` is for `sh -c`; false: argv.
  std::vector<std::string> words;
};

/// The evaluator command that scores a run.
enum class Tier { none, validation, test };

enum class SandboxMode {
  automatic,  ///< The sandbox; where a machine can make none, what else holds a job there.
  none,
  required,
};
/// Key in EnvironmentRecord::machine: what holds the jobs of a study that began where no sandbox could be made.
inline constexpr char walls_fact[] = "walls";

/// Resource limits of one run; members that are not set do not limit it.
struct Resources {
  int cpus = 1;
  int gpus = 0;  ///< Devices; not shared with other runs of this kernel, unless the run asks for a share.
  std::optional<std::int64_t> gpu_memory_bytes;  ///< Required of each device, or of the share of it.
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> disk_bytes;
  std::optional<double> timeout_s;
  bool network = false;
  SandboxMode sandbox = SandboxMode::automatic;
  std::optional<int> gpu_share{};  ///< Thousandths of the one device, below 1000; none: whole devices.
  /// Part of the name of the devices' model, in any case; empty: any, but all runs of a study get one model.
  std::string gpu_type{};
  std::string node{};  ///< The factor whose level names the run's node in a cluster; empty, or not varied: any node.

  /// What is counted as GPU hours in an hour.
  double devices() const { return gpu_share ? *gpu_share / 1000.0 : gpus; }
};

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

/// The evaluation of a successful job. It reads the job's outputs in its own sandbox, over a new copy of the workspace.
struct Evaluation {
  Tier tier = Tier::none;
  CommandTemplate command;
  std::vector<DataMount> data;  ///< Read-only in its working directory under these names; no job sees them.
  /// Absolute path of the snapshot that it gets a copy of: a person's code, even if the job ran a version by an agent.
  std::string workspace{};
};

/// Everything that an executor needs for one attempt of one run.
struct JobSpec {
  std::string run;         ///< The run's id, which no job sees.
  std::string stage;       ///< An earlier stage's name; empty if the run measures.
  LaunchToken token;       ///< Its beginning is ETUDE_RUN.
  std::string folder;      ///< Absolute path of the run's own folder; the executor creates it.
  std::string workspace;   ///< Absolute path of the snapshot that is copied into the run.
  std::string in_place{};  ///< Absolute path: the job runs in this folder itself, without a copy and without a sandbox.
  std::vector<std::string> protect;  ///< Files below the workspace that the job may read, but not change.
  std::string checkpoint;            ///< Absolute path, shared along retry_of; empty: inside the run's own folder.
  CommandTemplate command;
  std::map<std::string, std::string> values;  ///< Values of placeholders; the executor adds {run_dir} {port} {data.X}.
  std::string params_json;                    ///< Content of ETUDE_PARAMS.
  std::vector<DataMount> data;
  /// Files of the run that it continues, by their paths in that run's folder. The job finds them, read-only, below the
  /// folder that ETUDE_CONTINUE names.
  std::vector<DataMount> continued{};
  bool leaves_files = false;        ///< JobOutcome::leaves_files
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

/// `no_room`: the run folder's disk was full, which may cause any failure. `memory`: of the machine, by a limit or
/// because the job got no more; `gpu_memory`: its device had none left. Append only: stored states hold numbers.
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
  no_room,
  gpu_memory
};

struct EvaluatorOutcome {
  JobEnd end = JobEnd::exited;
  int exit = 0;
  int signal = 0;
  Reason reason;
  std::int64_t started_ms = 0, ended_ms = 0;

  bool succeeded() const { return end == JobEnd::exited && exit == 0; }
};

/// The sum rounded to a microjoule, the counters' resolution; this avoids binary rounding errors.
inline double add_joules(double a, double b) {
  return std::round((a + b) * 1e6) / 1e6;
}

/// Increase of energy counters while a job ran: of whole sockets and devices, including other users of them.
struct Energy {
  std::map<std::string, double> counters;  ///< Joules by counter: "package-0", "package-0.dram", a GPU's uuid.
  std::string source;                   ///< "rapl:package-0+package-0.dram", "nvml:GPU-5f1c"; both if there are both.
  std::int64_t from_ms = 0, to_ms = 0;  ///< The window; milliseconds since the epoch.
  bool exclusive = false;               ///< No other run of this kernel overlapped the window.

  /// The sum, to the microjoule.
  double joules() const {
    double sum = 0;
    for (const auto& [counter, joules] : counters) sum = add_joules(sum, joules);
    return sum;
  }
};

/// Usage of the job's devices, sampled while it ran. Absent if no device can report it.
struct GpuUsage {
  std::optional<double> utilisation_mean, utilisation_max;  ///< Share of time, 0 to 1; the mean is also over devices.
  std::optional<std::int64_t> memory_peak_bytes;            ///< Of the device with the highest peak.
  std::int64_t samples = 0;
};

/// Load of the whole machine while a job ran.
struct MachineUse {
  double others_cpus = 0;  ///< Average number of processors that other processes kept busy.
  double used_cpus = 0;    ///< Average number of busy processors.
  int cpus = 0;            ///< Number of processors.
};

struct Usage {
  double cpu_s = 0;
  double wall_s = 0;
  std::int64_t rss_peak_bytes = 0;
  std::int64_t read_bytes = 0, written_bytes = 0;
  BoxedOptional<Energy> energy{};
  BoxedOptional<GpuUsage> gpu{};
  std::optional<MachineUse> machine = std::nullopt;
};

/// True if at least 90 % of the processors were busy and others used at least 10 %: the job may have waited for a
/// processor, and it shared caches and memory.
inline bool was_busy(const Usage& usage) {
  const auto& m = usage.machine;
  return m && m->cpus >= 1 && m->used_cpus >= 0.9 * m->cpus && m->others_cpus >= 0.1 * m->cpus;
}

/// How one job ended. Wall times are milliseconds since the epoch and only for display.
struct JobOutcome {
  std::string run;
  LaunchToken token;
  std::string stage;  ///< JobSpec::stage; not part of the record.
  JobEnd end = JobEnd::exited;
  int exit = 0;
  int signal = 0;
  Reason reason;  ///< Such as `job_timed_out` or `memory_exceeded`.
  std::int64_t started_ms = 0, ended_ms = 0;
  Usage usage;  ///< Includes the evaluation's usage.
  bool sandboxed = false;
  Tier tier{};                                   ///< Evaluation::tier; not part of the record.
  BoxedOptional<EvaluatorOutcome> evaluator{};   ///< None if the job was not evaluated.
  BoxedOptional<std::string> usage_over_time{};  ///< CSV; not part of the record, which names its blob.
  bool leaves_files{};  ///< It must leave the files of Fidelity::continues, which are kept; not part of the record.
  std::string node{};   ///< Where it ran in a cluster; empty on this machine, or if unknown.
};

}  // namespace kernel
