#include "executors/image/image_file.h"

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

/// Bytes of the header and of a descriptor. All numbers are little-endian, and nothing is padded.
constexpr std::size_t header_bytes = 128, descriptor_bytes = 585;
/// In the header.
constexpr std::size_t magic_at = 32, descriptors_at = 88;
/// In a descriptor; `system_at` and `role_at` only if it describes a partition.
constexpr std::size_t kind_at = 0, used_at = 4, offset_at = 17, size_at = 25, system_at = 201, role_at = 205;
constexpr std::int64_t kind_partition = 0x4004, role_primary = 2;
/// More than Apptainer writes, which is 48.
constexpr std::int64_t most_descriptors = 4096;
constexpr const char* systems[] = {"", "squashfs", "ext3", "an archive", "raw data", "encrypted squashfs"};

constexpr std::string_view sif_magic("SIF_MAGIC\0", 10);
constexpr std::string_view squashfs_magic = "hsqs";

std::int64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<std::int64_t>(number);
}

/// Shorter at the end of the file.
std::string bytes_at(int file, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t n = pread(file, bytes.data(), size, offset);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

/// The primary partition; none if it is not in the file.
std::optional<ImageFile> primary_partition(int file, std::string_view header, ImageFile image) {
  const std::int64_t count = number_at(header, descriptors_at, 8), first = number_at(header, descriptors_at + 8, 8);
  if (count < 0 || count > most_descriptors || first < 0 || first > image.bytes) return std::nullopt;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::int64_t>(descriptor_bytes);
    const std::string descriptor = bytes_at(file, first + i * size, descriptor_bytes);
    if (descriptor.size() != descriptor_bytes) return std::nullopt;
    if (descriptor[used_at] == 0 || number_at(descriptor, kind_at, 4) != kind_partition ||
        number_at(descriptor, role_at, 4) != role_primary)
      continue;
    image.offset = number_at(descriptor, offset_at, 8);
    const std::int64_t length = number_at(descriptor, size_at, 8);
    if (image.offset <= 0 || length <= 0 || image.offset > image.bytes || length > image.bytes - image.offset)
      return std::nullopt;
    const std::int64_t system = number_at(descriptor, system_at, 4);
    const bool known = system > 0 && system < static_cast<std::int64_t>(std::size(systems));
    image.system = known ? systems[system] : "an unknown file system";
    return image;
  }
  return std::nullopt;
}

}  // namespace

kernel::Problem problem_of_image(std::string why, std::string todo, bool machine) {
  return {"", 0, "environment.use", std::move(why), std::move(todo), machine};
}

kernel::Result<ImageFile> look_at_image(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0)
    return problem_of_image("there is no image at " + path, "check the path; it starts at the study file's folder");
  ImageFile image{path, S_ISDIR(about.st_mode), "", 0, 0};
  if (image.folder) return image;
  const kernel::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file || !S_ISREG(about.st_mode))
    return problem_of_image(path + " cannot be read: " + supervisor::error_text(file ? EINVAL : errno),
                            "name an image that you may read");
  image.bytes = about.st_size;
  const std::string header = bytes_at(file.get(), 0, header_bytes);
  if (header.starts_with(squashfs_magic)) {
    image.system = "squashfs";
    return image;
  }
  if (header.size() != header_bytes || header.compare(magic_at, sif_magic.size(), sif_magic) != 0)
    return problem_of_image(path + " is no image: neither a SIF file nor squashfs nor a folder",
                            "name what `apptainer build` or `apptainer pull` made");
  auto found = primary_partition(file.get(), header, image);
  if (!found)
    return problem_of_image(path + " is a SIF file without a whole root file system",
                            "build or pull it again; `apptainer sif list` shows what it holds");
  return std::move(*found);
}

}  // namespace executors
