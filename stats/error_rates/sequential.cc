#include "stats/error_rates/sequential.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include "stats/basics/distributions.h"

namespace stats {

namespace {

// Beyond so many standard deviations the density is left out: towards the boundary 1e-33 of it (a look may have 1e-20
// to spend), away from it 1e-17.
constexpr double farthest = 12, farthest_away = 8.5;

/// Weight times density of not having stopped, at the nodes of a quadrature.
struct Continuation {
  std::vector<double> place, mass;
};

/// Nodes over [low, high] in panels no wider than `panel`, 16 Gauss–Legendre nodes each: a normal density of standard
/// deviation panel/3 is then integrated to rounding.
Continuation nodes(double low, double high, double panel) {
  using Rule = boost::math::quadrature::gauss<double, 16>;
  const int panels = std::max(1, static_cast<int>(std::ceil((high - low) / panel)));
  const double half = (high - low) / (2 * panels);
  Continuation out;
  for (int i = 0; i < panels; ++i) {
    const double centre = low + (2 * i + 1) * half;
    for (std::size_t k = 0; k < Rule::abscissa().size(); ++k) {
      for (const double side : {-1.0, 1.0}) {
        out.place.push_back(centre + side * half * Rule::abscissa()[k]);
        out.mass.push_back(half * Rule::weights()[k]);
      }
    }
  }
  return out;
}

double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

/// P(the next value lies beyond ±bound, or beyond bound).
double crossing_chance(const Continuation& before, double step_sd, double bound, Sides sides) {
  double sum = 0;
  for (std::size_t i = 0; i < before.place.size(); ++i) {
    double tail = normal_cdf((before.place[i] - bound) / step_sd);
    if (sides == Sides::two) tail += normal_cdf((-bound - before.place[i]) / step_sd);
    sum += before.mass[i] * tail;
  }
  return sum;
}

/// The critical value whose chance of a first crossing is `chance`: bisection, since chance falls with the bound.
double boundary(const Continuation& before, double step_sd, double root, double chance, Sides sides) {
  double low = 0, high = 38;
  if (crossing_chance(before, step_sd, low, sides) <= chance) return low;
  for (int i = 0; i < 60 && high - low > 1e-13; ++i) {
    const double middle = (low + high) / 2;
    (crossing_chance(before, step_sd, middle * root, sides) > chance ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double spent(SpendingFunction spending, double fraction, double alpha) {
  if (spending == SpendingFunction::pocock) return alpha * std::log1p((std::numbers::e - 1) * fraction);
  return 2 * normal_cdf(normal_quantile(alpha / 2) / std::sqrt(fraction));
}

std::optional<std::vector<Look>> alpha_spending(std::span<const double> fractions, double alpha, Sides sides,
                                                SpendingFunction spending) {
  const double count = sides == Sides::two ? 2 : 1;
  if (fractions.empty() || !(alpha > 0 && alpha / count < 0.5)) return std::nullopt;
  double previous = 0;
  for (const double fraction : fractions) {
    if (!(fraction - previous >= 0.001 * (1 - 1e-9) && fraction <= 1)) return std::nullopt;
    previous = fraction;
  }
  std::vector<Look> looks;
  Continuation going{{0}, {1}};
  double total = 0;
  previous = 0;
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    const double fraction = fractions[k], root = std::sqrt(fraction), step_sd = std::sqrt(fraction - previous);
    Look look{fraction, count * spent(spending, fraction, alpha / count)};
    const double chance = look.spent - total;
    if (k == 0) {
      look.critical = -normal_quantile(chance / count);
    } else {
      look.critical = boundary(going, step_sd, root, chance, sides);
    }
    const double tail = normal_cdf(-look.critical);
    look.nominal_p = count * tail;
    look.level = 1 - 2 * tail;
    looks.push_back(look);
    if (k + 1 == fractions.size()) break;

    const double high = std::min(look.critical, farthest) * root;
    const double next_sd = std::sqrt(fractions[k + 1] - fraction);
    Continuation next =
        nodes(sides == Sides::two ? -high : -farthest_away * root, high, 3 * std::min(step_sd, next_sd));
    for (std::size_t j = 0; j < next.place.size(); ++j) {
      double density = 0;
      for (std::size_t i = 0; i < going.place.size(); ++i) {
        const double step = (next.place[j] - going.place[i]) / step_sd;
        if (std::abs(step) < 15) density += going.mass[i] * normal_density(step);
      }
      next.mass[j] *= density / step_sd;
    }
    going = std::move(next);
    total = look.spent;
    previous = fraction;
  }
  return looks;
}

std::optional<double> sequential_p(std::span<const double> fractions, double p, Sides sides,
                                   SpendingFunction spending) {
  const double most = sides == Sides::two ? 1 - 1e-9 : 0.5 - 1e-9;
  const auto nominal = [&](double alpha) -> std::optional<double> {
    const auto looks = alpha_spending(fractions, alpha, sides, spending);
    return looks ? std::optional(looks->back().nominal_p) : std::nullopt;
  };
  const std::optional<double> largest = nominal(most);
  if (!largest) return std::nullopt;
  p = std::max(p, 1e-100);
  if (p >= *largest) return 1;
  // On logarithms: levels span many orders of magnitude.
  const auto beyond = [&](double log_alpha) {
    return std::log(std::max(nominal(std::exp(log_alpha)).value_or(0), 1e-300) / p);
  };
  const double low = std::log(p), high = std::log(most);
  const double at_low = beyond(low);
  if (at_low >= 0) return p;
  std::uintmax_t rounds = 60;
  const auto close = [](double a, double b) { return std::abs(a - b) < 1e-11; };
  const auto found =
      boost::math::tools::toms748_solve(beyond, low, high, at_low, std::log(*largest / p), close, rounds);
  return std::exp(found.second);
}

}  // namespace stats
