#pragma once
// Reads a study file together with the artifact that it extends (prior_work.h). Only reads; any thread.

#include <string>

#include "base/result.h"
#include "studyfile/load.h"

namespace session {

/// Reads the study file; warns of a hypothesis that repeats a dead end of the extended artifact, of files of the
/// workspace that look like secrets, and of scripts that are not there.
kernel::Result<studyfile::Parsed> read_study(const std::string& home, const std::string& path,
                                             studyfile::Use = studyfile::Use::study, const std::string& agents = "");
/// The same from a text; see studyfile::read_text.
kernel::Result<studyfile::Parsed> read_study_text(const std::string& home, const std::string& text,
                                                  const std::string& file_name, const std::string& base_dir,
                                                  studyfile::Use = studyfile::Use::study,
                                                  const std::string& agents = "");

}  // namespace session
