#include "executors/image/unpacked_image.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/scratch_folder.h"
#include "executors/image/image_paths.h"
#include "executors/run_protocol/small_files.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {
namespace {

namespace fs = std::filesystem;
using kernel::Problem;

/// Changes when the same image is unpacked into other files.
constexpr std::string_view how = "etude image 1 ";
constexpr std::chrono::hours longest_unpacking{1};
constexpr std::size_t at_once = 1 << 20;

/// Empty if the file cannot be read.
std::string sha256_of(const std::string& path) {
  const kernel::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return "";
  kernel::Sha256 hash;
  std::string part(at_once, '\0');
  for (;;) {
    const ssize_t n = read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return "";
    if (n == 0) return hash.hex();
    hash.update(std::string_view(part).substr(0, static_cast<std::size_t>(n)));
  }
}

/// One line for each file below. What this user cannot read, a job cannot read either.
void list_files(const fs::path& folder, const std::string& below, kernel::Sha256& listing, std::int64_t& bytes) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) {
    struct stat about {};
    if (lstat(entry.c_str(), &about) != 0) continue;
    const std::string path = below + "/" + entry.filename().string();
    std::string content;
    if (S_ISREG(about.st_mode)) {
      content = sha256_of(entry);
      bytes += about.st_size;
    } else if (S_ISLNK(about.st_mode)) {
      content = fs::read_symlink(entry, error).string();
    }
    listing.update(fmt::format("{:o} {}", about.st_mode, path) + '\0' + content + '\0');
    if (S_ISDIR(about.st_mode)) list_files(entry, path, listing, bytes);
  }
}

/// Leaves files, folders and links that belong to this user, who can read and delete them; none that changes the user.
void settle(const fs::path& folder) {
  constexpr mode_t changes_user = S_ISUID | S_ISGID;
  const bool root = geteuid() == 0;
  const auto check = [](int result, const fs::path& at) {
    if (result != 0) throw fs::filesystem_error("unpack", at, {errno, std::generic_category()});
  };
  check(chmod(folder.c_str(), 0755), folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    struct stat about {};
    check(lstat(path.c_str(), &about), path);
    if (root) check(lchown(path.c_str(), geteuid(), getegid()), path);
    if (S_ISDIR(about.st_mode))
      settle(path);
    else if (S_ISREG(about.st_mode))
      check(chmod(path.c_str(), (about.st_mode & 0777 & ~changes_user) | S_IRUSR), path);
    else if (!S_ISLNK(about.st_mode))
      check(unlink(path.c_str()), path);
  }
}

/// The line that says why a program failed.
std::string complaint_of(const kernel::Result<programs::ProgramOutput>& ran) {
  std::istringstream lines(ran ? ran->err : "");
  std::string said;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != line.npos && (said.empty() || line.find("FATAL") != line.npos)) said = line;
  if (said.empty() && ran && ran->exit) said = fmt::format("it ended with status {}", *ran->exit);
  return said.empty() ? programs::why_no_exit(ran) : said.substr(0, 300);
}

/// Only root makes device files, which no image needs: then unsquashfs ends with 2, but also where a file is damaged.
bool succeeded(const kernel::Result<programs::ProgramOutput>& ran) {
  if (!ran || !ran->exit || *ran->exit != 2) return ran && ran->exit == 0;
  std::istringstream lines(ran->err);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.find("not superuser") == line.npos) return false;
  return true;
}

Problem without_shell(const std::string& path) {
  return problem_of_image(path + " has no /bin/sh, which starts commands of a run",
                          "name an image with a system in it, or a folder that `apptainer build --sandbox` made");
}

Problem not_written(const std::string& path, int error) {
  return problem_of_image(path + " cannot be unpacked: " + supervisor::error_text(error),
                          "make room in the home (`etude gc --delete`)", true);
}

}  // namespace

std::optional<Problem> cannot_unpack(const ImageFile& image, const std::string& search) {
  if (image.folder || !programs::find_on_path("apptainer", search).empty()) return std::nullopt;
  if (image.system != "squashfs")
    return problem_of_image(
        fmt::format("the root of {} is {}, which only Apptainer reads, and `apptainer` is not on PATH", image.path,
                    image.system),
        "install Apptainer; or elsewhere `apptainer build --sandbox FOLDER IMAGE`, and name that folder", true);
  if (!programs::find_on_path("unsquashfs", search).empty()) return std::nullopt;
  return problem_of_image("neither `unsquashfs` nor `apptainer` is on PATH, and one of them unpacks " + image.path,
                          "install it: apt-get install squashfs-tools", true);
}

kernel::Result<UnpackedImage> unpack_image(const ImageFile& image, const std::string& kept, const std::string& search) {
  if (image.folder) {
    if (!is_program_of_image(image.path, "/bin/sh")) return without_shell(image.path);
    UnpackedImage found{image.path, image.path, "", 0};
    kernel::Sha256 listing;
    list_files(image.path, "", listing, found.bytes);
    found.sha256 = listing.hex();
    return found;
  }
  const std::string hash = sha256_of(image.path);
  if (hash.empty())
    return problem_of_image(image.path + " cannot be read: " + supervisor::error_text(errno), "make it readable");
  const std::string key = kernel::sha256_hex(std::string(how) + hash);
  UnpackedImage found{kept + "/" + key, key, hash, image.bytes};
  if (programs::is_folder(found.folder)) return found;
  if (auto problem = cannot_unpack(image, search)) return std::move(*problem);

  std::error_code error;
  fs::create_directories(kept + "/tmp", error);
  const kernel::ScratchFolder draft(kept + "/tmp/");
  if (!draft) return not_written(image.path, errno);
  const std::string root = draft.file("root");
  const std::string unsquashfs = programs::find_on_path("unsquashfs", search);
  const bool with_apptainer = image.system != "squashfs" || unsquashfs.empty();
  std::vector<std::string> command;
  if (with_apptainer)
    command = {programs::find_on_path("apptainer", search), "build", "--sandbox", root, image.path};
  else
    command = {unsquashfs, "-no-progress", "-no-xattrs", "-offset", std::to_string(image.offset),
               "-dest",    root,           image.path};
  const auto ran = programs::run_program(
      {.argv = command, .environment = {{"PATH", search}, {"HOME", draft.path()}}, .limit = longest_unpacking});
  if (!succeeded(ran)) {
    const std::string said = complaint_of(ran);
    return problem_of_image(
        fmt::format("{} cannot be unpacked: {}: {}", image.path, programs::name_of(command[0]), said),
        "make room in the home, or build or pull the image again", said.find("No space") != said.npos);
  }
  try {
    settle(root);
  } catch (const fs::filesystem_error& e) {
    return not_written(image.path, e.code().value());
  }
  if (!is_program_of_image(root, "/bin/sh")) return without_shell(image.path);
  // Only whole images have their name.
  const kernel::Fd place(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place || syncfs(place.get()) != 0) return not_written(image.path, errno);
  if (rename(root.c_str(), found.folder.c_str()) != 0 && !programs::is_folder(found.folder))
    return not_written(image.path, errno);
  return found;
}

}  // namespace executors
