#include "stats/effects/proportions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

bool possible(const Share& s) {
  return s.n >= 1 && s.successes >= 0 && s.successes <= s.n;
}

bool possible(const PairedShares& p) {
  return p.both >= 0 && p.treatment >= 0 && p.control >= 0 && p.neither >= 0 &&
         p.both + p.treatment + p.control + p.neither >= 1;
}

double share(const Share& s) {
  return static_cast<double>(s.successes) / static_cast<double>(s.n);
}

struct Reach {
  double below = 0, above = 0;  ///< From the proportion to Wilson's ends.
};

Reach wilson_reach(const Share& s, double z) {
  const double n = static_cast<double>(s.n), p = share(s), q = 1 - p;
  const double centre = p + z * z / (2 * n), spread = z * std::sqrt(p * q / n + z * z / (4 * n * n));
  const double whole = 1 + z * z / n;
  // Exact at the corners, where centre and spread cancel.
  return {s.successes == 0 ? 0 : p - (centre - spread) / whole, s.successes == s.n ? 0 : (centre + spread) / whole - p};
}

double difference_low(const ShareDifference& d, double z) {
  const Reach t = wilson_reach(d.treatment, z), c = wilson_reach(d.control, z);
  const double above = d.ratio * c.above;
  return d.estimate - std::sqrt(std::max(0.0, t.below * t.below - 2 * d.phi * t.below * above + above * above));
}

double difference_high(const ShareDifference& d, double z) {
  const Reach t = wilson_reach(d.treatment, z), c = wilson_reach(d.control, z);
  const double below = d.ratio * c.below;
  return d.estimate + std::sqrt(std::max(0.0, t.above * t.above - 2 * d.phi * t.above * below + below * below));
}

/// The one-sided level at which an end, which moves away with z, is at `at`; `past` says that it is not there yet.
template <typename Past>
double level_reached(Past past) {
  double inside = 0, outside = 38;  // Beyond 38 nothing is left of the normal distribution in double precision.
  if (past(outside)) return 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = inside + (outside - inside) / 2;
    (past(middle) ? inside : outside) = middle;
  }
  return normal_cdf(-outside);
}

/// Weights of k = first, first + 1, … relative to the largest, from the ratio of each to the one before.
template <typename Ratio>
std::vector<double> relative_weights(std::int64_t first, std::int64_t last, Ratio ratio) {
  std::vector<double> logs{0};
  for (std::int64_t k = first + 1; k <= last; ++k) logs.push_back(logs.back() + std::log(ratio(k)));
  const double top = *std::ranges::max_element(logs);
  for (double& w : logs) w = std::exp(w - top);
  return logs;
}

ShareTest table_test(const std::vector<double>& weights, std::size_t observed) {
  double below = 0, above = 0, all = 0, rare = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    all += weights[k];
    if (k <= observed) below += weights[k];
    if (k >= observed) above += weights[k];
    if (weights[k] <= weights[observed] * (1 + 1e-7)) rare += weights[k];
  }
  return {{std::min(1.0, below / all), std::min(1.0, above / all)}, std::min(1.0, rare / all)};
}

}  // namespace

Interval share_interval(const Share& s, double level) {
  const Reach reach = wilson_reach(s, normal_quantile(0.5 + level / 2));
  return {share(s) - reach.below, share(s) + reach.above};
}

std::optional<ShareTest> fisher_exact(const Share& treatment, const Share& control) {
  if (!possible(treatment) || !possible(control)) return std::nullopt;
  const std::int64_t successes = treatment.successes + control.successes;
  const std::int64_t first = std::max<std::int64_t>(0, successes - control.n);
  const std::int64_t last = std::min(treatment.n, successes);
  const auto ratio = [&](std::int64_t k) {
    return static_cast<double>(treatment.n - k + 1) * static_cast<double>(successes - k + 1) /
           (static_cast<double>(k) * static_cast<double>(control.n - successes + k));
  };
  return table_test(relative_weights(first, last, ratio), static_cast<std::size_t>(treatment.successes - first));
}

std::optional<ShareTest> mcnemar_exact(const PairedShares& pairs) {
  if (!possible(pairs)) return std::nullopt;
  const std::int64_t n = pairs.treatment + pairs.control;
  const auto ratio = [&](std::int64_t k) { return static_cast<double>(n - k + 1) / static_cast<double>(k); };
  ShareTest test = table_test(relative_weights(0, n, ratio), static_cast<std::size_t>(pairs.treatment));
  test.two_sided = two_sided(test.p);
  return test;
}

std::optional<ShareDifference> share_difference(const Share& treatment, const Share& control) {
  if (!possible(treatment) || !possible(control)) return std::nullopt;
  return ShareDifference{treatment, control, 0, share(treatment) - share(control), 1};
}

std::optional<ShareDifference> share_difference(const PairedShares& pairs) {
  if (!possible(pairs)) return std::nullopt;
  const auto [a, b, c, d] = pairs;
  const std::int64_t n = a + b + c + d;
  ShareDifference result{{a + b, n}, {a + c, n}, 0, static_cast<double>(b - c) / static_cast<double>(n), 1};
  const double cross =
      static_cast<double>(a) * static_cast<double>(d) - static_cast<double>(b) * static_cast<double>(c);
  const double margins = std::sqrt(static_cast<double>(a + b) * static_cast<double>(c + d)) *
                         std::sqrt(static_cast<double>(a + c) * static_cast<double>(b + d));
  if (margins > 0) result.phi = (cross > 0 ? std::max(0.0, cross - static_cast<double>(n) / 2) : cross) / margins;
  return result;
}

Interval interval(const ShareDifference& d, double level) {
  const double z = normal_quantile(0.5 + level / 2);
  return {std::max(-d.ratio, difference_low(d, z)), std::min(1.0, difference_high(d, z))};
}

ShareDifference share_contrast(ShareDifference d, double ratio) {
  d.ratio = ratio;
  d.estimate = share(d.treatment) - ratio * share(d.control);
  return d;
}

Interval share_ratio_interval(const ShareDifference& d, double level) {
  const double z = normal_quantile(0.5 + level / 2);
  if (d.treatment.successes == 0 && d.control.successes == 0) return {};
  // Both ends of the contrast fall as the ratio rises; past 1e9 nothing bounds it.
  const auto root = [&](auto end) -> std::optional<double> {
    double low = 0, high = 1;
    while (high < 1e9 && end(share_contrast(d, high), z) > 0) low = high, high *= 2;
    if (high >= 1e9) return std::nullopt;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
      const double middle = low + (high - low) / 2;
      (end(share_contrast(d, middle), z) > 0 ? low : high) = middle;
    }
    return high;
  };
  return {root(difference_low), root(difference_high)};
}

double p_greater(const ShareDifference& d, double at) {
  if (at == d.estimate) return 0.5;
  if (at > d.estimate) return 1 - p_less(d, at);
  return level_reached([&](double z) { return difference_low(d, z) > at; });
}

double p_less(const ShareDifference& d, double at) {
  if (at == d.estimate) return 0.5;
  if (at < d.estimate) return 1 - p_greater(d, at);
  return level_reached([&](double z) { return difference_high(d, z) < at; });
}

namespace {

/// Binomial probabilities of 0 … n.
std::vector<double> binomial(int n, double p) {
  std::vector<double> list(static_cast<std::size_t>(n) + 1, 0);
  if (p <= 0 || p >= 1) {
    list[p <= 0 ? 0 : static_cast<std::size_t>(n)] = 1;
    return list;
  }
  const auto ratio = [&](std::int64_t k) {
    return static_cast<double>(n - k + 1) / static_cast<double>(k) * p / (1 - p);
  };
  list = relative_weights(0, n, ratio);
  double all = 0;
  for (const double w : list) all += w;
  for (double& w : list) w /= all;
  return list;
}

/// Whether both tests answer the question with yes.
class ShareDecision {
 public:
  explicit ShareDecision(const ShareQuestion& q) : q_(q), z_(-normal_quantile(q.alpha)) {}

  bool operator()(const ShareDifference& of, const ShareTest& exact) const {
    const ShareDifference d = share_contrast(of, q_.ratio);
    const bool inside = q_.less ? difference_high(d, z_) < q_.shift : difference_low(d, z_) > q_.shift;
    const bool equality = q_.ratio == 1 && q_.shift == 0;
    constexpr double rounding = 1 + 1e-9;
    return inside && (!equality || (q_.less ? exact.p.less : exact.p.greater) <= q_.alpha * rounding);
  }

 private:
  const ShareQuestion& q_;
  const double z_;
};

/// The probability of the treatment's outcomes that are decided: with `less` those from 0 up to a limit, else from a
/// limit up. `limit` is where the last search ended, and where this one starts. If there are few
/// outcomes, all are tried, because the decided ones of pairs may have gaps.
template <typename Decided>
double mass_decided(const std::vector<double>& outcomes, bool less, int& limit, const Decided& decided) {
  const int last = static_cast<int>(outcomes.size()) - 1, step = less ? 1 : -1;
  double mass = 0;
  constexpr int few = 100;
  if (last <= few) {
    for (int k = 0; k <= last; ++k)
      if (outcomes[static_cast<std::size_t>(k)] > 0 && decided(k)) mass += outcomes[static_cast<std::size_t>(k)];
    return mass;
  }
  limit = std::clamp(limit, -1, last + 1);
  const auto within = [&](int k) { return k >= 0 && k <= last; };
  while (within(limit + step) && decided(limit + step)) limit += step;
  while (within(limit) && !decided(limit)) limit -= step;
  for (int k = limit; within(k); k -= step) mass += outcomes[static_cast<std::size_t>(k)];
  return mass;
}

}  // namespace

double share_power(double treatment, double control, const ShareQuestion& question, int n, bool paired) {
  const ShareDecision decision(question);
  constexpr double negligible = 1e-12;
  double power = 0;
  int limit = question.less ? -1 : n + 1;
  if (!paired) {
    const std::vector<double> t = binomial(n, treatment), c = binomial(n, control);
    for (int y = 0; y <= n; ++y) {
      if (c[static_cast<std::size_t>(y)] < negligible) continue;
      power += c[static_cast<std::size_t>(y)] * mass_decided(t, question.less, limit, [&](int x) {
                 const Share one{x, n}, other{y, n};
                 return decision(*share_difference(one, other), *fisher_exact(one, other));
               });
    }
    return power;
  }
  const double only_t = treatment * (1 - control), only_c = control * (1 - treatment), both = treatment * control;
  const double agree = both + (1 - treatment) * (1 - control);
  const std::vector<double> c = binomial(n, only_c);
  for (int y = 0; y <= n; ++y) {
    if (c[static_cast<std::size_t>(y)] < negligible) continue;
    const std::vector<double> t = binomial(n - y, only_c < 1 ? only_t / (1 - only_c) : 0);
    power += c[static_cast<std::size_t>(y)] * mass_decided(t, question.less, limit, [&](int x) {
               const std::int64_t rest = n - x - y;
               const auto ones =
                   static_cast<std::int64_t>(std::llround(agree > 0 ? static_cast<double>(rest) * both / agree : 0));
               const PairedShares pairs{ones, x, y, rest - ones};
               return decision(*share_difference(pairs), *mcnemar_exact(pairs));
             });
  }
  return power;
}

}  // namespace stats
