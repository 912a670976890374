#include "executors/make_backend.h"

#include "executors/local/local_backend.h"

namespace executors {

namespace {

constexpr std::pair<const char*, std::unique_ptr<Backend> (*)()> backends[] = {{"local", local_backend}};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : backends) names.emplace_back(name);
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name) {
  for (const auto& [known, make] : backends)
    if (known == name) return make();
  return nullptr;
}

}  // namespace executors
