#include "studyfile/yaml/yaml_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

namespace studyfile {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t max_bytes = 4 << 20;

kernel::Problem no_file(const std::string& path, std::string why, std::string todo) {
  return {path, 0, "", std::move(why), std::move(todo)};
}

kernel::Problem too_large(const std::string& path, const std::string& kind) {
  return no_file(path, "it is larger than 4 MB", "a " + kind + " is a page of YAML: name that");
}

}  // namespace

kernel::Result<std::string> read_yaml_file(const std::string& path, const std::string& kind, const std::string& usual,
                                           const std::string& if_absent) {
  // Without O_NONBLOCK, opening a named pipe would block.
  const kernel::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return no_file(path, "there is no such file", if_absent);
  if (!file)
    return no_file(path, std::string("the file cannot be read (") + std::strerror(errno) + ")",
                   "give this user the right to read it");
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return no_file(path, std::strerror(errno), "");
  if (S_ISDIR(about.st_mode)) {
    std::error_code error;
    const std::string inside = (fs::path(path) / usual).string();
    return no_file(path, "it is a folder",
                   fs::exists(inside, error) ? "name the file in it: " + inside : "name the " + kind + " in it");
  }
  if (!S_ISREG(about.st_mode)) return no_file(path, "it is no regular file", "name a " + kind);
  if (static_cast<std::size_t>(about.st_size) > max_bytes) return too_large(path, kind);
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return no_file(path, std::string("the file cannot be read (") + std::strerror(errno) + ")", "");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) return too_large(path, kind);
  }
}

kernel::Result<YamlNode> read_yaml_text(const std::string& text, const std::string& file, const std::string& kind) {
  if (text.size() > max_bytes) return too_large(file, kind);
  if (text.find('\0') != std::string::npos)
    return no_file(file, "it is a binary file", "name a " + kind + ", which is YAML text");
  if (const std::optional<int> line = first_bad_line(text))
    return kernel::Problem{file, *line, "", "the line holds bytes that are not UTF-8, or control characters",
                           "save the file as plain UTF-8 text"};
  return read_document(text, file);
}

}  // namespace studyfile
