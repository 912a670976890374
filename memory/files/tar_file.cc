#include "memory/files/tar_file.h"

#include <cerrno>
#include <ctime>

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include "memory/files/file.h"

namespace memory {

void TarFile::Freer::operator()(archive* a) const {
  archive_write_free(a);
}

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

void TarFile::folder(const std::string& name) {
  entry(name, 0, AE_IFDIR, 0700);
}

void TarFile::file(const std::string& name, std::int64_t bytes, unsigned mode) {
  entry(name, bytes, AE_IFREG, mode);
}

void TarFile::write(std::string_view part) {
  const la_ssize_t n = archive_write_data(archive_.get(), part.data(), part.size());
  if (n < 0) check(static_cast<int>(n));
}

void TarFile::close() {
  check(archive_write_close(archive_.get()));
}

}  // namespace memory
