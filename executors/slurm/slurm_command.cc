#include "executors/slurm/slurm_command.h"

#include <chrono>
#include <map>

#include "programs/find_program.h"

namespace executors {
namespace {

/// Longer than Slurm's own time-outs for one message (MessageTimeout, 10 s), which its programs try more than once.
constexpr std::chrono::seconds patience(30);

/// Variables that Slurm's programs need; those of a surrounding job are left out.
std::map<std::string, std::string> variables_for_slurm() {
  std::map<std::string, std::string> kept;
  for (const auto& [name, value] : programs::own_environment())
    if (name == "PATH" || name == "HOME" || name == "USER" || name == "LOGNAME" || name == "SLURM_CONF" ||
        name == "SLURM_CLUSTERS" || name == "SLURM_JWT" || name == "KRB5CCNAME" || name.starts_with("SBATCH_"))
      kept[name] = value;
  kept["LC_ALL"] = "C";
  // Otherwise sacct cuts long lists of an array's tasks.
  kept["SLURM_BITSTR_LEN"] = "0";
  return kept;
}

}  // namespace

std::string find_slurm(const std::string& program) {
  return programs::find_on_path(program, programs::variable(programs::own_environment(), "PATH") + ":/usr/bin:/bin");
}

programs::ProgramOutput ask_slurm(const std::string& program, const std::vector<std::string>& words,
                                  const std::string& in, std::size_t most_output) {
  programs::Program call;
  call.argv.push_back(find_slurm(program));
  if (call.argv[0].empty()) {
    programs::ProgramOutput none;
    none.why = program + " is not on PATH";
    return none;
  }
  call.argv.insert(call.argv.end(), words.begin(), words.end());
  call.environment = variables_for_slurm();
  if (!in.empty()) call.in = in;
  call.limit = patience;
  call.most_output = most_output;
  auto output = programs::run_program(call);
  if (output) return std::move(*output);
  programs::ProgramOutput none;
  none.why = output.problem().why;
  return none;
}

}  // namespace executors
