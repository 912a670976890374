#include "executors/supervisor/log_stream.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "executors/run_protocol/log_marks.h"
#include "executors/run_protocol/run_files.h"

namespace supervisor {
namespace {

char buffer[1 << 18];

bool write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

LogStream::LogStream(int folder, std::string name, Fd pipe)
    : folder_(folder), name_(std::move(name)), pipe_(std::move(pipe)) {
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
}

std::string_view LogStream::receive() {
  while (pipe_) {
    const ssize_t n = read(pipe_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      pipe_.reset();
      break;
    }
    // Widens the pipe of a job with much output once, to need fewer reads.
    if (n >= 32768 && !std::exchange(wide_, true)) fcntl(pipe_.get(), F_SETPIPE_SZ, 1 << 20);
    return {buffer, static_cast<std::size_t>(n)};
  }
  return {};
}

void LogStream::keep(std::string_view bytes) {
  if (complete_ && !store(bytes)) complete_ = false;
}

void LogStream::sync() {
  if (head_) fdatasync(head_.get());
  if (tail_) fdatasync(tail_.get());
}

bool LogStream::store(std::string_view bytes) {
  if (length_ < log_keep) {
    if (!head_) head_.reset(openat(folder_, (name_ + ".head").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    const std::string_view first = bytes.substr(0, log_keep - length_);
    if (!head_ || !write_at(head_.get(), first, length_)) return false;
    length_ += first.size();
    bytes.remove_prefix(first.size());
  }
  return bytes.empty() || store_in_tail(bytes);
}

bool LogStream::store_in_tail(std::string_view bytes) {
  if (!tail_) tail_.reset(openat(folder_, (name_ + ".tail").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!tail_) return false;
  while (!bytes.empty()) {
    const std::uint64_t at = (length_ - log_keep) % log_keep;
    const std::string_view piece = bytes.substr(0, log_keep - at);
    if (!write_at(tail_.get(), piece, log_header + at)) return false;
    length_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
  // The length is written after its bytes, so that a reader can notice bytes that were overwritten.
  std::string header(log_magic);
  append_number(header, length_);
  return write_at(tail_.get(), header, 0);
}

}  // namespace supervisor
