#pragma once
// Runs a helper program and waits for its end: an interpreter that is asked for its version, bubblewrap, gnuplot, dot,
// pdftotext. Time, output and environment are bounded; there is no shell and no search in PATH. Blocks the calling
// thread; any number of threads may call it at once. Jobs do not come here: they have supervisors.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace programs {

/// An open file as standard input, read from its position. The descriptor stays the caller's.
struct OpenFile {
  int descriptor;
};

/// What is done when the program writes more than `most_output` to its standard output.
enum class Excess {
  drop,  ///< The beginning is kept, and the program goes on.
  kill,  ///< The program is killed.
};

struct Program {
  std::vector<std::string> argv;                                ///< At least one; argv[0] is a path.
  std::map<std::string, std::string> environment = {};          ///< All of it: nothing of our own is added.
  std::string directory = "/";                                  ///< Where it runs.
  std::variant<std::monostate, std::string, OpenFile> in = {};  ///< Standard input: /dev/null, these bytes, or a file.
  std::chrono::milliseconds limit = std::chrono::seconds(10);
  std::size_t most_output = 64 << 10;  ///< Bytes.
  Excess excess = Excess::drop;        ///< Of standard error the first 64 KiB are kept, and the rest is dropped.
};

struct ProgramOutput {
  std::optional<int> exit;    ///< Its exit status, if it has answered.
  std::optional<int> signal;  ///< The signal that ended it, if one did.
  bool timed_out = false;     ///< It was killed because its limit had passed.
  bool cut = false;           ///< It wrote more than is in `out`.
  std::string out, err;
  std::string why;  ///< Why there is no exit status, for people: "no answer within 10 s", "killed by signal 11".
};

/// The program has answered when it has ended and its output streams are closed; what is left of its process group is
/// killed then. A time-out kills the whole group at once. The program inherits no descriptors but 0, 1 and 2, and no
/// blocked signals. A problem (`why` is the system's error text) if it cannot be started.
kernel::Result<ProgramOutput> run_program(const Program&);

/// Why there is no exit status: the problem's `why`, or the output's.
const std::string& why_no_exit(const kernel::Result<ProgramOutput>&);

/// For execve and posix_spawn: pointers into `strings`, which must outlive them.
std::vector<char*> c_strings(const std::vector<std::string>& strings);
std::vector<std::string> assignments(const std::map<std::string, std::string>& variables);

/// This process's environment.
std::map<std::string, std::string> own_environment();
/// The variable's value, or `otherwise` if it is not set.
std::string variable(const std::map<std::string, std::string>& environment, const std::string& name,
                     const std::string& otherwise = "");

}  // namespace programs
