#pragma once
// The study file: from a path or a text to a checked study, or to the first thing that is wrong with it, with its line
// and the remedy. Reads the file itself and looks whether the paths it names exist; starts nothing, writes nothing.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "studyfile/sections/extend_section.h"

namespace studyfile {

struct Parsed {
  kernel::StudySpec spec;
  std::vector<kernel::Problem> warnings;  ///< In file order; what is no error but worth a look.
  std::string text;                       ///< The file's bytes.
};

/// What the file is read for: one run needs no hypothesis, nor a baseline to derive one from.
enum class Use { study, one_run };

/// Problems name the file as `path` spells it. `agents`: the profile that was asked for instead of the file's; empty:
/// the file's. `look`: none where it need not be known what `extend` brings.
kernel::Result<Parsed> read(const std::string& path, Use use = Use::study, const std::string& agents = "",
                            const LookAtParent& look = {});
kernel::Result<kernel::StudySpec> load(const std::string& path);

/// `base_dir`: where relative paths start. `file_name` stands in problems and, made absolute, in the study.
kernel::Result<Parsed> read_text(const std::string& text, const std::string& file_name, const std::string& base_dir,
                                 Use use = Use::study, const std::string& agents = "", const LookAtParent& look = {});
kernel::Result<kernel::StudySpec> parse(const std::string& text, const std::string& file_name,
                                        const std::string& base_dir);

}  // namespace studyfile
