#include "memory/files/blobs.h"

#include <cerrno>
#include <set>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

namespace memory {

namespace {

constexpr std::size_t chunk = 1 << 16;
/// For more files than this, one flush of the file system is cheaper than one flush per file.
constexpr std::size_t few = 16;

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// Removes a half-written file unless it was published.
struct Draft {
  std::string path;
  ~Draft() {
    if (!path.empty()) ::unlink(path.c_str());
  }
};

}  // namespace

bool is_blob_name(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

Blobs::Blobs(std::string folder) : folder_(std::move(folder)) {}

Blobs::~Blobs() {
  for (const auto& [name, pending] : pending_) ::unlink(pending.temporary.c_str());
}

std::string Blobs::path(const std::string& sha256) const {
  if (!is_blob_name(sha256)) throw StoreFault("blob `" + sha256 + "`", "is no SHA-256", "", true);
  return folder_ + "/" + sha256.substr(0, 2) + "/" + sha256.substr(2);
}

std::string Blobs::temporary_path() {
  return fmt::format("{}/tmp/{}-{}", folder_, ::getpid(), next_++);
}

void Blobs::make_folder(const std::string& path) const {
  make_private_folder(folder_);
  make_private_folder(path);
}

Fd Blobs::create(const std::string& path) const {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  Fd fd(::open(path.c_str(), flags, 0600));
  if (!fd && errno == ENOENT) {
    make_folder(folder_of(path));
    fd = Fd(::open(path.c_str(), flags, 0600));
  }
  if (!fd) throw fault_of_errno(path, "created");
  return fd;
}

bool Blobs::publish(const std::string& temporary, const std::string& path) const {
  // Another process that stored this name meanwhile stored the same bytes.
  if (::rename(temporary.c_str(), path.c_str()) == 0) return false;
  if (errno == ENOENT) {
    make_folder(folder_of(path));
    if (::rename(temporary.c_str(), path.c_str()) == 0) return true;
  }
  throw fault_of_errno(path, "written");
}

bool Blobs::has(const std::string& sha256, std::int64_t bytes) const {
  struct stat status {};
  // A file of another length was damaged by a failing disk; it is written again.
  return ::stat(path(sha256).c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == bytes;
}

bool Blobs::exists(const std::string& sha256) const {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.contains(sha256)) return true;
  }
  struct stat status {};
  return is_blob_name(sha256) && ::stat(path(sha256).c_str(), &status) == 0;
}

kernel::BlobRef Blobs::settle(const std::string& temporary, int fd, kernel::BlobRef ref, Durable durable) {
  if (::fchmod(fd, 0400) != 0) throw fault_of_errno(temporary, "made read-only");
  if (durable == Durable::later) {
    const std::lock_guard lock(mutex_);
    if (!pending_.try_emplace(ref.sha256, Pending{temporary, ref.bytes}).second) ::unlink(temporary.c_str());
    return ref;
  }
  sync_file(fd, temporary);
  const std::string place = path(ref.sha256);
  if (publish(temporary, place)) sync_folder(folder_);
  sync_folder(folder_of(place));
  return ref;
}

kernel::BlobRef Blobs::put(std::string_view bytes, Durable durable) {
  const kernel::BlobRef ref{kernel::sha256_hex(bytes), static_cast<std::int64_t>(bytes.size())};
  if (has(ref.sha256, ref.bytes)) return ref;
  Draft draft{temporary_path()};
  const Fd fd = create(draft.path);
  write_all(fd.get(), bytes, draft.path);
  settle(draft.path, fd.get(), ref, durable);
  draft.path.clear();
  return ref;
}

kernel::BlobRef Blobs::put_fd(int fd, std::int64_t cap, Durable durable) {
  std::string buffer(chunk, '\0');
  const auto fill = [&] {
    const long n = read_some(fd, buffer.data(), buffer.size());
    if (n < 0) throw fault_of_errno("a file to be stored", "read");
    return std::string_view(buffer).substr(0, static_cast<std::size_t>(n));
  };
  std::string_view part = fill();
  if (static_cast<std::int64_t>(part.size()) > cap) return {};
  if (part.size() < buffer.size()) return put(part, durable);

  Draft draft{temporary_path()};
  const Fd out = create(draft.path);
  kernel::Sha256 digest;
  std::int64_t bytes = 0;
  for (; !part.empty(); part = fill()) {
    bytes += static_cast<std::int64_t>(part.size());
    if (bytes > cap) return {};
    digest.update(part);
    write_all(out.get(), part, draft.path);
  }
  const kernel::BlobRef ref{digest.hex(), bytes};
  if (has(ref.sha256, bytes)) return ref;
  settle(draft.path, out.get(), ref, durable);
  draft.path.clear();
  return ref;
}

void Blobs::sync() {
  const std::lock_guard one(syncing_);
  std::map<std::string, Pending> batch;
  {
    const std::lock_guard lock(mutex_);
    batch = pending_;
  }
  if (batch.empty()) return;
  // Flush bytes before names, so that a name that survives a power cut has its bytes.
  if (batch.size() > few) {
    sync_file_system(folder_);
  } else {
    std::vector<Fd> files;
    for (const auto& [name, pending] : batch) {
      files.emplace_back(::open(pending.temporary.c_str(), O_RDONLY | O_CLOEXEC));
      if (!files.back()) throw fault_of_errno(pending.temporary, "opened");
      // Start all writes before waiting for the first, so that the disk commits once.
      ::sync_file_range(files.back().get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    for (const Fd& file : files) sync_file(file.get(), folder_);
  }
  std::set<std::string> folders;
  for (const auto& [name, pending] : batch) {
    if (publish(pending.temporary, path(name))) folders.insert(folder_);
    folders.insert(folder_of(path(name)));
    const std::lock_guard lock(mutex_);
    pending_.erase(name);
  }
  if (folders.size() > few) {
    sync_file_system(folder_);
  } else {
    for (const std::string& folder : folders) sync_folder(folder);
  }
}

Fd Blobs::open(const std::string& sha256) const {
  const std::string place = path(sha256);
  std::string temporary;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = pending_.find(sha256); it != pending_.end()) temporary = it->second.temporary;
  }
  Fd fd;
  if (!temporary.empty()) fd = Fd(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fd = Fd(::open(place.c_str(), O_RDONLY | O_CLOEXEC));  // It may have been moved there a moment ago.
  if (!fd && errno == ENOENT)
    throw StoreFault(place, "is missing", "restore it from a backup; `etude verify` says what else is", true);
  if (!fd) throw fault_of_errno(place, "read");
  return fd;
}

void Blobs::stream(const std::string& sha256, const std::function<void(std::string_view)>& part) const {
  const Fd fd = open(sha256);
  kernel::Sha256 digest;
  const bool read = read_parts(fd.get(), [&](std::string_view bytes) {
    digest.update(bytes);
    part(bytes);
  });
  if (!read) throw fault_of_errno(path(sha256), "read");
  if (digest.hex() != sha256)
    throw StoreFault(path(sha256), "does not hold the bytes that its name says",
                     "restore it from a backup; `etude verify` says what else is damaged", true);
}

std::string Blobs::get(const std::string& sha256) const {
  std::string bytes;
  if (!sha256.empty()) stream(sha256, [&](std::string_view part) { bytes += part; });
  return bytes;
}

}  // namespace memory
