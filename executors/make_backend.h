#pragma once
// The list of backends. A new one is a folder below executors/, a line in make_backend.cc and one in cmake/rooms.txt.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/executor_settings.h"
#include "executors/backend/backend.h"

namespace executors {

/// The names of all backends; the first is the default.
std::vector<std::string> backend_names();
/// The backend with that name; null if there is none.
std::unique_ptr<Backend> make_backend(std::string_view name = backend_names().front(),
                                      const config::ExecutorSettings& settings = {});

}  // namespace executors
