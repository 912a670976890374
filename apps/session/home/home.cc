#include "apps/session/home/home.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "memory/files/file.h"
#include "memory/files/home_folder.h"
#include "memory/log/read_connection.h"
#include "memory/store/store.h"

namespace session {

namespace {

/// The lock's file contains its owner's pid.
std::string named_owner(const HomePaths& home) {
  std::ifstream file(home.root + "/lock");
  std::string owner;
  return std::getline(file, owner) && !owner.empty() ? owner : "unknown";
}

kernel::Problem unusable(const std::string& what, const std::string& why, const std::string& todo) {
  return {"", 0, what, why, todo, true};
}

kernel::Problem cannot_be(const std::string& done, const std::string& what, const std::string& error,
                          const std::string& todo = "choose another with --home") {
  return unusable(what, "cannot be " + done + " (" + error + ")", todo);
}

}  // namespace

std::optional<int> owner_of(const HomePaths& home) {
  struct stat about {};
  if (::stat((home.root + "/lock").c_str(), &about) != 0) return std::nullopt;
  // 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(about.st_dev), minor(about.st_dev), about.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, place;
    int pid = 0;
    if (words >> number >> kind >> mode >> access >> pid >> place && kind == "FLOCK" && place == wanted) return pid;
  }
  return std::nullopt;
}

kernel::Problem owned_problem(const HomePaths& home) {
  return unusable("home " + home.root, "is owned by another kernel, process " + named_owner(home),
                  "wait for it to end, or use another --home");
}

kernel::Problem no_active_study(const HomePaths& home, const std::string& study) {
  if (memory::Reader(home.root).study(study))
    return {"", 0, "study " + study, "has ended",
            "`etude show " + study + "` says how, and `etude fork " + study + " --at EVENT` starts a study from it"};
  return {"", 0, "study " + study, "is not in this home", "`etude ls` lists the studies"};
}

std::optional<kernel::Problem> lost_store(const HomePaths& home) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(home.database(), missing);
  if ((!missing && bytes > 0) || memory::without_store(home.root) != memory::Storeless::lost) return std::nullopt;
  return unusable(home.database(), memory::store_lost, "");
}

std::optional<kernel::Reason> no_room(const std::exception& e, const std::string& place) {
  const auto full = [](const std::string& where, const std::string& error) {
    return kernel::Reason{kernel::ReasonCode::disk_without_room, {{"place", where}, {"error", error}}};
  };
  if (const auto* fault = dynamic_cast<const memory::StoreFault*>(&e))
    return fault->full ? std::optional(full(fault->place, fault->error)) : std::nullopt;
  const auto* of_system = dynamic_cast<const std::system_error*>(&e);
  if (!of_system || !memory::is_full(of_system->code().value())) return std::nullopt;
  return full(place, of_system->code().message());
}

kernel::Result<std::optional<HomeLock>> HomeLock::take(const HomePaths& home) {
  std::error_code error;
  std::filesystem::create_directories(home.root, error);
  if (error) return cannot_be("created", "home " + home.root, error.message());
  ::chmod(home.root.c_str(), 0700);
  const std::string path = home.root + "/lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_be("written", "home " + home.root, std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return std::optional<HomeLock>();
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  // Overwritten in place, which needs no space on a full disk.
  if (::pwrite(fd, pid.data(), pid.size(), 0) < 0 || ::ftruncate(fd, static_cast<off_t>(pid.size())) != 0) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return cannot_be("written", path, why, "make room, or choose another home with --home");
  }
  return std::optional<HomeLock>(HomeLock(fd));
}

HomeLock::~HomeLock() {
  if (fd_ >= 0) ::close(fd_);
}

HomeGuest::HomeGuest(const HomePaths& home) {
  std::filesystem::create_directories(home.tries());
  fd_ = ::open(home.tries().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), home.tries());
}

void bring_up_to_date(const HomePaths& home) {
  try {
    if (::access(home.root.c_str(), W_OK) != 0 || !memory::has_older_store(home.root)) return;
    const auto lock = HomeLock::take(home);
    if (lock && *lock) memory::Store store(home.root);
  } catch (const std::exception&) {
    // Who reads the store next says what is wrong.
  }
}

HomeGuest HomeGuest::enter(const HomePaths& home) {
  if (memory::without_store(home.root) == memory::Storeless::nothing && !std::filesystem::exists(home.database()))
    if (const auto lock = HomeLock::take(home); lock && *lock)
      memory::Store{home.root};  // Otherwise the lock's owner is about to create it.
  HomeGuest guest(home);
  while (::flock(guest.fd_, LOCK_SH) != 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), home.tries());
  return guest;
}

std::optional<HomeGuest> HomeGuest::alone(const HomePaths& home) {
  HomeGuest guest(home);
  if (::flock(guest.fd_, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return guest;
}

HomeGuest::~HomeGuest() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace session
