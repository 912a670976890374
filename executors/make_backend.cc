#include "executors/make_backend.h"

#include "executors/local/local_backend.h"
#include "executors/slurm/slurm_backend.h"

namespace executors {

namespace {

using Maker = std::unique_ptr<Backend> (*)(const config::ExecutorSettings&);
constexpr std::pair<const char*, Maker> backends[] = {
    {"local", [](const config::ExecutorSettings&) { return local_backend(); }},
    {"slurm", [](const config::ExecutorSettings& settings) { return slurm_backend(settings); }}};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : backends) names.emplace_back(name);
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name, const config::ExecutorSettings& settings) {
  for (const auto& [known, make] : backends)
    if (known == name) return make(settings);
  return nullptr;
}

}  // namespace executors
