#pragma once
// Names and format versions of a run folder's files, for the supervisor and for its readers. docs/run-folder.md
// describes each file. Includes no code of either side.

#include <cstdint>
#include <string_view>

namespace supervisor {

inline constexpr char job_file[] = "job";
inline constexpr char claim_file[] = "claim";
inline constexpr char lock_file[] = "lock";
inline constexpr char outcome_file[] = "outcome";
inline constexpr char metrics_file[] = "metrics.jsonl";
inline constexpr char params_file[] = "params.json";
inline constexpr char gpus_file[] = "gpus";
/// In the home, of a launch that was submitted to a cluster (executors/slurm).
inline constexpr char submission_file[] = "slurm";
inline constexpr char work_folder[] = "work";
inline constexpr char out_folder[] = "out";
inline constexpr char tmp_folder[] = "tmp";
inline constexpr char checkpoint_folder[] = "checkpoint";
/// Of a job without a sandbox that continues another run: links to that run's files.
inline constexpr char continue_folder[] = "continue";
/// The evaluation's own run folder: work, tmp, metrics and logs.
inline constexpr char evaluator_folder[] = "evaluator";

inline constexpr std::string_view job_magic = "etude-job 1";
inline constexpr std::string_view outcome_magic = "etude-outcome 1";
inline constexpr std::string_view gpus_magic = "etude-gpus 1";
/// Prefix of the keys of an outcome's microjoules; the zone's name follows.
inline constexpr std::string_view energy_key = "energy_uj.";
/// Key in a job file: all later keys belong to the evaluation.
inline constexpr std::string_view evaluation_key = "evaluation";
/// Prefix of keys in an outcome: `evaluator_end`, `evaluator_exit` and so on.
inline constexpr std::string_view evaluator_prefix = "evaluator_";
/// A claim's first line is its token, or this and the token; after a void claim no job may start. A supervisor's claim
/// continues with the lines `pid=`, `start=`, `boot=` and, once the job runs, `started=`.
inline constexpr std::string_view void_claim = "void ";

/// Without a sandbox every process of a run has its token in this variable, so that it can be found and killed.
inline constexpr std::string_view token_variable = "ETUDE_TOKEN=";
/// Of a supervisor that a cluster's scheduler starts: the devices of its job, as CUDA_VISIBLE_DEVICES has them.
inline constexpr char node_devices_variable[] = "ETUDE_NODE_DEVICES";
/// Place of the job's init inside the sandbox.
inline constexpr char init_inside[] = "/etude/init";

/// NAME.head holds a stream's first bytes in order. Every later byte o is in NAME.tail, a ring of `log_keep` bytes
/// after a header of `log_header` bytes, at log_header + (o - log_keep) mod log_keep. The header is
/// `log_magic` and the stream's length so far, as a little-endian 64-bit number.
inline constexpr std::uint64_t log_keep = 8 << 20;
inline constexpr std::uint64_t log_header = 16;
inline constexpr std::string_view log_magic = "etudelog";

/// Marks of the order in which the bytes of both streams came: `order_magic`, the number of marks so far, and two
/// positions up to which the order is settled. Then the marks, two positions each. All numbers have 64 bits and are
/// little-endian.
inline constexpr char order_file[] = "log-order";
inline constexpr std::string_view order_magic = "etudeord";

/// `etude-supervisor --status` prints the kernel's status of its own process, for the probe of the sandbox.
inline constexpr char status_option[] = "--status";

/// Exit statuses of a supervisor; all except `left_outcome` mean that it wrote no outcome.
enum Leaving { left_outcome = 0, bad_usage = 64, bad_job = 65, claimed_before = 66, no_lock = 67, io_error = 74 };

}  // namespace supervisor
