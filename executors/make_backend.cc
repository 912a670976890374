#include "executors/make_backend.h"

#include "executors/local/local_backend.h"

namespace executors {

namespace {

struct NamedBackend {
  const char* name;
  std::unique_ptr<Backend> (*make)();
};
constexpr NamedBackend backends[] = {{"local", local_backend}};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const NamedBackend& backend : backends) names.emplace_back(backend.name);
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name) {
  for (const NamedBackend& backend : backends)
    if (backend.name == name) return backend.make();
  return nullptr;
}

}  // namespace executors
