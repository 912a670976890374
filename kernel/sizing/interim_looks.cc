#include "kernel/sizing/interim_looks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "kernel/evidence/derived_metrics.h"
#include "kernel/sizing/power.h"
#include "stats/basics/distributions.h"
#include "stats/error_rates/anytime.h"
#include "stats/error_rates/sequential.h"

namespace kernel {

namespace {

constexpr int fewest_at_a_look = 4;
/// Looks closer together than this count as one.
constexpr double least_step = 0.001;

using Fractions = std::vector<double>;

/// Boundaries are cached, because each costs a quadrature and a study needs the same few repeatedly.
double nominal_level(const Fractions& fractions, double level, stats::Sides sides) {
  using Key = std::tuple<Fractions, double, bool>;
  thread_local std::map<Key, double> known;
  constexpr std::size_t most_known = 10000;
  if (known.size() > most_known) known.clear();
  const auto [place, fresh] = known.try_emplace({fractions, level, sides == stats::Sides::two}, 0);
  if (fresh)
    if (const auto looks = stats::alpha_spending(fractions, level, sides)) place->second = looks->back().nominal_p;
  return place->second;
}

bool anytime(const Design& design) {
  return design.looks && design.looks->anytime;
}

bool is_plain(const Fractions& fractions) {
  return fractions.size() == 1 && fractions.front() == 1;
}

}  // namespace

int first_anytime_look(const Design& design) {
  return std::max(fewest_at_a_look, design.replicates_min);
}

int replicates_by(int replicates, double share) {
  // Rounding errors must not change the result: a share of 0.55 of 20 is 11.
  return std::min(replicates, static_cast<int>(std::ceil(share * replicates - 1e-9)));
}

std::vector<double> looks_of(const Registration& registration) {
  std::vector<double> looks;
  if (!registration.terms || !registration.terms->design.looks || registration.replicates.empty()) return looks;
  const int fewest = *std::ranges::min_element(registration.replicates);
  if (registration.terms->design.looks->anytime) {
    for (int n = first_anytime_look(registration.terms->design); n < fewest; ++n)
      looks.push_back(static_cast<double>(n) / fewest);
    return looks;
  }
  int before = 0;
  for (const double share : registration.terms->design.looks->at) {
    const int now = replicates_by(fewest, share);
    if (share >= 1 || now == fewest || now < fewest_at_a_look || now == before) continue;
    looks.push_back(share);
    before = now;
  }
  return looks;
}

std::optional<LookAt> look_at(const StudySpec& spec, const Registration& registration, const Hypothesis& h,
                              int number) {
  std::vector<double> shares = looks_of(registration);
  shares.push_back(1);
  const std::vector<Cell> wanted = cells_to_run(spec, h);
  const std::set<Cell> own(wanted.begin(), wanted.end());
  LookAt look{number, static_cast<int>(shares.size()), {}, 1};
  shares.resize(static_cast<std::size_t>(std::clamp(number, 1, look.of)));
  bool grew = false;
  for (const double share : shares) {
    double there = 0, all = 0;
    for (std::size_t c = 0; c < registration.cells.size() && c < registration.replicates.size(); ++c) {
      if (!own.contains(registration.cells[c])) continue;
      there += replicates_by(registration.replicates[c], share);
      all += registration.replicates[c];
    }
    const double fraction = all > 0 ? there / all : share;
    grew = look.fractions.empty() || fraction >= look.fractions.back() + least_step;
    if (grew) look.fractions.push_back(fraction);
  }
  if (!look.fractions.empty()) look.share = look.fractions.back();
  if (anytime(registration.terms ? registration.terms->design : Design{})) look.fractions = {1};
  return grew ? std::optional(std::move(look)) : std::nullopt;
}

double level_at(const LookAt& look, double level, stats::Sides sides) {
  if (is_plain(look.fractions)) return level;
  return nominal_level(look.fractions, std::min(level, sides == stats::Sides::two ? 0.999 : 0.499), sides);
}

double last_level(const Design& design, double level, stats::Sides sides) {
  if (!design.looks) return level;
  if (anytime(design)) {
    const double each = sides == stats::Sides::two ? 2 : 1;
    return each * stats::nominal_anytime_level(std::min(level / each, 0.499), std::max(1, design.replicates_max - 1));
  }
  LookAt last;
  for (const double share : design.looks->at)
    if (share < 1) last.fractions.push_back(share);
  last.fractions.push_back(1);
  return level_at(last, level, sides);
}

double p_at(const LookAt& look, double p, stats::Sides sides) {
  if (is_plain(look.fractions)) return p;
  return stats::sequential_p(look.fractions, p, sides).value_or(1);
}

stats::Sides sides_of(Direction direction) {
  return direction == Direction::different ? stats::Sides::two : stats::Sides::one;
}

stats::Sides refuting_sides(Direction direction) {
  return direction == Direction::equal ? stats::Sides::two : stats::Sides::one;
}

std::optional<double> conditional_power(const Hypothesis& h, const Estimate& e, const LookAt& look, double level) {
  const double now = look.fractions.back();
  if (e.tests.empty() || now >= 1) return std::nullopt;
  const std::optional<TestReach> reach = reach_of(h, e.tests[e.weakest]);
  if (!reach) return std::nullopt;
  const double far = std::min(reach->reach.from_below.value_or(HUGE_VAL), reach->reach.from_above.value_or(HUGE_VAL));
  std::vector<double> fractions = look.fractions;
  fractions.push_back(1);
  const stats::Sides sides = sides_of(h.direction);
  const auto looks = stats::alpha_spending(fractions, level, sides);
  if (!std::isfinite(far) || !looks) return std::nullopt;
  const double p = e.p.outside / (sides == stats::Sides::two ? 2 : 1);
  const double z = -stats::normal_quantile(std::clamp(p, 1e-100, 1 - 1e-16));
  const double drift = far / std::sqrt(now) * (1 - now);
  return stats::normal_cdf((z * std::sqrt(now) + drift - looks->back().critical) / std::sqrt(1 - now));
}

}  // namespace kernel
