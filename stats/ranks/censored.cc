#include "stats/ranks/censored.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "stats/basics/distributions.h"
#include "stats/ranks/ranks.h"
#include "stats/ranks/wilcoxon.h"

namespace stats {

namespace {

bool never_ended(const Duration& d) {
  return d.time == HUGE_VAL;
}

bool surely_later(const Duration& a, const Duration& b) {
  if (never_ended(a) || never_ended(b)) return never_ended(a) && !never_ended(b);
  return !b.censored && (a.time > b.time || (a.time == b.time && a.censored));
}

/// Both arms, the treatment first; empty if there is no answer.
std::vector<Duration> pooled(std::span<const Duration> treatment, std::span<const Duration> control) {
  if (treatment.empty() || control.empty()) return {};
  std::vector<Duration> all(treatment.begin(), treatment.end());
  all.insert(all.end(), control.begin(), control.end());
  for (const Duration& d : all)
    if (std::isnan(d.time)) return {};
  return all;
}

std::vector<std::int64_t> gehan_scores(const std::vector<Duration>& all) {
  std::vector<std::int64_t> scores(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Duration& other : all) scores[i] += surely_later(all[i], other) - surely_later(other, all[i]);
  return scores;
}

OneSided normal_tails(double distance, double correction, double spread) {
  if (!(spread > 0)) return {};
  return {normal_cdf((distance + correction) / spread), normal_cdf((correction - distance) / spread)};
}

/// The smallest time at which anything was cut off; infinite when nothing was.
double common_limit(const TimedArms& arms) {
  double limit = std::numeric_limits<double>::infinity();
  for (const auto& arm : {arms.treatment, arms.control})
    for (const Duration& d : arm)
      if (d.censored) limit = std::min(limit, d.time);
  return limit;
}

Duration cut_at(const Duration& d, double limit) {
  return d.time > limit ? Duration{limit, true} : d;
}

/// p at each of the places between and beyond the sorted candidates, where it is a step function: place i lies below
/// candidate i.
class Steps {
 public:
  Steps(std::vector<double> candidates, std::function<double(double, double)> between,
        std::function<OneSided(double)> p)
      : candidates_(std::move(candidates)), between_(std::move(between)), p_(std::move(p)) {
    std::ranges::sort(candidates_);
    candidates_.erase(std::ranges::unique(candidates_).begin(), candidates_.end());
  }

  /// The first place from which on `holds` does; it holds nowhere before.
  std::size_t first(const std::function<bool(const OneSided&)>& holds) const {
    std::size_t low = 0, high = candidates_.size() + 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (holds(at(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  /// Where the place begins and ends; none: nothing bounds it.
  std::optional<double> start(std::size_t place) const {
    return place == 0 || place > candidates_.size() ? std::nullopt : std::optional(candidates_[place - 1]);
  }

 private:
  OneSided at(std::size_t place) const {
    const double infinite = std::numeric_limits<double>::infinity();
    const double low = place == 0 ? -infinite : candidates_[place - 1];
    const double high = place == candidates_.size() ? infinite : candidates_[place];
    return p_(between_(low, high));
  }

  std::vector<double> candidates_;
  std::function<double(double, double)> between_;
  std::function<OneSided(double)> p_;
};

CensoredEffect inverted(const Steps& steps, double level) {
  const double tail = (1 - level) / 2;
  CensoredEffect effect;
  // Upwards the control moves later: first the treatment is later, then neither, then it is earlier.
  effect.interval.low = steps.start(steps.first([&](const OneSided& p) { return p.greater > tail; }));
  effect.interval.high = steps.start(steps.first([&](const OneSided& p) { return p.less <= tail; }));
  const auto from = steps.start(steps.first([](const OneSided& p) { return p.greater >= p.less; }));
  const auto to = steps.start(steps.first([](const OneSided& p) { return p.greater > p.less; }));
  effect.open = !from || !to;
  effect.estimate = from && to ? *from + (*to - *from) / 2 : from.value_or(to.value_or(0));
  return effect;
}

template <typename Difference>
std::vector<double> candidates_of(const TimedArms& arms, Difference difference) {
  const double limit = common_limit(arms);
  std::vector<double> list;
  for (const Duration& t : arms.treatment) {
    for (const Duration& c : arms.control) list.push_back(difference(t.time, c.time));
    if (std::isfinite(limit)) list.push_back(difference(t.time, limit));
  }
  if (std::isfinite(limit))
    for (const Duration& c : arms.control) list.push_back(difference(limit, c.time));
  return list;
}

bool usable(const TimedArms& arms, double above) {
  for (const auto& arm : {arms.treatment, arms.control}) {
    const auto fits = [&](const Duration& d) { return std::isfinite(d.time) && d.time > above; };
    if (arm.empty() || !std::ranges::all_of(arm, fits)) return false;
  }
  return !arms.paired || arms.treatment.size() == arms.control.size();
}

}  // namespace

std::optional<OneSided> gehan(std::span<const Duration> treatment, std::span<const Duration> control) {
  const std::vector<Duration> all = pooled(treatment, control);
  if (all.empty()) return std::nullopt;
  const std::vector<std::int64_t> scores = gehan_scores(all);
  std::int64_t observed = 0;
  double squares = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < treatment.size()) observed += scores[i];
    squares += static_cast<double>(scores[i]) * static_cast<double>(scores[i]);
  }
  if (treatment.size() * control.size() <= mann_whitney_exact) return label_tails(scores, treatment.size(), observed);
  const double t = static_cast<double>(treatment.size()), c = static_cast<double>(control.size()), n = t + c;
  return normal_tails(static_cast<double>(observed), 1, std::sqrt(t * c / (n * (n - 1)) * squares));
}

std::optional<OneSided> paired_gehan(std::span<const Duration> treatment, std::span<const Duration> control) {
  const std::vector<Duration> all = pooled(treatment, control);
  if (all.empty() || treatment.size() != control.size()) return std::nullopt;
  const std::vector<std::int64_t> scores = gehan_scores(all);
  std::vector<std::int64_t> sizes;
  std::int64_t above = 0;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < treatment.size(); ++i) {
    const std::int64_t difference = scores[i] - scores[i + treatment.size()];
    sizes.push_back(std::abs(difference));
    if (difference > 0) above += difference;
    sum += static_cast<double>(difference);
    squares += static_cast<double>(difference) * static_cast<double>(difference);
  }
  if (treatment.size() <= signed_rank_exact) return sign_flip_tails(sizes, above);
  return normal_tails(sum, 0, std::sqrt(squares));
}

std::optional<OneSided> censored_p(const TimedArms& arms, double ratio, double shift) {
  const bool equality = ratio == 1 && shift == 0;
  const double limit = common_limit(arms);
  const double seen = equality ? std::numeric_limits<double>::infinity() : std::min(limit, ratio * limit + shift);
  std::vector<Duration> treatment, control;
  for (const Duration& t : arms.treatment) treatment.push_back(cut_at(t, seen));
  for (const Duration& c : arms.control) control.push_back(cut_at({ratio * c.time + shift, c.censored}, seen));
  return arms.paired ? paired_gehan(treatment, control) : gehan(treatment, control);
}

std::optional<CensoredEffect> censored_shift(const TimedArms& arms, double level) {
  if (!usable(arms, -std::numeric_limits<double>::infinity())) return std::nullopt;
  const auto between = [](double low, double high) {
    if (!std::isfinite(low)) return std::isfinite(high) ? high - 1 - std::abs(high) : 0;
    return std::isfinite(high) ? low + (high - low) / 2 : low + 1 + std::abs(low);
  };
  const auto p = [&](double shift) { return censored_p(arms, 1, shift).value_or(OneSided{}); };
  return inverted(Steps(candidates_of(arms, [](double t, double c) { return t - c; }), between, p), level);
}

std::optional<CensoredEffect> censored_ratio(const TimedArms& arms, double level) {
  if (!usable(arms, 0)) return std::nullopt;
  const auto between = [](double low, double high) {
    if (!std::isfinite(low)) return std::isfinite(high) ? high / 2 : 1;
    return std::isfinite(high) ? std::sqrt(low * high) : low * 2;
  };
  const auto p = [&](double ratio) { return censored_p(arms, ratio, 0).value_or(OneSided{}); };
  return inverted(Steps(candidates_of(arms, [](double t, double c) { return t / c; }), between, p), level);
}

}  // namespace stats
