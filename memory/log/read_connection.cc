#include "memory/log/read_connection.h"

#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "memory/files/file.h"
#include "memory/files/home_folder.h"
#include "memory/log/migrations.h"

namespace memory {

namespace {

/// Opens and reads, because with a write-ahead log only reading shows a failure.
std::unique_ptr<Database> opened(const std::string& path, Database::Access access) {
  auto database = std::make_unique<Database>(path, access);
  database->integer("SELECT count(*) FROM sqlite_schema");
  return database;
}

bool writable(const std::string& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace

ReadConnection::ReadConnection(const std::string& home, Stores welcome) {
  const std::string path = database_path(home);
  std::error_code error;
  // A home without permission to read must not look empty.
  if (!std::filesystem::exists(path, error) && !(error && error != std::errc::no_such_file_or_directory)) return;
  open(path);
  const auto all = migrations();
  const int version = schema_version(*database_, all);
  if (version == 0) {
    database_.reset();
  } else if (version < static_cast<int>(all.size()) && welcome == Stores::current) {
    throw StoreFault(path, fmt::format("is of an older etude (schema {} of {})", version, all.size()),
                     "make the home writable, and end the etude that owns it: the next command brings it up to date");
  }
}

bool has_older_store(const std::string& home) {
  const ReadConnection connection(home, ReadConnection::Stores::older_too);
  const auto all = migrations();
  return connection.database() && schema_version(*connection.database(), all) < static_cast<int>(all.size());
}

void ReadConnection::open(const std::string& path) {
  // A kernel that was killed while it created its store left a rollback journal, which only a writer can play back.
  // SQLite's locks protect a kernel that is still at work.
  std::error_code unseen;
  if (std::filesystem::exists(path + "-journal", unseen) && writable(std::filesystem::path(path).parent_path()))
    opened(path, Database::Access::write);
  try {
    database_ = opened(path, Database::Access::read);
    return;
  } catch (const StoreFault& fault) {
    if (fault.damage || (!fault.full && writable(std::filesystem::path(path).parent_path()))) throw;
  }
  // The home is read-only or full and SQLite's shared memory is missing, so nothing writes here. What a killed kernel
  // left in the write-ahead log is read from a copy.
  std::error_code error;
  const auto log = std::filesystem::file_size(path + "-wal", error);
  if (error || log == 0)
    database_ = opened(path, Database::Access::immutable);
  else
    open_copy(path);
}

void ReadConnection::open_copy(const std::string& path) {
  copy_.emplace(scratch_folder((std::filesystem::temp_directory_path() / "etude-read-").string()));
  const std::string& folder = copy_->path();
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    std::filesystem::copy_file(path + suffix, folder + "/etude.db" + suffix, error);
    if (error) throw StoreFault(path + suffix, "cannot be copied (" + error.message() + ")", "check its permissions");
  }
  database_ = opened(folder + "/etude.db", Database::Access::write);
}

}  // namespace memory
