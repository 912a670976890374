#include "executors/sandbox/image_system.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace executors {
namespace {

namespace fs = std::filesystem;

/// Made by every sandbox. /etc is shown entry by entry.
const std::set<std::string> made_by_sandbox = {"proc", "sys", "dev", "tmp", "etude", "etc"};
const std::set<std::string> etc_by_sandbox = {"passwd", "group", "nsswitch.conf", "hosts"};
/// Where the sandbox shows the image's /etc. The place is next to /etc, so that relative links in it find their files.
constexpr char shown_etc[] = "/.etc";

constexpr const char* library_folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                           "/usr/lib", "/usr/lib/wsl/lib"};
constexpr const char* driver_libraries[] = {
    "libcuda.so",         "libcudadebugger.so",  "libnvidia-ml.so",      "libnvidia-ptxjitcompiler.so",
    "libnvidia-nvvm.so",  "libnvidia-opencl.so", "libnvidia-gpucomp.so", "libnvcuvid.so",
    "libnvidia-encode.so"};

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(*entry);
  std::ranges::sort(entries);
  return entries;
}

bool is_real_folder(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

}  // namespace

std::vector<std::string> words_of_image(const std::string& folder, bool network) {
  std::vector<std::string> words;
  std::error_code error;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename();
    if (made_by_sandbox.contains(name)) continue;
    if (entry.is_symlink(error))
      words.insert(words.end(), {"--symlink", fs::read_symlink(entry, error).string(), "/" + name});
    else if (entry.is_directory(error) || entry.is_regular_file(error))
      words.insert(words.end(), {"--ro-bind", entry.path().string(), "/" + name});
  }
  std::set<std::string> written = etc_by_sandbox;
  if (network)
    for (const char* name : etc_for_network) {
      const std::string file = "/etc/" + std::string(name);
      words.insert(words.end(), {"--ro-bind-try", file, file});
      written.insert(name);
    }
  if (const fs::path etc = fs::path(folder) / "etc"; is_real_folder(etc)) {
    words.insert(words.end(), {"--ro-bind", etc.string(), shown_etc});
    for (const fs::directory_entry& entry : entries_of(etc))
      if (const std::string name = entry.path().filename(); !written.contains(name))
        words.insert(words.end(), {"--symlink", ".." + std::string(shown_etc) + "/" + name, "/etc/" + name});
  }
  words.insert(words.end(), {"--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"});
  return words;
}

bool has_var_tmp(const std::string& folder) {
  return is_real_folder(folder + "/var") && is_real_folder(folder + "/var/tmp");
}

bool makes_var_tmp(const std::string& folder) {
  std::error_code error;
  return fs::symlink_status(folder + "/var", error).type() == fs::file_type::not_found;
}

std::vector<std::string> words_of_driver(const std::string& root) {
  std::vector<std::string> words;
  std::set<std::string> shown;
  for (const char* folder : library_folders)
    for (const fs::directory_entry& entry : entries_of(root + folder)) {
      const std::string name = entry.path().filename();
      const bool wanted = std::ranges::any_of(driver_libraries, [&](const char* l) { return name.starts_with(l); });
      std::error_code error;
      const fs::path file = wanted ? fs::canonical(entry.path(), error) : fs::path();
      if (wanted && !error && shown.insert(name).second)
        words.insert(words.end(), {"--ro-bind", file.string(), std::string(driver_folder) + "/" + name});
    }
  return words;
}

}  // namespace executors
