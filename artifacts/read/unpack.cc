#include "artifacts/read/unpack.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifacts/read/safe_root.h"
#include "artifacts/read/zip_directory.h"
#include "artifacts/text/new_file.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

namespace fs = std::filesystem;

struct CloseArchive {
  void operator()(archive* one) const { archive_read_free(one); }
};
using OpenArchive = std::unique_ptr<archive, CloseArchive>;

/// Makes libarchive treat names as UTF-8 in every locale, on this thread only.
class Utf8Names {
 public:
  Utf8Names()
      : own_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{})), before_(own_ ? ::uselocale(own_) : locale_t{}) {}
  ~Utf8Names() {
    if (!own_) return;
    ::uselocale(before_);
    ::freelocale(own_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  const locale_t own_, before_;
};

/// Why a zip is refused.
struct Refused {
  std::string why;
};

Refused too_many(const UnpackLimits& limits) {
  return {fmt::format("it holds more than {} entries", limits.entries)};
}

[[noreturn]] void unpack_fault(const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), "cannot unpack " + printable(path.string()));
}

/// The parts of a name that stays below its folder; none if it does not.
std::optional<std::vector<std::string>> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string::npos) return std::nullopt;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    std::string part = name.substr(start, end - start);
    start = end + 1;
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
  }
  return parts;
}

class Unpacker {
 public:
  Unpacker(archive* from, fs::path to, const UnpackLimits& limits) : from_(from), to_(std::move(to)), limits_(limits) {}

  void all() {
    archive_entry* entry = nullptr;
    for (;;) {
      const int code = archive_read_next_header(from_, &entry);
      if (code == ARCHIVE_EOF) break;
      if (code < ARCHIVE_WARN)
        throw Refused{entries_ == 0 ? "it is neither a folder nor a zip" : said_by_library("it cannot be read")};
      if (++entries_ > limits_.entries) throw too_many(limits_);
      one(entry);
    }
    if (entries_ == 0) throw Refused{"it holds nothing"};
    // Links come last, so that no file is written through a link.
    for (const auto& [name, target] : links_)
      if (::symlink(target.c_str(), (to_ / name).c_str()) != 0) unpack_fault(to_ / name);
    for (const auto& [name, target] : links_) leads_inside(name);
  }

 private:
  /// Also checks paths through other links.
  void leads_inside(const std::string& name) const {
    std::error_code error;
    const std::string there = fs::canonical(to_ / name, error).string();
    if (error || !(there + "/").starts_with(fs::canonical(to_).string() + "/"))
      throw Refused{"«" + printable(name) + "» is a link that leads out of it, or nowhere"};
  }

  std::string said_by_library(const std::string& otherwise) const {
    const char* text = archive_error_string(from_);
    return text ? "it cannot be read: " + printable(text) : otherwise;
  }

  void one(archive_entry* entry) {
    const char* raw = archive_entry_pathname(entry);
    const std::string said = raw ? raw : "";
    const auto parts = parts_of(said);
    if (!parts) throw Refused{"«" + printable(said) + "» would lie elsewhere"};
    if (parts->empty()) return;
    if (parts->size() > limits_.depth) throw Refused{fmt::format("it has folders more than {} deep", limits_.depth)};
    std::string name;
    for (std::size_t i = 0; i + 1 < parts->size(); ++i) folder(name += (name.empty() ? "" : "/") + (*parts)[i]);
    name += (name.empty() ? "" : "/") + parts->back();
    const mode_t type = archive_entry_filetype(entry);
    if (archive_entry_hardlink(entry) || (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK))
      throw Refused{"«" + printable(name) + "» is neither a file nor a folder"};
    if (type == AE_IFDIR) return folder(name);
    if (!files_.insert(name).second || folders_.contains(name))
      throw Refused{"«" + printable(name) + "» is there twice"};
    if (type == AE_IFREG) return file(name, (archive_entry_perm(entry) & S_IXUSR) != 0);
    const char* target = archive_entry_symlink(entry);
    if (!target || !*target) throw Refused{"«" + printable(name) + "» is a link that leads nowhere"};
    links_.emplace(name, target);
  }

  void folder(const std::string& name) {
    if (files_.contains(name)) throw Refused{"«" + printable(name) + "» is there twice"};
    if (!folders_.insert(name).second) return;
    if (folders_.size() > limits_.entries) throw Refused{fmt::format("it holds more than {} folders", limits_.entries)};
    if (::mkdir((to_ / name).c_str(), 0700) != 0) unpack_fault(to_ / name);
  }

  void file(const std::string& name, bool executable) {
    NewFile out((to_ / name).string(), executable ? 0700 : 0600);
    char bytes[1 << 16];
    for (;;) {
      const la_ssize_t got = archive_read_data(from_, bytes, sizeof bytes);
      if (got == 0) return out.close();
      if (got < 0) throw Refused{"«" + printable(name) + "»: " + said_by_library("it cannot be read")};
      bytes_ += static_cast<std::uint64_t>(got);
      if (bytes_ > limits_.bytes) throw Refused{fmt::format("it holds more than {} MB", limits_.bytes >> 20)};
      out.add({bytes, static_cast<std::size_t>(got)});
    }
  }

  archive* from_;
  const fs::path to_;
  const UnpackLimits limits_;
  std::uint64_t entries_ = 0, bytes_ = 0;
  std::set<std::string> files_, folders_;  ///< `files_` includes links.
  std::map<std::string, std::string> links_;
};

/// The only folder in a zip, if it has nothing else.
fs::path only_folder(const fs::path& of) {
  fs::directory_iterator it(of);
  if (it == fs::directory_iterator()) return of;
  const fs::directory_entry first = *it;
  return ++it == fs::directory_iterator() && first.is_directory() && !first.is_symlink() ? first.path() : of;
}

}  // namespace

kernel::Result<Arrived> Arrived::open(const std::string& path, const UnpackLimits& limits) {
  // Other kinds of files are refused when they are opened as a folder.
  const kernel::Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Arrived(path);
  Arrived arrived(path);
  arrived.made_ = std::make_unique<kernel::ScratchFolder>(kernel::ScratchFolder::in_tmp("etude-artifact-"));
  const Utf8Names names;
  const OpenArchive reading(archive_read_new());
  try {
    if (entries_of_zip(file.get(), limits.entries) > limits.entries) throw too_many(limits);
    if (archive_read_support_format_zip_seekable(reading.get()) != ARCHIVE_OK ||
        archive_read_open_fd(reading.get(), file.get(), 1 << 16) != ARCHIVE_OK)
      throw Refused{"it is neither a folder nor a zip"};
    Unpacker(reading.get(), arrived.made_->path(), limits).all();
  } catch (const Refused& refused) {
    return kernel::Problem{.file = printable(path),
                           .what = "artifact",
                           .why = refused.why,
                           .todo = "give an artifact's folder, or a zip as `etude export --to zip` makes it"};
  }
  arrived.folder_ = only_folder(arrived.made_->path()).string();
  return arrived;
}

}  // namespace artifacts
