#include "apps/session/home/blob_texts.h"

#include <memory>

#include "memory/files/blobs.h"

namespace session {

std::function<std::optional<std::string>(const std::string& sha256)> blob_texts(const HomePaths& home) {
  // Shared, because functions are copied.
  return [blobs = std::make_shared<const memory::Blobs>(home.blobs())](
             const std::string& sha256) -> std::optional<std::string> {
    if (!memory::is_blob_name(sha256) || !blobs->exists(sha256)) return std::nullopt;
    return blobs->get(sha256);
  };
}

}  // namespace session
