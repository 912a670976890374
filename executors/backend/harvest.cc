#include "executors/backend/harvest.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/utf8.h"
#include "executors/run_protocol/log_marks.h"
#include "executors/run_protocol/open_resolved.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

using kernel::Fd;
using supervisor::log_header;
using supervisor::log_keep;

constexpr int deepest_folder = 64;
constexpr std::int64_t most_seen = 100'000;
// These names are stored in an event and in a document of every run.
constexpr std::size_t most_named = 20, longest_path = 200;
/// File times may lag behind the clock of the job's start.
constexpr std::int64_t clock_lag_ms = 10;
constexpr const char* no_such_file = "there is no such file";

OutputProblem cannot(const std::string& path, std::string why, NoOutput kind = NoOutput::unreadable) {
  return {{"", 0, path, std::move(why), ""}, kind};
}

OutputProblem absent(const std::string& path) {
  return cannot(path, no_such_file, NoOutput::absent);
}

OutputProblem not_written(const std::string& path) {
  return cannot(path, "the job did not write it; it came with the workspace", NoOutput::not_written);
}

int open_safely(int folder, const std::string& path, std::uint64_t flags) {
  constexpr std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return supervisor::open_resolved(folder, path, flags, resolve);
}

Fd open_folder(const std::string& path) {
  return Fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Opens a folder of the run folder; empty if the job replaced it by a link.
Fd open_folder(const std::string& run_folder, const char* place) {
  const Fd folder = open_folder(run_folder);
  return folder ? Fd(open_safely(folder.get(), place, O_RDONLY | O_DIRECTORY)) : Fd();
}

std::string why_not_open() {
  switch (errno) {
    case ENOENT:
      return no_such_file;
    case ELOOP:
      return "a symbolic link";
    case EXDEV:
      return "leads out of its folder";
    case ENXIO:
      return "not a regular file";
    default:
      return supervisor::error_text(errno);
  }
}

/// The bytes from `at`, fewer at the end of the file, or if the disk refuses (`failed`, with errno).
std::string read_at(int fd, std::uint64_t at, std::uint64_t count, bool* failed = nullptr) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(at + have));
    if (n < 0 && errno == EINTR) continue;
    if (failed) *failed = n < 0;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

/// At most `cap` bytes.
OutputResult<std::string> read_up_to(const OpenOutput& file, std::int64_t cap, const std::string& path) {
  bool failed = false;
  std::string text = read_at(file.fd.get(), 0, static_cast<std::uint64_t>(std::min(file.size, cap)), &failed);
  if (failed) return cannot(path, supervisor::error_text(errno));
  return text;
}

/// Lists a folder's files; `budget` is the number that may still be listed.
class Listing {
 public:
  Listing(Outputs& outputs, std::size_t files, std::int64_t bytes, const Wanted& wanted)
      : outputs_(outputs), files_left_(files), bytes_left_(bytes), wanted_(wanted) {}

  void add_folder(int folder, const std::string& prefix, int depth) {
    supervisor::Entries entries(folder, ".");
    if (!entries) return leave_out(outputs_.left_out, prefix, supervisor::error_text(errno));
    std::vector<std::string> names;
    while (const char* name = entries.next()) names.emplace_back(name);
    std::ranges::sort(names);
    for (const std::string& name : names)
      if (!outputs_.left_out.more) add_entry(folder, prefix, name, depth);
  }

 private:
  void add_entry(int folder, const std::string& prefix, const std::string& name, int depth) {
    const std::string path = prefix + name;
    if (++seen_ > most_seen) {
      outputs_.left_out.more = true;
      return;
    }
    struct stat about {};
    if (fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
      return leave_out(outputs_.left_out, path, supervisor::error_text(errno));
    if (S_ISDIR(about.st_mode)) {
      if (depth >= deepest_folder) return leave_out(outputs_.left_out, path, "nested too deep");
      const Fd inner(open_safely(folder, name, O_RDONLY | O_DIRECTORY));
      return inner ? add_folder(inner.get(), path + "/", depth + 1)
                   : leave_out(outputs_.left_out, path, why_not_open());
    }
    if (wanted_ && !wanted_(path)) return;
    if (S_ISLNK(about.st_mode)) return leave_out(outputs_.left_out, path, "a symbolic link");
    if (!S_ISREG(about.st_mode)) return leave_out(outputs_.left_out, path, "not a regular file");
    if (files_left_ == 0) return leave_out(outputs_.left_out, path, "too many files");
    if (about.st_size > bytes_left_)
      return leave_out(outputs_.left_out, path, "too large for what is left of the limit");
    --files_left_;
    bytes_left_ -= about.st_size;
    outputs_.files.push_back({path, about.st_size});
  }

  Outputs& outputs_;
  std::size_t files_left_;
  std::int64_t bytes_left_;
  const Wanted& wanted_;
  std::int64_t seen_ = 0;
};

/// The two files of one stream. They are untrusted: without a sandbox the job can replace them.
struct Files {
  Fd head, tail;
  LogExtent extent;

  void measure();
};

void Files::measure() {
  struct stat about {};
  extent = {};
  if (head && fstat(head.get(), &about) == 0)
    extent.head = std::min(log_keep, static_cast<std::uint64_t>(about.st_size));
  extent.tail = extent.length = extent.head;
  if (!tail) return;
  const std::string header = read_at(tail.get(), 0, log_header);
  if (header.size() != log_header || !header.starts_with(supervisor::log_magic)) return;
  const std::uint64_t length = supervisor::number_at(header, supervisor::log_magic.size());
  if (length <= extent.head) return;
  extent.length = length;
  extent.tail = std::max(extent.head, length > log_keep ? length - log_keep : 0);
}

Files open_files(const std::string& run_folder, OutputStream stream) {
  Files files;
  const Fd folder = open_folder(run_folder);
  if (!folder) return files;
  const std::string name = stream == OutputStream::out ? "stdout" : "stderr";
  if (auto head = open_beneath(folder.get(), name + ".head")) files.head = std::move(head->fd);
  if (auto tail = open_beneath(folder.get(), name + ".tail")) files.tail = std::move(tail->fd);
  files.measure();
  return files;
}

/// Bytes [from, to) of the ring; both ends lie within the tail.
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

/// Kept bytes of a log; of which bytes, if all were asked for.
struct KeptLog {
  std::string text;
  LogExtent extent;
};

KeptLog read_log(const std::string& run_folder, OutputStream stream, std::uint64_t offset = 0,
                 std::uint64_t count = UINT64_MAX) {
  Files files = open_files(run_folder, stream);
  const LogExtent seen = files.extent;
  const std::uint64_t end = count > seen.length || offset > seen.length - count ? seen.length : offset + count;
  if (offset >= end) return {"", seen};
  std::string text;
  if (offset < seen.head) text = read_at(files.head.get(), offset, std::min(end, seen.head) - offset);
  if (end <= seen.head) return {std::move(text), seen};

  std::uint64_t from = std::max(offset, seen.tail);
  std::string late = from < end ? read_ring(files.tail.get(), from, end) : "";
  // A running job may have overwritten the oldest of these bytes during the read.
  files.measure();
  if (files.extent.tail > from) {
    late.erase(0, std::min<std::uint64_t>(files.extent.tail - from, late.size()));
    from = files.extent.tail;
  }
  if (offset < from && from > seen.head) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "[etude: " + with_commas(from - seen.head) + " bytes left out]\n";
  }
  const std::uint64_t length = from + late.size();
  return {text + late, {seen.head, from, length}};
}

std::optional<supervisor::LogMarks> marks_in(const std::string& run_folder) {
  const Fd folder = open_folder(run_folder);
  if (!folder) return std::nullopt;
  const auto file = open_beneath(folder.get(), supervisor::order_file);
  return file ? supervisor::read_log_marks(file->fd.get()) : std::nullopt;
}

/// Of a position in a stream, the position in the text of its kept bytes. The line at a gap comes after the gap.
std::size_t place_in_text(const LogExtent& extent, std::size_t text_size, std::uint64_t position) {
  if (position <= extent.head || position < extent.tail) return std::min({position, extent.head, text_size});
  return text_size - std::min(text_size, extent.length - std::min(position, extent.length));
}

/// When lines of the kept texts were complete; none if it is not known.
std::optional<std::vector<LineOrder::Moment>> moments_of(const std::optional<supervisor::LogMarks>& marks,
                                                         const LogExtent& out, std::size_t out_size,
                                                         const LogExtent& err, std::size_t err_size) {
  std::vector<LineOrder::Moment> moments;
  if (out_size == 0 || err_size == 0) moments.emplace_back(out_size, err_size);
  if (!moments.empty()) return moments;
  if (!marks) return std::nullopt;
  const auto add = [&](const supervisor::LogMark& mark) {
    moments.emplace_back(place_in_text(out, out_size, mark.out), place_in_text(err, err_size, mark.err));
  };
  for (const supervisor::LogMark& mark : marks->marks) add(mark);
  add(marks->settled);
  return moments;
}

}  // namespace

OutputResult<OpenOutput> open_beneath(int folder, const std::string& path) {
  // O_NONBLOCK: opening a pipe in this place must not wait for its writer.
  OpenOutput file{Fd(open_safely(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY)), 0, 0};
  if (!file.fd) return errno == ENOENT ? absent(path) : cannot(path, why_not_open());
  struct stat about {};
  if (fstat(file.fd.get(), &about) != 0) return cannot(path, supervisor::error_text(errno));
  if (!S_ISREG(about.st_mode)) return cannot(path, "not a regular file");
  file.size = about.st_size;
  file.modified_ms = std::int64_t{about.st_mtim.tv_sec} * 1000 + about.st_mtim.tv_nsec / 1000000;
  return file;
}

Harvest Harvest::evaluation() const {
  return Harvest(folder_ + "/" + supervisor::evaluator_folder);
}

std::string Harvest::work() const {
  return folder_ + "/" + supervisor::work_folder;
}

kernel::Result<Bytes> Harvest::metrics(std::int64_t cap) const {
  const Fd folder = open_folder(folder_);
  if (!folder) return cannot(folder_, supervisor::error_text(errno));
  const auto file = open_beneath(folder.get(), supervisor::metrics_file);
  if (!file && file.problem().kind == NoOutput::absent) return Bytes{};
  if (!file) return file.problem();
  auto text = read_up_to(*file, cap, supervisor::metrics_file);
  if (!text) return text.problem();
  return Bytes{std::move(*text), file->size > cap};
}

std::string Harvest::end_of_metrics(std::uint64_t most) const {
  const Fd folder = open_folder(folder_);
  if (!folder) return "";
  const auto file = open_beneath(folder.get(), supervisor::metrics_file);
  if (!file) return "";
  const std::uint64_t size = static_cast<std::uint64_t>(file->size), count = std::min(size, most);
  return read_at(file->fd.get(), size - count, count);
}

OutputResult<std::string> Harvest::result(const std::string& path, std::int64_t cap, std::int64_t started_ms) const {
  OutputProblem problem = absent(path);
  for (const char* place : {supervisor::out_folder, supervisor::work_folder}) {
    const Fd folder = open_folder(folder_, place);
    if (!folder) continue;
    const auto file = open_beneath(folder.get(), path);
    if (!file) {
      if (file.problem().kind != NoOutput::absent) problem = file.problem();
      continue;
    }
    if (place == supervisor::work_folder && file->modified_ms < started_ms - clock_lag_ms) {
      problem = not_written(path);
      continue;
    }
    if (file->size > cap) return cannot(path, "larger than " + std::to_string(cap) + " bytes");
    return read_up_to(*file, cap, path);
  }
  return problem;
}

kernel::Result<std::string> Harvest::find_result(const std::string& path, std::int64_t started_ms) const {
  kernel::Problem problem = absent(path);
  for (const char* place : {supervisor::out_folder, supervisor::work_folder}) {
    const Fd folder = open_folder(folder_, place);
    if (!folder) continue;
    const Fd found(open_safely(folder.get(), path, O_PATH));
    struct stat about {};
    if (!found || fstat(found.get(), &about) != 0) {
      if (errno != ENOENT) problem = cannot(path, why_not_open());
      continue;
    }
    const std::int64_t modified_ms = std::int64_t{about.st_mtim.tv_sec} * 1000 + about.st_mtim.tv_nsec / 1000000;
    if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
      problem = cannot(path, "neither a file nor a folder");
    else if (S_ISREG(about.st_mode) && place == supervisor::work_folder && modified_ms < started_ms - clock_lag_ms)
      problem = not_written(path);
    else
      return folder_ + "/" + place + "/" + path;
  }
  return problem;
}

std::string Harvest::sha256_of_work(const std::string& path) const {
  const Fd folder = open_folder(folder_, supervisor::work_folder);
  const auto file = folder ? open_beneath(folder.get(), path) : OutputResult<OpenOutput>(absent(path));
  if (!file) return "";
  kernel::Sha256 digest;
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t n = read(file->fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return "";
    if (n == 0) return digest.hex();
    digest.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
  }
}

void leave_out(kernel::LeftOut& left_out, const std::string& path, const std::string& why) {
  ++left_out.count;
  if (left_out.named.size() >= most_named) return;
  const std::string_view shown = kernel::utf8_prefix(path, longest_path);
  left_out.named.push_back(std::string(shown) + (shown.size() < path.size() ? "…" : "") + ": " + why);
}

Outputs Harvest::outputs(std::size_t most_files, std::int64_t most_bytes, const Wanted& wanted) const {
  Outputs outputs;
  const Fd folder = open_folder(folder_, supervisor::out_folder);
  if (folder)
    Listing(outputs, most_files, most_bytes, wanted).add_folder(folder.get(), "", 0);
  else
    leave_out(outputs.left_out, ".", why_not_open());
  return outputs;
}

OutputResult<OpenOutput> Harvest::open_output(const std::string& path) const {
  const Fd folder = open_folder(folder_, supervisor::out_folder);
  if (!folder) return cannot(folder_, supervisor::error_text(errno));
  return open_beneath(folder.get(), path);
}

LogExtent Harvest::log_extent(OutputStream stream) const {
  return open_files(folder_, stream).extent;
}

std::string Harvest::log(OutputStream stream, std::uint64_t offset, std::uint64_t count) const {
  return read_log(folder_, stream, offset, count).text;
}

BothLogs Harvest::both_logs() const {
  // The second stream may begin during the read; its file of marks is older than its first byte.
  for (bool again = true;; again = false) {
    const auto marks = marks_in(folder_);
    KeptLog out = read_log(folder_, OutputStream::out), err = read_log(folder_, OutputStream::err);
    if (!marks && !out.text.empty() && !err.text.empty() && again) continue;
    BothLogs both;
    if (const auto moments = moments_of(marks, out.extent, out.text.size(), err.extent, err.text.size()))
      both.order = LineOrder::at_moments(out.text, err.text, *moments);
    both.out = std::move(out.text);
    both.err = std::move(err.text);
    return both;
  }
}

std::optional<LineOrder> Harvest::log_order(std::string_view out, std::string_view err) const {
  const auto moments = moments_of(marks_in(folder_), log_extent(OutputStream::out), out.size(),
                                  log_extent(OutputStream::err), err.size());
  if (!moments) return std::nullopt;
  LineOrder order = LineOrder::at_moments(out, err, *moments);
  order.add_rest(out, err);
  return order;
}

}  // namespace executors
