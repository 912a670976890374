#pragma once
// Artifacts of other programs, without registered design and log. What can be run is a command, the reader's or one
// from src/artifacts.md; what can be compared are the numbers in a claim's sources. Runs nothing.

#include <optional>
#include <string>
#include <vector>

#include "artifacts/reproduce/reproduction.h"

namespace artifacts {

struct ForeignClaim {
  std::string id;
  std::vector<std::string> numbers;  ///< As written in **Sources**, without inputs.
};

struct Foreign {
  std::string artifact;
  std::vector<ForeignClaim> claims;
  std::vector<std::string> commands;  ///< Commands in src/artifacts.md, in order.
  bool has_index = false;             ///< Whether src/artifacts.md exists.
};

/// Whether the folder has no etude.json.
bool is_foreign(const std::string& path);
/// A problem if the folder has no claims.
kernel::Result<Foreign> read_foreign(const std::string& path);

/// The end of the command, which ran in a sandbox and a copy of the artifact.
struct CommandEnd {
  std::string command;
  bool readers_own = false;  ///< The reader's command and not the artifact's, whose output could be anything.
  bool succeeded = false;
  std::string reason;   ///< Why it was not run.
  std::string printed;  ///< Its standard output.
  double seconds = 0;
  std::optional<int> exit{};  ///< None if a signal or a limit ended it.
};

/// Without `end`, there was no command and nothing was attempted. With the reader's command, a claim is reproduced if
/// the output has all its numbers at their precision. If some are missing, nothing can be concluded.
ReproductionReport compare(const Foreign&, const std::optional<CommandEnd>&);

}  // namespace artifacts
