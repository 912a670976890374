#pragma once
// Artifacts that others made: no registered design, no log. What can be run of them is a command, the reader's or one
// that src/artifacts.md offers; what can be compared are the numbers that a claim names among its sources. Runs
// nothing.

#include <optional>
#include <string>
#include <vector>

#include "artifacts/reproduce/reproduction.h"

namespace artifacts {

struct ForeignClaim {
  std::string id;
  std::vector<std::string> numbers;  ///< As its **Sources** spell them, inputs left out.
};

struct Foreign {
  std::string artifact;
  std::vector<ForeignClaim> claims;
  std::vector<std::string> commands;  ///< That src/artifacts.md offers, in order.
  bool has_index = false;             ///< There is a src/artifacts.md.
};

/// No etude.json lies there.
bool is_foreign(const std::string& path);
/// A problem where the folder holds no claims.
kernel::Result<Foreign> read_foreign(const std::string& path);

/// How the command ended, in a sandbox and in a copy of the artifact.
struct CommandEnd {
  std::string command;
  bool readers_own = false;  ///< Not one that the artifact offers, which may print what it likes.
  bool succeeded = false;
  std::string reason;   ///< Why not.
  std::string printed;  ///< What it wrote to its standard output.
  double seconds = 0;
  std::optional<int> exit{};  ///< None: a signal or a limit ended it.
};

/// Without an end: nothing offers a command, and nothing was attempted. A claim whose numbers all stand in what was
/// printed, at the precision it gives them, is reproduced where the command was the reader's; where some do not nobody
/// can say that they should.
ReproductionReport compare(const Foreign&, const std::optional<CommandEnd>&);

}  // namespace artifacts
