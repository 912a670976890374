#include "executors/supervisor/job_output.h"

#include <algorithm>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "executors/supervisor/write_signals.h"

namespace supervisor {
namespace {

/// Writes that may be signalled in a burst, and how many more each millisecond.
constexpr std::int64_t most_writes = 20'000, writes_per_ms = 2;
constexpr std::size_t most_signals = 256, most_at_once = 2 << 20;

std::size_t bytes_in(int pipe) {
  int bytes = 0;
  return pipe >= 0 && ioctl(pipe, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace

JobOutput::JobOutput(int folder, Launched& launched)
    : marks_(folder),
      out_writes_(std::move(launched.out_writes)),
      err_writes_(std::move(launched.err_writes)),
      out_(folder, "stdout", std::move(launched.out)),
      err_(folder, "stderr", std::move(launched.err)),
      writes_left_(most_writes),
      refilled_ms_(boot_ms()) {
  const sigset_t own = write_signals();
  signals_.reset(signalfd(-1, &own, SFD_NONBLOCK | SFD_CLOEXEC));
  follow(static_cast<bool>(signals_));
}

JobOutput::~JobOutput() {
  out_.close();
  err_.close();
  // No signal may stay behind for the next job.
  signalfd_siginfo heard{};
  while (read(signals_.get(), &heard, sizeof heard) > 0) {
  }
}

std::array<pollfd, 3> JobOutput::awaited() const {
  return {{{signals_.get(), POLLIN, 0}, {out_.descriptor(), POLLIN, 0}, {err_.descriptor(), POLLIN, 0}}};
}

void JobOutput::read_ready() {
  refill();
  if (follows_) {
    if (hear_writes()) return;
    // The signal follows the bytes.
    pollfd soon{signals_.get(), POLLIN, 0};
    poll(&soon, 1, 1);
  }
  if (!hear_writes()) take_all();
}

void JobOutput::finish() {
  // No more than the pipes can hold: a process that escaped must not keep this running.
  for (int round = 0; round < 100 && hear_writes(); ++round) {
  }
  take_all();
  out_.close();
  err_.close();
  marks_.finish();
}

void JobOutput::sync() {
  out_.sync();
  err_.sync();
  marks_.sync();
}

bool JobOutput::hear_writes() {
  static std::array<signalfd_siginfo, most_signals> heard;
  Unread out, err;
  std::size_t count = 0;
  // Until nothing was written between the reading of the signals and of the pipes' sizes.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::size_t out_before = std::exchange(out.bytes, bytes_in(out_.descriptor()));
    const std::size_t err_before = std::exchange(err.bytes, bytes_in(err_.descriptor()));
    if (attempt > 0 && out.bytes == out_before && err.bytes == err_before) break;
    const ssize_t n = read(signals_.get(), heard.data() + count, (heard.size() - count) * sizeof heard[0]);
    if (n > 0) count += static_cast<std::size_t>(n) / sizeof heard[0];
    if (count == 0) return false;
  }
  std::array<bool, most_signals> counts{};
  for (std::size_t i = 0; i < count; ++i) {
    Unread& unread = heard[i].ssi_fd == out_.descriptor() ? out : err;
    // A write that waits for room is signalled twice.
    counts[i] = unread.writes < packets_in_pipe;
    unread.writes += counts[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (heard[i].ssi_signo == SIGIO)
      take_all();
    else if (counts[i] && heard[i].ssi_fd == out_.descriptor())
      take_write(out_, out);
    else if (counts[i])
      take_write(err_, err);
  }
  writes_left_ -= static_cast<std::int64_t>(count);
  if (follows_ && writes_left_ <= 0) follow(false);
  return true;
}

std::size_t JobOutput::take(LogStream& stream) {
  const std::string_view bytes = stream.receive();
  if (bytes.empty()) return 0;
  marks_.add(&stream == &err_, bytes.size(), boot_ms());
  stream.keep(bytes);
  last_ = &stream;
  return bytes.size();
}

void JobOutput::take_write(LogStream& stream, Unread& unread) {
  // A larger write is several full packets and one more. If its size is a multiple of theirs, the number of packets
  // that are left tells where it ends.
  const std::size_t packets = unread.bytes / PIPE_BUF + (unread.bytes % PIPE_BUF > 0);
  const std::size_t most = (packets + unread.writes - 1) / unread.writes * PIPE_BUF;
  for (std::size_t taken = 0, n = PIPE_BUF; n > 0 && n % PIPE_BUF == 0 && taken < std::max<std::size_t>(most, 1);) {
    n = take(stream);
    taken += n;
    unread.bytes -= std::min(unread.bytes, n);
  }
  --unread.writes;
}

void JobOutput::take_all() {
  // Most likely the other stream is the next.
  LogStream& first = last_ == &out_ ? err_ : out_;
  LogStream& second = &first == &out_ ? err_ : out_;
  for (std::size_t taken = 0, n = 1; n > 0 && taken < most_at_once; taken += n) {
    n = take(first);
    n += take(second);
  }
}

void JobOutput::follow(bool each_write) {
  follows_ = each_write;
  set_signals(out_.descriptor(), out_writes_.get(), each_write);
  set_signals(err_.descriptor(), err_writes_.get(), each_write);
}

void JobOutput::refill() {
  const std::int64_t now = boot_ms();
  writes_left_ = std::min(most_writes, writes_left_ + writes_per_ms * (now - std::exchange(refilled_ms_, now)));
  if (!follows_ && signals_ && writes_left_ >= most_writes / 2) follow(true);
}

}  // namespace supervisor
