#include "base/remove_tree.h"

#include <cstdlib>
#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Whether the function returns true in a process of a user for whom permissions hold, in a new folder of that user.
bool holds_for_ordinary_user(const std::function<bool(const std::string&)>& function) {
  constexpr unsigned nobody = 65534;
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setresgid(nobody, nobody, nobody) != 0 || setresuid(nobody, nobody, nobody) != 0)) _exit(2);
    char name[] = "/tmp/etude-remove-XXXXXX";
    _exit(mkdtemp(name) && function(name) && access(name, F_OK) != 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool made(const std::string& file) {
  const int fd = open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
  return fd >= 0 && close(fd) == 0;
}

}  // namespace

TEST_CASE("a folder whose owner took all permissions from its parts is deleted") {
  CHECK(holds_for_ordinary_user([](const std::string& top) {
    const std::string a = top + "/a", b = a + "/b", c = b + "/c";
    for (const std::string& folder : {a, b, c})
      if (mkdir(folder.c_str(), 0755) != 0 || !made(folder + "/file")) return false;
    if (mkdir((a + "/closed").c_str(), 0) != 0 || chmod(c.c_str(), 0) != 0 || chmod(b.c_str(), 0555) != 0 ||
        chmod(a.c_str(), 0555) != 0 || chmod(top.c_str(), 0555) != 0)
      return false;
    return kernel::remove_tree(top);
  }));
}

TEST_CASE("a tree that is deeper than the number of files that may be open is deleted") {
  CHECK(holds_for_ordinary_user([](const std::string& top) {
    if (chdir(top.c_str()) != 0) return false;
    for (int depth = 0; depth < 3000; ++depth)
      if (mkdir(".removed-1", 0755) != 0 || !made("file") || chdir(".removed-1") != 0) return false;
    return chdir("/") == 0 && kernel::remove_tree(top);
  }));
}

TEST_CASE("what a link points to stays") {
  char name[] = "/tmp/etude-remove-XXXXXX";
  REQUIRE(mkdtemp(name));
  const std::string kept = std::string(name) + "-kept", top = name;
  REQUIRE(mkdir(kept.c_str(), 0555) == 0);
  REQUIRE(symlink(kept.c_str(), (top + "/link").c_str()) == 0);
  CHECK(kernel::remove_tree(top));
  struct stat about {};
  REQUIRE(stat(kept.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0555);
  CHECK(kernel::remove_tree(kept));
  CHECK(kernel::remove_tree(kept));
}
