#pragma once
// The bytes of a file that people write: a regular one of at most 4 MB, whatever else lies at its path.

#include <string>

#include "base/result.h"
#include "studyfile/yaml/document.h"

namespace studyfile {

/// `kind`: what it should be, for problems: "study file". `usual`: what such a file is called in its folder.
kernel::Result<std::string> read_yaml_file(const std::string& path, const std::string& kind, const std::string& usual,
                                           const std::string& if_absent);

/// The one document in a file's bytes, once they are found to be text.
kernel::Result<Node> read_yaml_text(const std::string& text, const std::string& file, const std::string& kind);

}  // namespace studyfile
