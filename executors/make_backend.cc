#include "executors/make_backend.h"

#include "executors/local/local_backend.h"

namespace executors {

std::unique_ptr<Backend> make_backend() {
  return local_backend();
}

}  // namespace executors
