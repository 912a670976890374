#include "apps/cli/terminal/progress_bar.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace cli {

std::string bar(std::uint64_t done, std::uint64_t all, std::size_t width) {
  const std::size_t filled =
      all == 0 ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(width, done * width / all));
  return std::string(filled, '#') + std::string(width - filled, '.');
}

HashBar::~HashBar() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void HashBar::show(std::uint64_t done, std::uint64_t all) {
  const Clock::time_point now = Clock::now();
  if (now < next_ || !isatty(STDERR_FILENO)) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const auto mb = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  fmt::print(stderr, "\r\033[Khashing [{}] {:.0f} of {:.0f} MB", bar(done, all), mb(done), mb(all));
  std::fflush(stderr);
}

}  // namespace cli
