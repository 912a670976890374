#pragma once
// The section `executors` of the configuration: where runs run, and how jobs are submitted there. Plain values; what a
// scheduler makes of them is its executor's concern.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace studyfile {
class Value;
}

namespace config {

struct ExecutorSettings {
  std::string use;     ///< The executor's name; empty: the default.
  std::string shared;  ///< A folder that all nodes see under this path; absolute, or empty.
  std::string partition, account, qos;
  std::string constraint;                    ///< Features that a node must have.
  std::string gres;                          ///< Generic resources of every job.
  std::string gpu_type;                      ///< The type of the GPUs that runs ask for; empty: any.
  int gpus = 0;                              ///< Most GPUs that runs hold at once.
  std::vector<std::string> flags;            ///< Further words for the submitting program.
  std::optional<double> time_s;              ///< The scheduler's own limit; none: from the run's time-out.
  std::optional<std::int64_t> memory_bytes;  ///< Asked for a job whose study states none.
  int jobs = 0;                              ///< Runs at once by default; 0: as the partition's processors allow.
  int array = 1000;                          ///< Most jobs of one array.
  std::string file;                          ///< The configuration's path, for messages; empty if there is none.
};

void read_executors(const studyfile::Value&, ExecutorSettings&);

}  // namespace config
