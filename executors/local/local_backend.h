#pragma once
// This machine as a backend: each job runs under its own supervisor, in a folder that stays here. $ETUDE_GPUS declares
// devices instead of the driver's list.

#include <memory>

#include "executors/backend/backend.h"

namespace executors {

std::unique_ptr<Backend> local_backend();

}  // namespace executors
