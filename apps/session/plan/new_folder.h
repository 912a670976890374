#pragma once
// What `init` writes: templates of studies, and a new folder with files. The folder is written completely or not at
// all: prepared next to its place, then renamed. An empty folder counts as new. Problems are bad input (the path is in
// use); disk faults throw.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace session {

/// The problem if the path is in use; none if it does not exist or is an empty folder.
std::optional<kernel::Problem> in_the_way(const std::string& folder);

/// What some of the files are besides their bytes: paths as in `files`.
struct FileKinds {
  std::set<std::string> executable;
  std::set<std::string> links;  ///< The bytes are the link's target.
};

/// `files`: path below the folder → bytes. Precondition: the path is not in use. Throws std::runtime_error.
void write_new_folder(const std::string& folder, const std::map<std::string, std::string>& files,
                      const FileKinds& = {});

/// The names of the study templates inside the program, and of its examples (`examples/`), sorted.
std::vector<std::string> template_names();
std::vector<std::string> example_names();
/// The files of a template or an example: path below the study's folder → bytes. A problem for an unknown name.
kernel::Result<std::map<std::string, std::string>> template_named(const std::string& name);
/// Files that begin with `#!` are executable.
FileKinds kinds_of_scripts(const std::map<std::string, std::string>& files);

}  // namespace session
