#pragma once
// This machine as the place where jobs run: each under a supervisor of its own, in a folder that stays here.
// $ETUDE_GPUS declares devices where the driver is not to be asked which.

#include <memory>

#include "executors/backend/backend.h"

namespace executors {

std::unique_ptr<Backend> local_backend();

}  // namespace executors
