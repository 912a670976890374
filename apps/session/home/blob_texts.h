#pragma once
// The texts of conversations with models, which are blobs of a home.

#include <functional>
#include <optional>
#include <string>

#include "apps/session/home/home.h"

namespace session {

/// Returns a blob's bytes by its SHA-256; none if the home has no such blob. Usable by several threads.
std::function<std::optional<std::string>(const std::string& sha256)> blob_texts(const HomePaths&);

}  // namespace session
