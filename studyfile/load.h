#pragma once
// Reads a study file: from a path or a text to a checked study, or to the first problem with its line and remedy. Reads
// the file and checks that the paths in it exist; starts nothing, writes nothing. A hypothesis that an agent proposes
// is read by the same rules.

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/domain/study_spec.h"
#include "studyfile/sections/extend_section.h"

namespace studyfile {

struct Parsed {
  kernel::StudySpec spec;
  std::vector<kernel::Problem> warnings;  ///< In file order; not errors.
  std::string text;                       ///< The file's bytes.
};

/// What the file is read for. A single run needs no hypothesis, nor a baseline to derive one.
enum class Use { study, one_run };

/// Problems name the file as `path` spells it. `agents`: the profile to use instead of the file's, unless empty. `look`
/// may be empty if the content of `extend` is not needed.
kernel::Result<Parsed> read(const std::string& path, Use use = Use::study, const std::string& agents = "",
                            const LookAtParent& look = {});

/// `base_dir`: where relative paths start. `file_name` is used in problems and, made absolute, in the study.
kernel::Result<Parsed> read_text(const std::string& text, const std::string& file_name, const std::string& base_dir,
                                 Use use = Use::study, const std::string& agents = "", const LookAtParent& look = {});

/// `text`: an item of `hypotheses`, as YAML or JSON. `known`: the existing hypotheses, whose ids must not be repeated.
/// The problem names no file.
kernel::Result<kernel::Hypothesis> read_proposal(const std::string& text, const kernel::StudySpec&,
                                                 const std::vector<kernel::Hypothesis>& known);

}  // namespace studyfile
