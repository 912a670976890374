#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <archive.h>
#include <archive_entry.h>

#include "artifacts/export/export.h"
#include "artifacts/text/new_file.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

/// Writes every byte that the listing states, or throws: a file that changes meanwhile does not belong to the artifact.
void every_byte(const SafeRoot& root, const Entry& entry, const std::function<void(std::string_view)>& sink) {
  std::uint64_t seen = 0;
  const FileBytes read = root.stream(entry.path, any_size, [&](std::string_view piece) {
    seen += piece.size();
    if (seen <= entry.size) sink(piece);
  });
  if (read.kind != FileKind::regular || seen != entry.size)
    throw std::runtime_error(printable(entry.path) + " changed while it was exported: export it again");
}

/// A zip archive being written.
class ZipFile {
 public:
  explicit ZipFile(int fd) : archive_(archive_write_new(), archive_write_free) {
    if (!archive_) throw std::bad_alloc();
    check(archive_write_set_format_zip(archive_.get()));
    check(archive_write_set_options(archive_.get(), "zip:compression=deflate,zip:hdrcharset=UTF-8"));
    check(archive_write_open_fd(archive_.get(), fd));
  }
  void folder(const std::string& name) { header(name, AE_IFDIR, 0755, 0); }
  void file(const std::string& name, bool executable, std::uint64_t bytes) {
    header(name, AE_IFREG, executable ? 0755 : 0644, bytes);
  }
  void link(const std::string& name, const std::string& target) { header(name, AE_IFLNK, 0777, 0, target); }
  void write(std::string_view bytes) {
    if (archive_write_data(archive_.get(), bytes.data(), bytes.size()) < 0) check(ARCHIVE_FATAL);
  }
  void close() { check(archive_write_close(archive_.get())); }

 private:
  void header(const std::string& name, unsigned type, unsigned mode, std::uint64_t bytes,
              const std::string& target = "") {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    if (!entry) throw std::bad_alloc();
    archive_entry_set_pathname_utf8(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), type);
    archive_entry_set_perm(entry.get(), static_cast<mode_t>(mode));
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
    // Without a time the format uses its first day, in any time zone.
    archive_entry_unset_mtime(entry.get());
    if (!target.empty()) archive_entry_set_symlink_utf8(entry.get(), target.c_str());
    check(archive_write_header(archive_.get(), entry.get()));
  }
  void check(int code) const {
    if (code >= ARCHIVE_WARN) return;
    const char* why = archive_error_string(archive_.get());
    throw std::runtime_error(std::string("the archive cannot be written: ") + (why ? why : std::strerror(errno)));
  }
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

}  // namespace

kernel::Result<ExportFiles> files_to_export(const SafeRoot& root) {
  Listing listing = root.list();
  if (!listing.complete)
    return kernel::Problem{"", 0, "the artifact", "it has more files, or deeper folders, than an artifact has",
                           "`etude check` says more"};
  ExportFiles files;
  for (Entry& entry : listing.entries) {
    // A link stays a link if its target also exists for readers elsewhere.
    const bool leads = !entry.link || !root.link_target(entry.path).starts_with('/');
    if (!leads || (entry.kind != FileKind::regular && entry.kind != FileKind::directory))
      files.left_out.push_back(entry.path);
    else
      files.entries.push_back(std::move(entry));
  }
  return files;
}

Exported export_folder(const SafeRoot& root, const ExportFiles& files, const std::string& folder) {
  Exported done;
  const fs::path target(folder);
  if (!fs::create_directory(target)) throw std::system_error(EEXIST, std::generic_category(), folder);
  for (const Entry& entry : files.entries) {
    if (files.added.contains(entry.path)) continue;
    const fs::path path = target / entry.path;
    if (entry.link) {
      fs::create_symlink(root.link_target(entry.path), path);
    } else if (entry.kind == FileKind::directory) {
      fs::create_directory(path);
    } else {
      NewFile file(path.string(), entry.executable ? 0755 : 0644);
      every_byte(root, entry, [&](std::string_view piece) { file.add(piece); });
      done.bytes += static_cast<long long>(entry.size);
      ++done.files;
    }
  }
  for (const auto& [path, bytes] : files.added) {
    fs::create_directories((target / path).parent_path());
    NewFile((target / path).string(), 0644).add(bytes);
    done.bytes += static_cast<long long>(bytes.size());
    ++done.files;
  }
  return done;
}

Exported export_zip(const SafeRoot& root, const ExportFiles& files, const std::string& prefix, int fd) {
  Exported done;
  ZipFile zip(fd);
  zip.folder(prefix + "/");
  for (const Entry& entry : files.entries) {
    if (files.added.contains(entry.path)) continue;
    const std::string name = prefix + "/" + entry.path;
    if (entry.link) {
      zip.link(name, root.link_target(entry.path));
    } else if (entry.kind == FileKind::directory) {
      zip.folder(name + "/");
    } else {
      zip.file(name, entry.executable, entry.size);
      every_byte(root, entry, [&](std::string_view piece) { zip.write(piece); });
      done.bytes += static_cast<long long>(entry.size);
      ++done.files;
    }
  }
  for (const auto& [path, bytes] : files.added) {
    zip.file(prefix + "/" + path, false, bytes.size());
    zip.write(bytes);
    done.bytes += static_cast<long long>(bytes.size());
    ++done.files;
  }
  zip.close();
  return done;
}

}  // namespace artifacts
