#include "memory/store/backup.h"

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/log/event_log.h"
#include "memory/log/read_connection.h"
#include "memory/store/event_files.h"
#include "memory/store/imports.h"
#include "memory/store/taggings.h"

namespace memory {

namespace fs = std::filesystem;

namespace {

/// Whether the folder holds only files that a backup writes.
bool is_draft(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const std::string name = it->path().filename(); name != "tar" && !name.starts_with("etude.db")) return false;
  return !error;
}

/// A temporary folder next to the file, on the same disk, deleted in the end. It is locked, so that the next backup can
/// recognise and remove a folder whose process was killed.
class DraftFolder {
 public:
  explicit DraftFolder(const fs::path& file) {
    const std::string prefix = "." + file.filename().string() + ".";
    remove_abandoned(file.parent_path(), prefix);
    do {
      folder_.emplace(scratch_folder((file.parent_path() / prefix).string()));
      const std::string& path = folder_->path();
      lock_ = Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (lock_ && ::flock(lock_.get(), LOCK_EX) != 0) throw fault_of_errno(path, "locked");
    } while (!fs::exists(folder_->path()));  // Another backup took it for an abandoned one before it was locked.
  }
  std::string operator/(const char* name) const { return folder_->path() + "/" + name; }

 private:
  static void remove_abandoned(const fs::path& folder, const std::string& prefix) {
    std::error_code error, ignored;
    std::vector<fs::path> abandoned;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename();
      if (name.starts_with(prefix) && name.size() == prefix.size() + kernel::ScratchFolder::random_letters)
        abandoned.push_back(it->path());
    }
    for (const fs::path& draft : abandoned) {
      const Fd lock(::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      struct stat status {};
      const bool ours = lock && ::fstat(lock.get(), &status) == 0 && status.st_uid == ::geteuid() && is_draft(draft);
      if (ours && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(draft, ignored);
    }
  }

  Fd lock_;
  std::optional<kernel::ScratchFolder> folder_;  ///< Deleted before the lock is released.
};

/// A tar archive, written into an open file entry by entry, in constant memory. Faults throw StoreFault with the
/// archive's path.
class TarFile {
 public:
  /// The caller owns `fd` and makes it durable; `path` is for messages.
  TarFile(int fd, std::string path);

  void folder(const std::string& name) { entry(name, 0, AE_IFDIR, 0700); }
  /// Exactly `bytes` bytes must follow by `write`.
  void file(const std::string& name, std::int64_t bytes, unsigned mode) { entry(name, bytes, AE_IFREG, mode); }
  void write(std::string_view part);
  /// Completes the archive.
  void close() { check(archive_write_close(archive_.get())); }

 private:
  struct Freer {
    void operator()(archive* a) const { archive_write_free(a); }
  };
  void entry(const std::string& name, std::int64_t bytes, unsigned type, unsigned mode);
  void check(int code) const;

  const std::string path_;
  std::unique_ptr<archive, Freer> archive_;
};

TarFile::TarFile(int fd, std::string path) : path_(std::move(path)), archive_(archive_write_new()) {
  if (!archive_) throw std::bad_alloc();
  check(archive_write_set_format_pax_restricted(archive_.get()));
  check(archive_write_open_fd(archive_.get(), fd));
}

void TarFile::check(int code) const {
  if (code >= ARCHIVE_WARN) return;
  errno = archive_errno(archive_.get());
  if (errno > 0) throw fault_of_errno(path_, "written");
  const char* why = archive_error_string(archive_.get());
  throw StoreFault(path_, std::string("cannot be written (") + (why ? why : "no reason given") + ")", "");
}

void TarFile::entry(const std::string& name, std::int64_t bytes, unsigned type, unsigned mode) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
  if (!entry) throw std::bad_alloc();
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), type);
  archive_entry_set_perm(entry.get(), static_cast<mode_t>(mode));
  archive_entry_set_size(entry.get(), bytes);
  archive_entry_set_mtime(entry.get(), std::time(nullptr), 0);
  archive_entry_set_uid(entry.get(), ::geteuid());
  archive_entry_set_gid(entry.get(), ::getegid());
  check(archive_write_header(archive_.get(), entry.get()));
}

void TarFile::write(std::string_view part) {
  const la_ssize_t n = archive_write_data(archive_.get(), part.data(), part.size());
  if (n < 0) check(static_cast<int>(n));
}

std::int64_t size_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw fault_of_errno(path, "read");
  return status.st_size;
}

/// All blobs to copy. Those that events name must exist; for events of unknown kinds, every mentioned hash that exists
/// is copied.
std::set<std::string> blobs_of(Database& database, const Blobs& blobs, std::int64_t& events) {
  EventBlobs named(blobs);
  std::set<std::string> all;
  for (const std::string& study : studies_by_age(database)) {
    kernel::Chain chain;
    each_event(database, study, 0, [&](const kernel::StoredEvent& event) {
      refuse_broken(chain, event);
      ++events;
      if (const auto wrong = named.add(event.decoded(), event.study))
        throw StoreFault(event_label(event), *wrong, "", true);
      each_mentioned(event.payload, [&](std::string_view word) {
        if (std::string sha256(word); blobs.exists(sha256)) all.insert(std::move(sha256));
      });
    });
  }
  each_import(database, [&](const StoredImport& row) {
    if (const auto wrong = named.add_folder(row.files, row.id)) throw StoreFault("import " + row.id, *wrong, "", true);
    each_mentioned(row.record, [&](std::string_view word) {
      if (std::string sha256(word); blobs.exists(sha256)) all.insert(std::move(sha256));
    });
  });
  for (const auto& [sha256, by] : named.all()) all.insert(sha256);
  return all;
}

void add_file(TarFile& tar, const std::string& path, const std::string& name) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw fault_of_errno(path, "read");
  tar.file(name, size_of(path), 0600);
  if (!read_parts(fd.get(), [&](std::string_view part) { tar.write(part); })) throw fault_of_errno(path, "read");
}

void add_blobs(TarFile& tar, const Blobs& blobs, const std::set<std::string>& names) {
  tar.folder("blobs");
  std::string last;
  for (const std::string& sha256 : names) {
    const std::string folder = "blobs/" + sha256.substr(0, 2);
    if (folder != last) tar.folder(folder);
    last = folder;
    const std::string place = blobs.path(sha256);
    // `stream` reports a missing blob.
    struct stat status {};
    if (::stat(place.c_str(), &status) == 0) tar.file(folder + "/" + sha256.substr(2), status.st_size, 0400);
    blobs.stream(sha256, [&](std::string_view part) { tar.write(part); });
  }
}

/// Returns false if a file is there that must not be replaced.
bool put_in_place(const std::string& made, const std::string& file, bool replace) {
  if (replace) {
    if (::rename(made.c_str(), file.c_str()) != 0) throw fault_of_errno(file, "written");
    return true;
  }
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) {  // The file system cannot rename without replacing.
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) return put_in_place(made, file, true);
    errno = EEXIST;
  }
  if (errno == EEXIST) return false;
  throw fault_of_errno(file, "written");
}

}  // namespace

kernel::Result<Backup> back_up(const std::string& home, const std::string& wanted, bool replace) {
  const fs::path file = fs::absolute(wanted).lexically_normal();
  const auto problem = [&](std::string why, std::string todo) {
    return kernel::Problem{"", 0, file.string(), std::move(why), std::move(todo)};
  };
  const auto exists = [&] { return problem("exists already", "choose another name, or replace it with --force"); };
  std::error_code error;
  if (!file.has_filename() || fs::is_directory(file, error)) return problem("is a folder", "name a file in it");
  if (!fs::is_directory(file.parent_path(), error))
    return problem("there is no folder " + file.parent_path().string(), "make it, or choose another place");
  if (!replace && fs::exists(fs::symlink_status(file, error))) return exists();
  const ReadConnection connection(home, ReadConnection::Stores::older_too);
  if (!connection.database()) return kernel::Problem{"", 0, home, "there is no store here", "name another with --home"};

  const DraftFolder draft(file);
  const std::string copy = draft / "etude.db", made = draft / "tar";
  connection.database()->copy_to(copy);
  Backup backup{file.string(), 0, 0, 0};
  const Blobs blobs(home + "/blobs");
  const std::set<std::string> names = [&] {
    Database snapshot(copy, Database::Access::immutable);
    check_taggings(snapshot,
                   [&](const std::string& wrong) { throw StoreFault(home, wrong, "see `etude verify`", true); });
    return blobs_of(snapshot, blobs, backup.events);
  }();
  const Fd out(::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) throw fault_of_errno(made, "created");
  TarFile tar(out.get(), file.string());
  add_file(tar, copy, "etude.db");
  add_blobs(tar, blobs, names);
  tar.close();
  sync_file(out.get(), file.string());
  backup.bytes = size_of(made);
  backup.blobs = static_cast<std::int64_t>(names.size());
  if (!put_in_place(made, file.string(), replace)) return exists();
  sync_folder(file.parent_path().string());
  return backup;
}

}  // namespace memory
