#include "executors/toolchain/toolchain.h"

#include "executors/toolchain/image_environment.h"
#include "executors/toolchain/named_environment.h"
#include "executors/toolchain/resolver.h"

namespace executors {

kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery& query, const Variables& own) {
  EnvironmentResolver resolver(query, own);
  if (auto problem = resolver.add_all()) return *problem;
  return resolver.finish();
}

std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery& query, const Variables& own) {
  const std::string& use = query.environment.use;
  if (use.starts_with("module:")) return kernel::ProgramRecord{"environment", "", "modules " + use.substr(7)};
  if (use.starts_with("activate:")) return kernel::ProgramRecord{"environment", "", "activated lines"};
  if (names_image(use)) {
    auto image = image_record(query, own);
    return image ? std::optional(std::move(*image)) : std::nullopt;
  }
  const auto named = named_environment_of(query, own);
  if (!named || !*named) return std::nullopt;
  return (*named)->record;
}

std::vector<kernel::Problem> missing_programs(const EnvironmentQuery& query, const Variables& own) {
  return EnvironmentResolver(query, own).missing();
}

}  // namespace executors
