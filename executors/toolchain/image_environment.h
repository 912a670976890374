#pragma once
// The environment that `environment.use: apptainer:PATH` names: the image in a folder, how it is entered here, its
// variables, and the programs and libraries in it. Starts programs of the image, in a sandbox like a job's. Any thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "executors/image/image_entry.h"
#include "executors/image/unpacked_image.h"

namespace executors {

struct ImageEnvironment {
  UnpackedImage files;
  ImageEntry entry;
  std::vector<std::string> path;  ///< Of the image.
  Variables variables;            ///< For jobs, without PATH; what looks like a key is left out.
};

/// True if `use` names an image.
bool names_image(const std::string& use);

/// The image that `use` names, as far as a look at the file tells: its kind and size. A problem if it is not there, or
/// if nothing here can unpack it.
kernel::Result<kernel::ProgramRecord> image_record(const EnvironmentQuery&, const Variables& own);

/// Unpacks the image if that was not done before, and asks it for its environment. Precondition: the query names one.
kernel::Result<ImageEnvironment> image_environment(const EnvironmentQuery&, const Variables& own);

/// The image itself, its system by /etc/os-release, and the program that enters it if jobs have no sandbox.
std::vector<kernel::ProgramRecord> records_of(const ImageEnvironment&, const std::string& path);
/// The labels that its builder wrote into /.singularity.d/labels.json.
std::map<std::string, std::string> labels_of(const ImageEnvironment&);

/// Adds the program that `word` is in the image, with its version and libraries if it is a Python. A problem if the
/// image does not have it. `word`: a name, or an absolute path.
std::optional<kernel::Problem> add_program_of(const ImageEnvironment&, const std::string& word,
                                              kernel::EnvironmentRecord&);

}  // namespace executors
