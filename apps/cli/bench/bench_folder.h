#pragma once
// The folder with a benchmark's results, and the studies in it: each is run by a process of this program's own, to its
// end or to where it stops, and a later call goes on there. One thread.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace cli {

/// None if the file is not there or cannot be read.
std::optional<std::string> text_of_file(const std::string& path);
/// Replaces the file in one step. Throws std::runtime_error.
void write_json(const std::string& path, const nlohmann::json& document);

/// Makes the folder, or takes it up if its results are of the same terms, which stand in bench.json. `whose`: what the
/// terms are, for the error. A problem if the folder holds something else.
std::optional<kernel::Problem> open_bench_folder(const std::string& folder, const nlohmann::json& terms,
                                                 const std::string& whose);

/// How this program is called for a study.
struct StudyCalls {
  std::string home, config, executor;  ///< The last two may be empty.
  int jobs = 0;                        ///< 0: as the program decides.
};

/// Where a study of a benchmark stands.
struct BenchStudy {
  nlohmann::json document;   ///< The `study` document; null if it did not start.
  bool interrupted = false;  ///< Now, by a person.
  std::string said;          ///< The last line of its errors.

  bool ended() const { return document.is_object() && document.at("state") == "ended"; }
  /// The problem of a task whose study could not go on.
  kernel::Problem problem(const std::string& task) const;
};

/// Runs the study of FOLDER/study, or goes on with it, unless it has ended. Its artifact goes to FOLDER/ara, what it
/// prints to FOLDER/run.out and run.err. Throws std::system_error.
BenchStudy continue_bench_study(const StudyCalls&, const std::string& folder);

}  // namespace cli
