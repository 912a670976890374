#include "executors/run_protocol/log_marks.h"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"

namespace supervisor {
namespace {

constexpr std::uint64_t number_size = 8, mark_size = 2 * number_size,
                        header_size = order_magic.size() + 3 * number_size;

/// Place of a mark in the file: the first ones in turn, then a ring.
std::uint64_t place_of(std::uint64_t mark) {
  const std::uint64_t first = LogMarksFile::first_kept;
  const std::uint64_t slot = mark < first ? mark : first + (mark - first) % LogMarksFile::last_kept;
  return header_size + mark_size * slot;
}

struct Header {
  std::uint64_t count = 0;
  LogMark settled;
};

std::string bytes_at(int file, std::uint64_t at, std::uint64_t count) {
  std::string bytes(count, '\0');
  const ssize_t n = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

std::optional<Header> header_of(int file) {
  const std::string bytes = bytes_at(file, 0, header_size);
  if (bytes.size() != header_size || !bytes.starts_with(order_magic)) return std::nullopt;
  const auto number = [&](std::size_t i) { return number_at(bytes, order_magic.size() + i * number_size); };
  return Header{number(0), {number(1), number(2)}};
}

/// Adds the marks from the first number to before the last, which lie side by side.
bool add_marks(int file, std::uint64_t first, std::uint64_t last, std::vector<LogMark>& marks) {
  if (first >= last) return true;
  const std::string bytes = bytes_at(file, place_of(first), (last - first) * mark_size);
  for (std::size_t at = 0; at + mark_size <= bytes.size(); at += mark_size)
    marks.push_back({number_at(bytes, at), number_at(bytes, at + number_size)});
  return bytes.size() == (last - first) * mark_size;
}

/// The marks of the ring that are kept, in order.
bool add_last_marks(int file, std::uint64_t count, std::vector<LogMark>& marks) {
  const std::uint64_t begin = LogMarksFile::first_kept, size = LogMarksFile::last_kept;
  if (count <= begin) return true;
  const std::uint64_t oldest = count - begin > size ? count - size : begin;
  const std::uint64_t turn = std::min(count, oldest + size - (oldest - begin) % size);
  std::vector<LogMark> last;
  if (!add_marks(file, oldest, turn, last) || !add_marks(file, turn, count, last)) return false;
  // The supervisor may have overwritten the oldest ones during the read.
  const auto now = header_of(file);
  if (!now) return false;
  const std::uint64_t gone = now->count > oldest + size ? now->count - size - oldest : 0;
  last.erase(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(gone, last.size())));
  marks.insert(marks.end(), last.begin(), last.end());
  return true;
}

bool goes_back(const LogMark& from, const LogMark& to) {
  return to.out < from.out || to.err < from.err;
}

}  // namespace

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < number_size; ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

void LogMarksFile::add(bool is_err, std::uint64_t bytes, std::int64_t now_ms) {
  const bool first_of_second = is_err ? at_.err == 0 && at_.out > 0 : at_.out == 0 && at_.err > 0;
  if (!is_err && err_since_mark_ &&
      (count_ < most_exact || at_.out + at_.err >= last_mark_.out + last_mark_.err + spacing ||
       now_ms >= marked_ms_ + settle_ms))
    mark(now_ms);
  if (first_of_second || waiting_.size() >= most_waiting) write(now_ms);
  (is_err ? at_.err : at_.out) += bytes;
  err_since_mark_ |= is_err;
  if (at_.out > 0 && at_.err > 0) due_ = std::min(due_, now_ms + write_every_ms);
}

void LogMarksFile::mark(std::int64_t now_ms) {
  waiting_.push_back(at_);
  ++count_;
  last_mark_ = at_;
  marked_ms_ = now_ms;
  err_since_mark_ = false;
}

void LogMarksFile::write(std::int64_t now_ms) {
  due_ = INT64_MAX;
  const bool exact = count_ < most_exact;
  if (!exact && err_since_mark_ && now_ms >= marked_ms_ + settle_ms) mark(now_ms);
  // Later bytes of stdout may still be placed before those of stderr, unless they get a mark.
  const bool all = exact || !err_since_mark_;
  write_settled(all ? at_ : LogMark{at_.out, last_mark_.err});
  if (!all) due_ = marked_ms_ + settle_ms;
}

void LogMarksFile::finish() {
  if (at_.out > 0 && at_.err > 0) write_settled(at_);
  due_ = INT64_MAX;
}

void LogMarksFile::sync() {
  if (file_) fdatasync(file_.get());
}

void LogMarksFile::write_settled(LogMark settled) {
  std::vector<LogMark> marks = std::exchange(waiting_, {});
  if (refused_) return;
  if (!file_) file_.reset(openat(folder_, order_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const auto put = [&](const std::string& bytes, std::uint64_t at) {
    refused_ |= !file_ || pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
                              static_cast<ssize_t>(bytes.size());
  };
  const std::uint64_t first = count_ - marks.size();
  for (std::size_t i = 0; i < marks.size();) {
    // As many as lie side by side.
    const std::uint64_t place = place_of(first + i);
    std::string bytes;
    for (; i < marks.size() && place_of(first + i) == place + bytes.size(); ++i) {
      append_number(bytes, marks[i].out);
      append_number(bytes, marks[i].err);
    }
    put(bytes, place);
  }
  std::string header(order_magic);
  for (const std::uint64_t number : {count_, settled.out, settled.err}) append_number(header, number);
  // Written after the marks that it counts.
  put(header, 0);
  // Without a mark that the disk refused the order is wrong; without the file it is unknown.
  if (refused_) unlinkat(folder_, order_file, 0);
}

std::optional<LogMarks> read_log_marks(int file) {
  const auto header = header_of(file);
  if (!header) return std::nullopt;
  LogMarks read{{}, header->settled};
  if (!add_marks(file, 0, std::min(header->count, LogMarksFile::first_kept), read.marks) ||
      !add_last_marks(file, header->count, read.marks) ||
      std::ranges::adjacent_find(read.marks, goes_back) != read.marks.end() ||
      (!read.marks.empty() && goes_back(read.marks.back(), read.settled)))
    return std::nullopt;
  return read;
}

}  // namespace supervisor
