#include "models/queue.h"

#include <algorithm>

namespace models {

namespace {

/// A lower class goes first once it has waited this much longer per class, so nothing starves.
constexpr double class_s = 30;

}  // namespace

void Queue::Bucket::refill(double now) {
  if (!per_minute) return;
  left = started ? std::min(*per_minute, left + *per_minute * std::max(0.0, now - at) / 60) : *per_minute;
  started = true;
  at = now;
}

double Queue::Bucket::wait(double amount) const {
  if (!per_minute) return 0;
  const double missing = std::min(amount, *per_minute) - left;
  return missing > 1e-9 ? 60 * missing / *per_minute : 0;
}

void Queue::add(std::uint64_t request, Urgency urgency, std::int64_t tokens, double now) {
  waiting_.emplace(now + class_s * static_cast<double>(urgency), request, tokens);
}

bool Queue::drop(std::uint64_t request) {
  return std::erase_if(waiting_, [&](const Entry& entry) { return std::get<1>(entry) == request; }) > 0;
}

std::optional<std::uint64_t> Queue::next(double now) {
  const std::optional<double> chance = next_chance(now);
  if (!chance || *chance > now) return std::nullopt;
  const auto [rank, request, tokens] = *waiting_.begin();
  waiting_.erase(waiting_.begin());
  requests_.left -= 1;
  tokens_.left -= static_cast<double>(tokens);
  ++sent_;
  return request;
}

void Queue::ended(std::int64_t expected, std::int64_t taken, double now) {
  --sent_;
  tokens_.refill(now);
  tokens_.left += static_cast<double>(expected - taken);
  if (tokens_.per_minute) tokens_.left = std::min(tokens_.left, *tokens_.per_minute);
}

std::optional<double> Queue::next_chance(double now) {
  if (waiting_.empty() || (limits_.at_once && sent_ >= *limits_.at_once)) return std::nullopt;
  requests_.refill(now);
  tokens_.refill(now);
  const double tokens = static_cast<double>(std::get<2>(*waiting_.begin()));
  return std::max(held_until_, now + std::max(requests_.wait(1), tokens_.wait(tokens)));
}

}  // namespace models
