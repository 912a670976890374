#include "apps/session/prepare/start_request.h"

#include <algorithm>
#include <filesystem>

namespace session {

std::string default_output(const std::string& study_file) {
  const std::filesystem::path file(study_file);
  return (file.parent_path() / (file.stem().string() + "-ara")).string();
}

int default_jobs(int cores, const kernel::StudySpec& spec) {
  return std::max(1, cores / std::max(1, spec.resources.cpus));
}

}  // namespace session
