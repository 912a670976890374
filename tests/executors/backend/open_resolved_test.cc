#include "executors/run_protocol/open_resolved.h"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scratch_folder.h"

namespace fs = std::filesystem;
using kernel::Fd;

namespace {

constexpr std::uint64_t beneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;

/// A folder `in` with files and links. Beside it lies a file, which no path in the folder may reach.
struct Tree {
  kernel::ScratchFolder folder = kernel::ScratchFolder::in_tmp("etude-open-");
  Fd root;

  Tree() {
    const fs::path outside = folder.path();
    const fs::path in = outside / "in";
    fs::create_directories(in / "a/b");
    for (const fs::path& file : {outside / "secret", in / "file", in / "a/file", in / "a/b/file"})
      std::ofstream(file) << "x";
    fs::create_symlink("a/b", in / "to_folder");
    fs::create_symlink("../file", in / "a/up");
    fs::create_symlink("../secret", in / "out");
    fs::create_symlink("../../..", in / "a/b/far_out");
    fs::create_symlink((in / "file").string(), in / "absolute");
    fs::create_symlink("loop", in / "loop");
    fs::create_symlink("nothing", in / "dangling");
    root.reset(open(in.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
};

/// The file's number, or the negative error.
long opened(int fd) {
  const int error = errno;
  const Fd file(fd);
  struct stat about {};
  return file && fstat(file.get(), &about) == 0 ? static_cast<long>(about.st_ino) : -error;
}

}  // namespace

TEST_CASE("a path taken step by step ends where openat2 ends, or fails as it does") {
  const Tree tree;
  if (syscall(SYS_openat2, -1, "", nullptr, 0) != 0 && errno == ENOSYS) {
    WARN("skipped: no openat2 to compare with");
    return;
  }
  for (const std::uint64_t resolve : {beneath, beneath | RESOLVE_NO_SYMLINKS, beneath | RESOLVE_NO_XDEV})
    for (const int flags : {O_RDONLY, O_PATH, O_RDONLY | O_DIRECTORY})
      for (const char* path : {"file",
                               "a/file",
                               "a/b/file",
                               "a//b/./file",
                               "a/../file",
                               "a",
                               "a/",
                               ".",
                               "to_folder/file",
                               "to_folder",
                               "a/up",
                               "out",
                               "to_folder/far_out",
                               "to_folder/../file",
                               "a/b/far_out/secret",
                               "absolute",
                               "loop",
                               "dangling",
                               "..",
                               "a/../..",
                               "../secret",
                               "/",
                               "/etc/passwd",
                               "file/x",
                               "file/",
                               "none",
                               "none/file",
                               ""}) {
        INFO(path << ", resolve " << resolve << ", flags " << flags);
        const auto at = static_cast<std::uint64_t>(flags);
        CHECK(opened(supervisor::open_by_steps(tree.root.get(), path, at, resolve)) ==
              opened(supervisor::open_resolved(tree.root.get(), path, at, resolve)));
      }
}

TEST_CASE("a path taken step by step does not enter another file system if it must not") {
  const Fd root(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(supervisor::open_by_steps(root.get(), "proc/self/status", O_RDONLY, beneath | RESOLVE_NO_XDEV) == -1);
  CHECK(errno == EXDEV);
}
