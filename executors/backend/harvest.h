#pragma once
// Reads what a run left in its folder, as the work of a stranger: beneath the folder only, through no link, regular
// files only, never more than asked for. Logs may be read while the job runs, everything else after its tree is dead.
// Knows nothing of metrics or blobs.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "kernel/domain/records.h"

namespace executors {

struct OpenFile {
  kernel::Fd fd;  ///< For reading, at its beginning.
  std::int64_t size = 0;
  std::int64_t modified_ms = 0;  ///< Wall clock.
};

/// A regular file below an open folder: openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. `path` is relative.
kernel::Result<OpenFile> open_beneath(int folder, const std::string& path);

/// The beginning of a file; `cut` says that there is more.
struct Bytes {
  std::string text;
  bool cut = false;
};

/// Two reasons why there is no result file; every other one is about a file that lies there.
inline constexpr const char* no_such_file = "there is no such file";
inline constexpr const char* not_written = "the job did not write it; it came with the workspace";

struct Output {
  std::string path;  ///< Below the output folder.
  std::int64_t size = 0;
};
struct Outputs {
  std::vector<Output> files;  ///< By path.
  kernel::LeftOut left_out;
};
/// Which files of the output folder are wanted, by their path below it.
using Wanted = std::function<bool(const std::string& path)>;
/// Counts one more, and names it where few are named so far.
void leave_out(kernel::LeftOut&, const std::string& path, const std::string& why);

enum class Stream { out, err };

/// Bytes [0, head) and [tail, length) of a stream are kept: the first and the last 8 MB.
struct LogExtent {
  std::uint64_t head = 0, tail = 0, length = 0;
};

class Harvest {
 public:
  explicit Harvest(std::string run_folder) : folder_(std::move(run_folder)) {}
  /// What the evaluation of the job left: metrics and logs of its own.
  Harvest evaluation() const;
  /// The job's working directory, absolute.
  std::string work() const;

  LogExtent log_extent(Stream) const;
  /// The kept bytes of [offset, offset + count); `[etude: N bytes left out]` on a line of its own where the range meets
  /// the gap.
  std::string log(Stream, std::uint64_t offset = 0, std::uint64_t count = UINT64_MAX) const;

  /// The first `cap` bytes of the metrics file, none if the job wrote none.
  kernel::Result<Bytes> metrics(std::int64_t cap) const;
  /// A result file by the name the study gives it: in the output folder, else in the working directory, where it only
  /// counts if the job wrote it — the snapshot's own file of that name is not a result. `started_ms`: the job's start.
  /// A problem when there is none, when it is no regular file, or when it is larger than `cap`.
  kernel::Result<std::string> result(const std::string& path, std::int64_t cap, std::int64_t started_ms) const;
  /// Where a stage's output lies, absolute and reached through no link: a file or folder by the same rules.
  kernel::Result<std::string> find_result(const std::string& path, std::int64_t started_ms) const;
  /// SHA-256 of a file in the working directory, in hexadecimal; empty when there is no regular file of that path.
  std::string sha256_of_work(const std::string& path) const;

  /// The regular files of the output folder that are wanted; links, devices, unreadable ones and what is beyond the
  /// caps are named as left out, the unwanted are not.
  Outputs outputs(std::size_t most_files, std::int64_t most_bytes, const Wanted& = nullptr) const;
  /// One of them, for streaming.
  kernel::Result<OpenFile> open_output(const std::string& path) const;

 private:
  std::string folder_;
};

}  // namespace executors
