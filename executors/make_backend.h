#pragma once
// The list of backends. A new one is a folder below executors/, a line in make_backend.cc and one in cmake/rooms.txt.

#include <memory>

#include "executors/backend/backend.h"

namespace executors {

/// The backend that jobs run on: this machine.
std::unique_ptr<Backend> make_backend();

}  // namespace executors
