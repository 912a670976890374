#pragma once
// Reads a file that people write: a regular file of at most 4 MB, anything else is refused.

#include <string>

#include "base/result.h"
#include "studyfile/yaml/document.h"

namespace studyfile {

/// `kind`: what the file should be, for problems: "study file". `usual`: the usual name of such a file in its folder.
kernel::Result<std::string> read_yaml_file(const std::string& path, const std::string& kind, const std::string& usual,
                                           const std::string& if_absent);

/// Checks that the bytes are text and parses the only document in them.
kernel::Result<YamlNode> read_yaml_text(const std::string& text, const std::string& file, const std::string& kind);

}  // namespace studyfile
