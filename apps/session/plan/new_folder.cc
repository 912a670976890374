#include "apps/session/plan/new_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include <sys/stat.h>

#include "base/scratch_folder.h"
#include "embedded/study_examples.h"
#include "embedded/study_templates.h"
#include "studyfile/yaml/scalars.h"

namespace session {

namespace {

namespace fs = std::filesystem;

std::runtime_error fault(const fs::path& path, int code) {
  return std::runtime_error(path.string() + ": cannot be written: " + std::strerror(code));
}

/// A temporary folder, which only its owner can read.
kernel::ScratchFolder staging_in(const fs::path& parent) {
  kernel::ScratchFolder folder((parent / ".etude-init-").string());
  if (!folder) throw fault(parent, errno);
  return folder;
}

void make_parent(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw fault(path.parent_path(), error.value());
}

void write_link(const fs::path& path, const std::string& target) {
  make_parent(path);
  std::error_code error;
  fs::create_symlink(target, path, error);
  if (error) throw fault(path, error.value());
}

void write_file(const fs::path& path, const std::string& bytes) {
  make_parent(path);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw fault(path, errno);
}

}  // namespace

std::optional<kernel::Problem> in_the_way(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_directory(status)) return kernel::Problem{"", 0, folder, "it is a file", "name a new folder"};
  const bool empty = fs::is_empty(folder, error);
  if (error) return kernel::Problem{"", 0, folder, "cannot be read (" + error.message() + ")", "name a new folder"};
  if (empty) return std::nullopt;
  return kernel::Problem{"", 0, folder, "the folder is not empty", "name a new one, such as " + folder + "/study"};
}

void write_new_folder(const std::string& folder, const std::map<std::string, std::string>& files,
                      const FileKinds& kinds) {
  std::error_code error;
  const fs::path target = fs::absolute(folder).lexically_normal();
  // An empty folder is kept, because it may be the working directory of a shell.
  const bool exists = fs::exists(target, error);
  const fs::path name = target.has_filename() ? target : target.parent_path();
  if (!exists) fs::create_directories(name.parent_path(), error);
  if (error) throw fault(name.parent_path(), error.value());
  const kernel::ScratchFolder staging = staging_in(exists ? target : name.parent_path());
  const fs::path made = fs::path(staging.path()) / "new";
  if (mkdir(made.c_str(), 0777) != 0) throw fault(made, errno);  // With the rights that the caller's umask leaves.
  for (const auto& [path, bytes] : files) {
    const fs::path place = made / path;
    if (kinds.links.contains(path))
      write_link(place, bytes);
    else
      write_file(place, bytes);
    if (kinds.executable.contains(path))
      fs::permissions(place, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add);
  }
  if (!exists) {
    fs::rename(made, name, error);
    if (error) throw fault(name, error.value());
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(made)) {
    fs::rename(entry.path(), target / entry.path().filename(), error);
    if (error) throw fault(target, error.value());
  }
}

namespace {

template <typename Files>
std::vector<std::string> folders_of(const Files& files) {
  std::set<std::string> names;
  for (const std::string_view file : files)
    if (file.find('/') != file.npos) names.emplace(file.substr(0, file.find('/')));
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> template_names() {
  return folders_of(embedded::study_templates_files());
}

std::vector<std::string> example_names() {
  return folders_of(embedded::study_examples_files());
}

kernel::Result<std::map<std::string, std::string>> template_named(const std::string& name) {
  std::map<std::string, std::string> files;
  const auto add = [&](std::string_view file, auto bytes) {
    if (!name.empty() && file.starts_with(name + "/")) files.emplace(file.substr(name.size() + 1), bytes(file));
  };
  for (const std::string_view file : embedded::study_templates_files()) add(file, embedded::study_templates);
  for (const std::string_view file : embedded::study_examples_files()) add(file, embedded::study_examples);
  if (!files.empty()) return files;
  std::vector<std::string> known = template_names();
  std::ranges::copy(example_names(), std::back_inserter(known));
  return kernel::Problem{"", 0, "template `" + name + "`", "no template has this name",
                         studyfile::suggestion(name, known, "there are")};
}

FileKinds kinds_of_scripts(const std::map<std::string, std::string>& files) {
  FileKinds kinds;
  for (const auto& [path, bytes] : files)
    if (bytes.starts_with("#!")) kinds.executable.insert(path);
  return kinds;
}

}  // namespace session
