#include "artifacts/read/safe_root.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "artifacts/text/untrusted_text.h"
#include "base/digest.h"

namespace artifacts {
namespace {

constexpr std::size_t most_entries = 200'000;
constexpr int deepest_folder = 64;
constexpr std::string_view secret_name = ".ara_env";

int openat2(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: a rename happened while ".." was resolved. It is transient unless it is an attack.
  for (int attempt = 0; attempt < 32; ++attempt) {
    const long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(fd);
  }
  return -1;
}

bool has_openat2(int root) {
  return kernel::Fd(openat2(root, ".", O_PATH | O_DIRECTORY)).get() >= 0;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Uses the descriptor's real path, so that a link to the secret is recognised.
bool leads_to_secret(int fd) {
  std::array<char, 4096> target{};
  const ssize_t length = readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), target.data(), target.size());
  return length > 0 && base_name({target.data(), static_cast<std::size_t>(length)}) == secret_name;
}

FileKind kind_of_error(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case EINVAL:
      return FileKind::none;
    case EXDEV:
      return FileKind::outside;
    case ELOOP:
      return FileKind::special;
    default:
      return FileKind::unreadable;
  }
}

FileKind kind_of_mode(mode_t mode) {
  return S_ISREG(mode) ? FileKind::regular : S_ISDIR(mode) ? FileKind::directory : FileKind::special;
}

}  // namespace

kernel::Result<SafeRoot> SafeRoot::open(const std::string& directory, Links links) {
  kernel::Fd root(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    const int error = errno;
    std::string why = error == ENOENT    ? "there is nothing of that name"
                      : error == ENOTDIR ? "it is a file; an artifact is a directory"
                                         : std::strerror(error);
    return kernel::Problem{.file = printable(directory),
                           .what = "artifact",
                           .why = std::move(why),
                           .todo = "give the path of an artifact's directory"};
  }
  if (!has_openat2(root.get())) links = Links::refuse;
  return SafeRoot(std::move(root), links);
}

SafeRoot::Opened SafeRoot::open_beneath(const std::string& path, int flags) const {
  // A path with a zero byte would open another file than the one it is compared with.
  if (path.empty() || path.find('\0') != std::string::npos) return {kernel::Fd(), ENOENT};
  if (path.front() == '/') return {kernel::Fd(), EXDEV};
  if (links_ == Links::follow_inside) {
    kernel::Fd fd(openat2(root_.get(), path.c_str(), flags));
    return {std::move(fd), errno};
  }
  kernel::Fd folder(openat(root_.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string part = path.substr(start, end - start);
    start = end + 1;
    if (part == "..") return {kernel::Fd(), EXDEV};
    if (part.empty() || part == ".") continue;
    const bool last = path.find_first_not_of('/', end) == std::string::npos;
    struct stat status {};
    if (fstatat(folder.get(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {kernel::Fd(), errno};
    if (S_ISLNK(status.st_mode)) return {kernel::Fd(), EXDEV};
    kernel::Fd next(openat(folder.get(), part.c_str(), (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC));
    if (!next || last) return {std::move(next), errno};
    folder = std::move(next);
  }
  kernel::Fd itself(openat(folder.get(), ".", flags | O_CLOEXEC));
  return {std::move(itself), errno};
}

Entry SafeRoot::entry_of(const std::string& path, const Opened& opened) const {
  Entry entry{.path = path};
  if (!opened.fd) {
    entry.kind = kind_of_error(opened.error);
    return entry;
  }
  struct stat status {};
  if (fstat(opened.fd.get(), &status) != 0) {
    entry.kind = FileKind::unreadable;
    return entry;
  }
  entry.kind = kind_of_mode(status.st_mode);
  if (entry.kind == FileKind::regular) entry.size = static_cast<std::uint64_t>(status.st_size);
  if (base_name(path) == secret_name || leads_to_secret(opened.fd.get())) entry.kind = FileKind::secret;
  return entry;
}

std::optional<kernel::Problem> SafeRoot::surround(const std::string& folder, const std::string& repository) {
  std::error_code error;
  const std::filesystem::path around = std::filesystem::canonical(repository, error);
  if (error) return kernel::Problem{repository, 0, "--repo", "there is no such folder", "name the repository's folder"};
  const std::filesystem::path place = std::filesystem::canonical(folder, error).lexically_relative(around);
  if (error || place.empty() || *place.begin() == "..")
    return kernel::Problem{repository, 0, "--repo", "the artifact does not lie in it", "name a folder around it"};
  auto opened = open(around.string());
  if (!opened) return opened.problem();
  repository_ = std::make_unique<const SafeRoot>(std::move(*opened));
  place_ = place == "." ? std::string() : place.string();
  return std::nullopt;
}

Entry SafeRoot::look(const std::string& path) const {
  return entry_of(path, open_beneath(path, O_PATH));
}

FileBytes SafeRoot::stream(const std::string& path, std::uint64_t limit,
                           const std::function<void(std::string_view)>& sink) const {
  FileBytes result;
  // O_PATH first, because opening a device for reading can have effects.
  result.kind = look(path).kind;
  if (result.kind != FileKind::regular) return result;
  const Opened opened = open_beneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  result.kind = entry_of(path, opened).kind;
  if (result.kind != FileKind::regular) return result;
  std::array<char, 65536> buffer;
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t got = ::read(opened.fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) result.kind = FileKind::unreadable;
    if (got <= 0) return result;
    total += static_cast<std::uint64_t>(got);
    if (total > limit) {
      result.too_large = true;
      return result;
    }
    sink({buffer.data(), static_cast<std::size_t>(got)});
  }
}

FileBytes SafeRoot::read(const std::string& path, std::uint64_t limit) const {
  std::string bytes;
  if (const Entry entry = look(path); entry.kind == FileKind::regular) {
    if (entry.size > limit) return {FileKind::regular, true, {}};
    bytes.reserve(entry.size);
  }
  FileBytes result = stream(path, limit, [&](std::string_view piece) { bytes += piece; });
  if (result.whole()) result.bytes = std::move(bytes);
  return result;
}

std::optional<std::string> SafeRoot::sha256(const std::string& path, std::uint64_t limit) const {
  kernel::Sha256 digest;
  const FileBytes read = stream(path, limit, [&](std::string_view piece) { digest.update(piece); });
  return read.whole() ? std::optional(digest.hex()) : std::nullopt;
}

std::string SafeRoot::link_target(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == path.npos ? "." : path.substr(0, slash);
  const Opened folder = open_beneath(parent, O_PATH | O_DIRECTORY);
  if (!folder.fd) return "";
  std::array<char, 4096> target{};
  const ssize_t length =
      readlinkat(folder.fd.get(), std::string(base_name(path)).c_str(), target.data(), target.size());
  if (length <= 0 || static_cast<std::size_t>(length) == target.size()) return "";
  return {target.data(), static_cast<std::size_t>(length)};
}

std::string SafeRoot::replace(const std::string& path, std::string_view bytes) const {
  const auto slash = path.rfind('/');
  const std::string name(base_name(path));
  const SafeRoot plain(kernel::Fd(dup(root_.get())), Links::refuse);
  const Opened folder =
      plain.open_beneath(slash == std::string::npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
  struct stat status {};
  if (!folder.fd || name == secret_name || fstatat(folder.fd.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode))
    return "it is no regular file, or is reached by a link";
  const std::string temporary = fmt::format(".{}.etude-{}", name, getpid());
  const kernel::Fd file(
      openat(folder.fd.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return std::strerror(errno);
  const bool whole = fchmod(file.get(), status.st_mode & 07777) == 0 && kernel::write_all(file.get(), bytes);
  if (whole && fsync(file.get()) == 0 &&
      renameat(folder.fd.get(), temporary.c_str(), folder.fd.get(), name.c_str()) == 0)
    return {};
  const std::string why = std::strerror(errno);
  unlinkat(folder.fd.get(), temporary.c_str(), 0);
  return why;
}

std::string SafeRoot::create(const std::string& path, std::string_view bytes) const {
  const std::string name(base_name(path));
  if (name == secret_name) return "files of that name hold a secret";
  const SafeRoot plain(kernel::Fd(dup(root_.get())), Links::refuse);
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (plain.look(folder).kind == FileKind::directory) continue;
    const auto above = folder.rfind('/');
    const Opened parent =
        plain.open_beneath(above == folder.npos ? "." : folder.substr(0, above), O_PATH | O_DIRECTORY);
    if (!parent.fd || mkdirat(parent.fd.get(), std::string(base_name(folder)).c_str(), 0777) != 0)
      return fmt::format("the folder {} cannot be made: {}", quote(folder), std::strerror(errno));
  }
  const auto slash = path.rfind('/');
  const Opened folder = plain.open_beneath(slash == path.npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
  if (!folder.fd) return std::strerror(folder.error);
  const std::string temporary = fmt::format(".{}.etude-{}", name, getpid());
  const kernel::Fd file(
      openat(folder.fd.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) return std::strerror(errno);
  // A link, unlike a rename, replaces no file that came in between.
  const bool whole = kernel::write_all(file.get(), bytes) && fsync(file.get()) == 0 &&
                     linkat(folder.fd.get(), temporary.c_str(), folder.fd.get(), name.c_str(), 0) == 0;
  const std::string why = whole ? std::string() : std::strerror(errno);
  unlinkat(folder.fd.get(), temporary.c_str(), 0);
  return why;
}

std::string SafeRoot::remove(const std::string& path) const {
  const auto slash = path.rfind('/');
  const std::string name(base_name(path));
  const SafeRoot plain(kernel::Fd(dup(root_.get())), Links::refuse);
  const Opened folder = plain.open_beneath(slash == path.npos ? "." : path.substr(0, slash), O_PATH | O_DIRECTORY);
  struct stat status {};
  if (!folder.fd || fstatat(folder.fd.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode))
    return "it is no regular file, or is reached by a link";
  return unlinkat(folder.fd.get(), name.c_str(), 0) == 0 ? std::string() : std::strerror(errno);
}

Listing SafeRoot::list() const {
  Listing listing;
  struct Folder {
    std::string path;
    int depth;
  };
  std::vector<Folder> folders{{"", 0}};
  while (!folders.empty()) {
    const Folder folder = std::move(folders.back());
    folders.pop_back();
    Opened opened = open_beneath(folder.path.empty() ? "." : folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const int copy = opened.fd ? dup(opened.fd.get()) : -1;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : fdopendir(copy), closedir);
    if (!stream) {
      listing.complete = false;
      continue;
    }
    while (const dirent* found = readdir(stream.get())) {
      const std::string name = found->d_name;
      if (name == "." || name == ".." || (name == ".git" && folder.path.empty())) continue;
      if (listing.entries.size() >= most_entries) {
        listing.complete = false;
        folders.clear();
        break;
      }
      Entry entry{.path = folder.path.empty() ? name : folder.path + "/" + name};
      struct stat status {};
      if (fstatat(opened.fd.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        entry.kind = FileKind::unreadable;
      } else if (S_ISLNK(status.st_mode)) {
        entry = look(entry.path);
        entry.link = true;
        if (entry.kind == FileKind::none) entry.kind = FileKind::special;
      } else {
        entry.kind = name == secret_name ? FileKind::secret : kind_of_mode(status.st_mode);
        if (entry.kind == FileKind::regular) entry.size = static_cast<std::uint64_t>(status.st_size);
        entry.executable = entry.kind == FileKind::regular && (status.st_mode & S_IXUSR) != 0;
      }
      if (entry.kind == FileKind::directory && !entry.link) {
        if (folder.depth < deepest_folder)
          folders.push_back({entry.path, folder.depth + 1});
        else
          listing.complete = false;
      }
      listing.entries.push_back(std::move(entry));
    }
  }
  std::ranges::sort(listing.entries, [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return listing;
}

}  // namespace artifacts
