#pragma once
// The study file, read together with the artifact that it extends (parent_artifact.h). Only reads; any thread.

#include <string>

#include "base/result.h"
#include "studyfile/load.h"

namespace session {

/// The study file, read with what it extends. A hypothesis that repeats a dead end of that is warned of.
kernel::Result<studyfile::Parsed> read_study(const std::string& home, const std::string& path,
                                             studyfile::Use = studyfile::Use::study, const std::string& agents = "");
/// The same of a text; see studyfile::read_text.
kernel::Result<studyfile::Parsed> read_study_text(const std::string& home, const std::string& text,
                                                  const std::string& file_name, const std::string& base_dir,
                                                  const std::string& agents = "");

}  // namespace session
