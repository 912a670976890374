#include "tests/places.h"

namespace tests {

std::string source_dir() {
  return ETUDE_SOURCE_DIR;
}

std::string build_dir() {
  return ETUDE_BUILD_DIR;
}

}  // namespace tests
