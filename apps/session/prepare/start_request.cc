#include "apps/session/prepare/start_request.h"

#include <algorithm>
#include <filesystem>

#include "executors/devices/machine.h"

namespace session {

std::string default_output(const std::string& study_file) {
  const std::filesystem::path file(study_file);
  return (file.parent_path() / (file.stem().string() + "-ara")).string();
}

int default_jobs(const kernel::StudySpec& spec) {
  return std::max(1, executors::usable_cores() / std::max(1, spec.resources.cpus));
}

}  // namespace session
