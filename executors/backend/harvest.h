#pragma once
// Reads a run's outputs from its folder. They are untrusted: only regular files beneath the folder are read, without
// following links, up to the given size. Logs may be read while the job runs, everything else after its process tree
// has ended. Independent of metrics and blobs.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "executors/backend/line_order.h"
#include "kernel/domain/records.h"

namespace executors {

/// `absent`: there is no such file. `not_written`: it came with the workspace. `unreadable`: it exists.
enum class NoOutput { absent, not_written, unreadable };
struct OutputProblem : kernel::Problem {
  NoOutput kind;
};
template <typename T>
using OutputResult = kernel::Result<T, OutputProblem>;

struct OpenOutput {
  kernel::Fd fd;  ///< Open for reading at its beginning.
  std::int64_t size = 0;
  std::int64_t modified_ms = 0;  ///< Wall clock.
};

/// Opens a regular file below an open folder: openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. `path` is relative.
OutputResult<OpenOutput> open_beneath(int folder, const std::string& path);

/// The beginning of a file; `cut` is true if there is more.
struct Bytes {
  std::string text;
  bool cut = false;
};

struct Output {
  std::string path;  ///< Relative to the output folder.
  std::int64_t size = 0;
};
struct Outputs {
  std::vector<Output> files;  ///< Sorted by path.
  kernel::LeftOut left_out;
};
/// True for wanted files, given their path below the output folder.
using Wanted = std::function<bool(const std::string& path)>;
/// Counts one more file, and names it if few are named so far.
void leave_out(kernel::LeftOut&, const std::string& path, const std::string& why);

enum class OutputStream { out, err };

/// Kept bytes of a stream: [0, head) and [tail, length), that is the first and the last 8 MB.
struct LogExtent {
  std::uint64_t head = 0, tail = 0, length = 0;
};

/// What both streams have so far, and the order of their complete lines; none if it is not known.
struct BothLogs {
  std::string out, err;
  std::optional<LineOrder> order;
};

class Harvest {
 public:
  explicit Harvest(std::string run_folder) : folder_(std::move(run_folder)) {}
  /// The metrics and logs of the job's evaluation.
  Harvest evaluation() const;
  /// The job's working directory, absolute.
  std::string work() const;

  LogExtent log_extent(OutputStream) const;
  /// The kept bytes of [offset, offset + count), with the line `[etude: N bytes left out]` at the gap.
  std::string log(OutputStream, std::uint64_t offset = 0, std::uint64_t count = UINT64_MAX) const;

  /// Both logs of a job that may still run. Later calls only add lines at the end, as long as nothing was left out.
  BothLogs both_logs() const;
  /// The order of all lines of both logs, as `log` returns them after the job's end; none if it is not known.
  std::optional<LineOrder> log_order(std::string_view out, std::string_view err) const;

  /// The first `cap` bytes of the metrics file; empty if the job wrote none.
  kernel::Result<Bytes> metrics(std::int64_t cap) const;
  /// The last bytes of the metrics file, `most` of them; empty if there is none.
  std::string end_of_metrics(std::uint64_t most) const;
  /// A result file by its name in the study: in the output folder, else in the working directory if the job wrote it (a
  /// file of the snapshot is no result). `started_ms`: the job's start. A problem if there is none, or it is not a
  /// regular file or larger than `cap`.
  OutputResult<std::string> result(const std::string& path, std::int64_t cap, std::int64_t started_ms) const;
  /// Absolute path of a stage's output, a file or a folder, by the same rules; no link is followed.
  kernel::Result<std::string> find_result(const std::string& path, std::int64_t started_ms) const;
  /// SHA-256 (hexadecimal) of a file in the working directory; empty if the path is no regular file.
  std::string sha256_of_work(const std::string& path) const;

  /// The wanted regular files of the output folder. Wanted links, devices, unreadable files and those beyond the limits
  /// are named as left out.
  Outputs outputs(std::size_t most_files, std::int64_t most_bytes, const Wanted& = nullptr) const;
  /// Opens one of them for streaming.
  OutputResult<OpenOutput> open_output(const std::string& path) const;

 private:
  std::string folder_;
};

}  // namespace executors
