#include "executors/local/apptainer_exec.h"

#include "base/assert.h"
#include "kernel/domain/image_root.h"

namespace executors {

namespace {

constexpr const char* usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Variables with this prefix are those of the job; they override what the image sets.
constexpr const char* passed_on_prefix = "APPTAINERENV_";

}  // namespace

ApptainerCommand run_in_apptainer(const kernel::JobSpec& spec, const JobPlaces& places, bool contained,
                                  const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment, const std::string& apptainer) {
  const auto image = kernel::image_of(spec.toolchain);
  ETUDE_ASSERT(image);
  ApptainerCommand command;
  // The supervisor's children get no other rights from set-user-ID programs, so only user namespaces work.
  command.arguments = {apptainer, "exec", "--userns", "--cleanenv"};
  const auto add = [&command](const char* option, const std::string& value) {
    command.arguments.insert(command.arguments.end(), {option, value});
  };
  if (contained) {
    command.arguments.emplace_back("--containall");
    add("--home", places.home);
  }
  if (!spec.gpus.empty()) command.arguments.emplace_back("--nv");
  add("--bind", spec.folder);
  if (!places.checkpoint.empty() && !places.checkpoint.starts_with(spec.folder + "/")) add("--bind", places.checkpoint);
  if (!places.work.starts_with(spec.folder + "/")) add("--bind", places.work);
  for (const auto* mounts : {&spec.data, &spec.continued})
    for (const kernel::DataMount& mount : *mounts) add("--bind", mount.path + ":" + mount.path + ":ro");
  add("--pwd", places.work);
  command.arguments.push_back(*image);
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = {{"PATH", usual_path}, {"HOME", places.home}, {"TMPDIR", places.tmp}};
  for (const auto& [name, value] : environment)
    if (name != "HOME") command.environment[passed_on_prefix + name] = value;
  return command;
}

}  // namespace executors
