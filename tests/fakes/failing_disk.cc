#include "tests/fakes/failing_disk.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fakes {

namespace {

FailingDisk* disk = nullptr;
sqlite3_vfs* below = nullptr;

std::string bytes_at(const std::string& path, std::int64_t at, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd < 0 ? 0 : ::pread(fd, bytes.data(), bytes.size(), at);
  if (fd >= 0) ::close(fd);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::int64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

void put(const std::string& path, std::int64_t at, const std::string& bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool done = fd >= 0 && ::pwrite(fd, bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size());
  if (fd >= 0) ::close(fd);
  if (!done) throw std::runtime_error(path + " cannot be written");
}

void cut(const std::string& path, std::int64_t size) {
  if (::truncate(path.c_str(), size) != 0) throw std::runtime_error(path + " cannot be cut");
}

}  // namespace

/// SQLite's own file lies behind it.
struct FailingDisk::File {
  sqlite3_file base;
  char path[512];
  int generation;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  bool dead() const { return disk->dead_ || generation != disk->generation_; }
  bool counts() const { return path[0] != '\0'; }

  void remember(Change change) {
    change.size_before = size_of(path);
    change.before =
        bytes_at(path, change.at,
                 change.truncates ? change.size_before - change.at : static_cast<std::int64_t>(change.after.size()));
    disk->unflushed_[path].push_back(std::move(change));
  }
};

const sqlite3_io_methods* FailingDisk::methods() {
  static const sqlite3_io_methods table = {
      2,
      [](sqlite3_file* f) { return File::of(f)->real()->pMethods->xClose(File::of(f)->real()); },
      [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
        return File::of(f)->real()->pMethods->xRead(File::of(f)->real(), to, n, at);
      },
      [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
        File& file = *File::of(f);
        if (file.dead()) return SQLITE_IOERR_WRITE;
        switch (disk->asked(Call::write)) {
          case Fault::full:
            return SQLITE_FULL;
          case Fault::error:
            return SQLITE_IOERR_WRITE;
          default:
            break;
        }
        if (file.counts())
          file.remember({at, "", std::string(static_cast<const char*>(from), static_cast<std::size_t>(n))});
        return file.real()->pMethods->xWrite(file.real(), from, n, at);
      },
      [](sqlite3_file* f, sqlite3_int64 size) {
        File& file = *File::of(f);
        if (file.dead() || disk->asked(Call::truncate) == Fault::error) return SQLITE_IOERR_TRUNCATE;
        if (file.counts()) file.remember({size, "", "", 0, true});
        return file.real()->pMethods->xTruncate(file.real(), size);
      },
      [](sqlite3_file* f, int flags) {
        File& file = *File::of(f);
        if (file.dead()) return SQLITE_IOERR_FSYNC;
        const Fault fault = disk->asked(Call::flush);
        if (fault == Fault::error) return SQLITE_IOERR_FSYNC;
        if (fault == Fault::full) return SQLITE_FULL;
        if (fault == Fault::lies) return SQLITE_OK;
        const int code = file.real()->pMethods->xSync(file.real(), flags);
        if (code == SQLITE_OK) disk->unflushed_.erase(file.path);
        ++disk->flushes;
        return code;
      },
      [](sqlite3_file* f, sqlite3_int64* size) {
        return File::of(f)->real()->pMethods->xFileSize(File::of(f)->real(), size);
      },
      [](sqlite3_file* f, int lock) { return File::of(f)->real()->pMethods->xLock(File::of(f)->real(), lock); },
      [](sqlite3_file* f, int lock) { return File::of(f)->real()->pMethods->xUnlock(File::of(f)->real(), lock); },
      [](sqlite3_file* f, int* held) {
        return File::of(f)->real()->pMethods->xCheckReservedLock(File::of(f)->real(), held);
      },
      [](sqlite3_file* f, int what, void* with) {
        return File::of(f)->real()->pMethods->xFileControl(File::of(f)->real(), what, with);
      },
      [](sqlite3_file* f) { return File::of(f)->real()->pMethods->xSectorSize(File::of(f)->real()); },
      [](sqlite3_file* f) { return File::of(f)->real()->pMethods->xDeviceCharacteristics(File::of(f)->real()); },
      [](sqlite3_file* f, int page, int size, int extend, void volatile** at) {
        return File::of(f)->real()->pMethods->xShmMap(File::of(f)->real(), page, size, extend, at);
      },
      [](sqlite3_file* f, int at, int n, int flags) {
        return File::of(f)->real()->pMethods->xShmLock(File::of(f)->real(), at, n, flags);
      },
      [](sqlite3_file* f) { File::of(f)->real()->pMethods->xShmBarrier(File::of(f)->real()); },
      [](sqlite3_file* f, int remove) { return File::of(f)->real()->pMethods->xShmUnmap(File::of(f)->real(), remove); },
      nullptr,
      nullptr,
  };
  return &table;
}

FailingDisk::FailingDisk() {
  if (disk) throw std::logic_error("there is one failing disk at a time");
  disk = this;
  below = sqlite3_vfs_find(nullptr);
  vfs_ = *below;
  vfs_.zName = "failing";
  vfs_.szOsFile = below->szOsFile + static_cast<int>(sizeof(File));
  vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* base, int flags, int* out) {
    File* file = File::of(base);
    std::snprintf(file->path, sizeof file->path, "%s", name ? name : "");
    file->generation = disk->generation_;
    // As SQLite does where a file cannot be opened for writing.
    constexpr int writes = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (disk->read_only && file->counts()) flags = (flags & ~writes) | SQLITE_OPEN_READONLY;
    const int code = below->xOpen(below, name, file->real(), flags, out);
    file->base.pMethods = file->real()->pMethods ? methods() : nullptr;
    return code;
  };
  vfs_.xDelete = [](sqlite3_vfs*, const char* name, int sync_folder) {
    if (disk->dead_ || disk->asked(Call::remove) == Fault::error) return SQLITE_IOERR_DELETE;
    disk->unflushed_.erase(name);
    return below->xDelete(below, name, sync_folder);
  };
  sqlite3_vfs_register(&vfs_, 1);
}

FailingDisk::~FailingDisk() {
  sqlite3_vfs_register(below, 1);
  sqlite3_vfs_unregister(&vfs_);
  disk = nullptr;
}

void FailingDisk::kill() {
  dead_ = true;
  ++generation_;
}

void FailingDisk::cut_power(const std::function<std::int64_t(std::int64_t)>& kept) {
  for (auto& [path, changes] : unflushed_) {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (size_of(path) < change->size_before) cut(path, change->size_before);
      if (!change->before.empty()) put(path, change->at, change->before);
      if (size_of(path) > change->size_before) cut(path, change->size_before);
    }
    for (const Change& change : changes) {
      const auto bytes = static_cast<std::int64_t>(change.after.size());
      const std::int64_t reached = std::min(kept(change.truncates ? 1 : bytes), change.truncates ? 1 : bytes);
      if (reached <= 0) continue;
      if (change.truncates)
        cut(path, std::min(change.at, size_of(path)));
      else
        put(path, change.at, change.after.substr(0, static_cast<std::size_t>(reached)));
    }
  }
  unflushed_.clear();
}

}  // namespace fakes
