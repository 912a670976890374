#include "executors/image/image_entry.h"

#include <chrono>
#include <sstream>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "embedded/image_queries.h"
#include "executors/image/image_file.h"
#include "executors/sandbox/sandbox.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {
namespace {

/// On a busy machine, or from a slow disk, a start takes long.
constexpr std::chrono::minutes longest{2};
constexpr std::size_t most_output = 1 << 20;
constexpr const char* usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

kernel::Result<programs::ProgramOutput> run_in(const ImageEntry& entry, const std::vector<std::string>& command) {
  std::vector<std::string> words = entry.words;
  words.insert(words.end(), command.begin(), command.end());
  return programs::run_program({.argv = std::move(words),
                                .environment = {{"PATH", usual_path}, {"HOME", inside::home}},
                                .limit = longest,
                                .most_output = most_output});
}

std::string first_line(const kernel::Result<programs::ProgramOutput>& ran) {
  const std::string said = ran ? ran->err.substr(0, std::min<std::size_t>(ran->err.find('\n'), 300)) : "";
  if (!said.empty()) return said;
  return ran && ran->exit ? fmt::format("it ended with status {}", *ran->exit) : programs::why_no_exit(ran);
}

}  // namespace

kernel::Result<ImageEntry> entry_into(const std::string& folder, bool sandboxed, const Variables& own) {
  const std::string search = programs::variable(own, "PATH", "/usr/bin:/bin");
  const SandboxProbe probe = sandboxed ? probe_sandbox(search) : SandboxProbe();
  ImageEntry entry;
  if (probe.works) {
    entry.words = {probe.bwrap};
    for (std::string& word : bare_sandbox("", folder)) entry.words.push_back(std::move(word));
    entry.words.emplace_back("--");
  } else {
    entry.apptainer = programs::find_on_path("apptainer", search);
    if (entry.apptainer.empty())
      return problem_of_image(
          fmt::format("{}, and `apptainer` is not on PATH; one of them enters the image",
                      sandboxed ? "no sandbox can be made: " + probe.why : "`resources.sandbox` is `none`"),
          sandboxed ? probe.remedy + "; or install Apptainer" : "install Apptainer, or leave `sandbox: none` out",
          true);
    entry.words = {entry.apptainer, "exec", "--userns", "--containall", folder};
    if (const auto version = programs::run_program({.argv = {entry.apptainer, "--version"}}))
      entry.version = version->out.substr(0, std::min<std::size_t>(version->out.find('\n'), 120));
  }
  const auto ran = run_in(entry, {"/bin/sh", "-c", ":"});
  if (ran && ran->exit == 0) return entry;
  utsname machine{};
  uname(&machine);
  return problem_of_image("its /bin/sh does not start: " + first_line(ran),
                          fmt::format("name an image for {}; `apptainer exec` tells more", machine.machine));
}

kernel::Result<Variables> environment_of_image(const ImageEntry& entry) {
  const auto ran = run_in(entry, {"/bin/sh", "-c", std::string(embedded::image_queries("environment.sh"))});
  const std::string out = ran ? ran->out : "";
  const std::string mark("etude:environment\0", 18);
  const std::size_t at = out.find(mark);
  if (at == out.npos)
    return problem_of_image("the scripts in its /.singularity.d/env fail: " + first_line(ran),
                            "repair `%environment` in its definition; `apptainer exec` runs them, too");
  Variables variables;
  std::istringstream parts(out.substr(at + mark.size()));
  for (std::string part; std::getline(parts, part, '\0');)
    if (const std::size_t equals = part.find('='); equals != part.npos && equals > 0)
      variables[part.substr(0, equals)] = part.substr(equals + 1);
  return variables;
}

}  // namespace executors
