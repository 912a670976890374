#pragma once
// The names and format versions of a run folder's files, shared by the supervisor and by whoever reads after it.
// docs/run-folder.md describes each. Knows no code of either side.

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
inline constexpr char work_folder[] = "work";
inline constexpr char out_folder[] = "out";
inline constexpr char tmp_folder[] = "tmp";
inline constexpr char checkpoint_folder[] = "checkpoint";
/// A run folder of its own, of the evaluation: work, tmp, metrics and logs.
inline constexpr char evaluator_folder[] = "evaluator";

inline constexpr std::string_view job_magic = "etude-job 1";
inline constexpr std::string_view outcome_magic = "etude-outcome 1";
inline constexpr std::string_view gpus_magic = "etude-gpus 1";
/// An outcome's microjoules of one zone stand under this and the zone's name.
inline constexpr std::string_view energy_key = "energy_uj.";
/// In a job file: all keys after this one are the evaluation's.
inline constexpr std::string_view evaluation_key = "evaluation";
/// In an outcome: `evaluator_end`, `evaluator_exit` and so on.
inline constexpr std::string_view evaluator_prefix = "evaluator_";
/// A claim's first line is its token, or this and the token: then nothing may start any more. A supervisor's claim goes
/// on with `pid=`, `start=`, `boot=` and, once the job runs, `started=` lines.
inline constexpr std::string_view void_claim = "void ";

/// Without a sandbox every process of a run carries its token in this variable, so that it can be found and killed.
inline constexpr std::string_view token_variable = "ETUDE_TOKEN=";
/// Where the sandbox shows the init of the job's processes.
inline constexpr char init_inside[] = "/etude/init";

/// A stream's first bytes lie in NAME.head as they came. Every later byte o lies in NAME.tail, a ring of `log_keep`
/// bytes behind a header of `log_header` bytes, at log_header + (o - log_keep) mod log_keep. The header is
/// `log_magic` and the stream's length so far, as a little-endian 64-bit number.
inline constexpr std::uint64_t log_keep = 8 << 20;
inline constexpr std::uint64_t log_header = 16;
inline constexpr std::string_view log_magic = "etudelog";

/// How a supervisor leaves; everything but `left_outcome` means that it wrote none.
enum Leaving { left_outcome = 0, bad_usage = 64, bad_job = 65, claimed_before = 66, no_lock = 67, io_error = 74 };

}  // namespace supervisor
