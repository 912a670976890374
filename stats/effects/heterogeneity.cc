#include "stats/effects/heterogeneity.h"

#include <algorithm>
#include <cmath>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

struct Weighted {
  double mean = 0, weight = 0, squares = 0;  ///< `squares`: Σ w².
};

Weighted weighted(std::span<const EffectAt> settings, double between) {
  Weighted all;
  for (const EffectAt& one : settings) {
    const double w = 1 / (one.error * one.error + between);
    all.weight += w;
    all.squares += w * w;
    all.mean += w * one.effect;
  }
  all.mean /= all.weight;
  return all;
}

}  // namespace

std::optional<RandomEffects> random_effects(std::span<const EffectAt> settings, double level) {
  const auto usable = [](const EffectAt& one) {
    return std::isfinite(one.effect) && std::isfinite(one.error) && one.error > 0;
  };
  if (settings.size() < 2 || !std::ranges::all_of(settings, usable)) return std::nullopt;
  const double free = static_cast<double>(settings.size() - 1);
  const Weighted fixed = weighted(settings, 0);
  RandomEffects r;
  for (const EffectAt& one : settings) {
    const double away = (one.effect - fixed.mean) / one.error;
    r.q += away * away;
  }
  r.i2 = r.q > 0 ? std::max(0.0, 1 - free / r.q) : 0;
  r.tau2 = std::max(0.0, (r.q - free) / (fixed.weight - fixed.squares / fixed.weight));
  const Weighted random = weighted(settings, r.tau2);
  r.mean = random.mean;
  r.error = 1 / std::sqrt(random.weight);
  if (!std::isfinite(r.q) || !std::isfinite(r.tau2) || !std::isfinite(r.mean)) return std::nullopt;
  if (settings.size() < 3) return r;
  const double reach = t_quantile(0.5 + level / 2, free - 1) * std::sqrt(r.tau2 + r.error * r.error);
  r.predicted = {r.mean - reach, r.mean + reach};
  return r;
}

}  // namespace stats
