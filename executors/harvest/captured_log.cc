#include "executors/harvest/captured_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/harvest/harvest.h"
#include "executors/run_protocol/run_files.h"

namespace executors {
namespace {

using supervisor::Fd;
using supervisor::log_header;
using supervisor::log_keep;

/// The two files of one stream, opened as a stranger's: without a sandbox the job could have put anything there.
struct Files {
  Fd head, tail;
  LogExtent extent;

  void measure();
};

std::string read_at(int fd, std::uint64_t at, std::uint64_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(at + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

void Files::measure() {
  struct stat about {};
  extent = {};
  if (head && fstat(head.get(), &about) == 0)
    extent.head = std::min(log_keep, static_cast<std::uint64_t>(about.st_size));
  extent.tail = extent.length = extent.head;
  if (!tail) return;
  const std::string header = read_at(tail.get(), 0, log_header);
  if (header.size() != log_header || !header.starts_with(supervisor::log_magic)) return;
  std::uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= static_cast<std::uint64_t>(
                  static_cast<unsigned char>(header[supervisor::log_magic.size() + static_cast<std::size_t>(i)]))
              << (8 * i);
  if (length <= extent.head) return;
  extent.length = length;
  extent.tail = std::max(extent.head, length > log_keep ? length - log_keep : 0);
}

Files open_files(const std::string& run_folder, Stream stream) {
  Files files;
  const Fd folder(open(run_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return files;
  const std::string name = stream == Stream::out ? "stdout" : "stderr";
  if (auto head = open_beneath(folder.get(), name + ".head")) files.head = std::move(head->fd);
  if (auto tail = open_beneath(folder.get(), name + ".tail")) files.tail = std::move(tail->fd);
  files.measure();
  return files;
}

/// [from, to) of the ring; both within the tail.
std::string read_ring(int fd, std::uint64_t from, std::uint64_t to) {
  std::string bytes;
  while (from < to) {
    const std::uint64_t at = (from - log_keep) % log_keep;
    const std::uint64_t count = std::min(to - from, log_keep - at);
    bytes += read_at(fd, log_header + at, count);
    from += count;
  }
  return bytes;
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

LogExtent log_extent(const std::string& run_folder, Stream stream) {
  return open_files(run_folder, stream).extent;
}

std::string read_log(const std::string& run_folder, Stream stream, std::uint64_t offset, std::uint64_t count) {
  Files files = open_files(run_folder, stream);
  const LogExtent seen = files.extent;
  const std::uint64_t end = count > seen.length || offset > seen.length - count ? seen.length : offset + count;
  if (offset >= end) return "";
  std::string text;
  if (offset < seen.head) text = read_at(files.head.get(), offset, std::min(end, seen.head) - offset);
  if (end <= seen.head) return text;

  std::uint64_t from = std::max(offset, seen.tail);
  std::string late = from < end ? read_ring(files.tail.get(), from, end) : "";
  // A running job may have overwritten the oldest of these bytes while they were read.
  files.measure();
  if (files.extent.tail > from) {
    late.erase(0, std::min<std::uint64_t>(files.extent.tail - from, late.size()));
    from = files.extent.tail;
  }
  if (offset < from && from > seen.head) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "[etude: " + with_commas(from - seen.head) + " bytes left out]\n";
  }
  return text + late;
}

}  // namespace executors
