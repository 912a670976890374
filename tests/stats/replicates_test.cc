// Which quantity to measure once more: the knowledge gradient against simulation, and how often the lowest is found.

#include "stats/surrogate/replicates.h"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "stats/basics/random.h"
#include "stats/surrogate/gaussian_process.h"

namespace {

/// Independent beliefs after `n[i]` measurements each with noise of 1 and a flat prior.
stats::JointBelief belief_of(const std::vector<double>& sums, const std::vector<int>& n) {
  stats::JointBelief belief;
  const std::size_t count = n.size();
  belief.covariance.assign(count * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    belief.means.push_back(sums[i] / n[i]);
    belief.covariance[i * count + i] = 1.0 / n[i];
  }
  return belief;
}

enum class Rule { equal, gradient };

std::size_t next_of(Rule rule, const stats::JointBelief& belief, const std::vector<int>& n) {
  if (rule == Rule::equal) return static_cast<std::size_t>(std::ranges::min_element(n) - n.begin());
  const std::vector<double> gains = stats::knowledge_gradients(belief, std::vector<double>(n.size(), 1.0));
  return static_cast<std::size_t>(std::ranges::max_element(gains) - gains.begin());
}

struct Found {
  double correct = 0, regret = 0;
};

/// Ten quantities, of which the true values are drawn; three measurements each, then `more` by the rule.
Found searched(Rule rule, int more, int times) {
  Found found;
  for (int t = 0; t < times; ++t) {
    stats::Xoshiro random(static_cast<std::uint64_t>(t) + 1);
    std::vector<double> truth(10), sums(10);
    std::vector<int> n(10, 3);
    for (double& value : truth) value = 0.7 * random.normal();
    const auto measure = [&](std::size_t i) { sums[i] += truth[i] + random.normal(); };
    for (std::size_t i = 0; i < truth.size(); ++i)
      for (int j = 0; j < n[i]; ++j) measure(i);
    for (int j = 0; j < more; ++j) {
      const std::size_t i = next_of(rule, belief_of(sums, n), n);
      measure(i);
      ++n[i];
    }
    const std::vector<double> means = belief_of(sums, n).means;
    const auto chosen = static_cast<std::size_t>(std::ranges::min_element(means) - means.begin());
    const double best = *std::ranges::min_element(truth);
    found.correct += (truth[chosen] == best) / static_cast<double>(times);
    found.regret += (truth[chosen] - best) / times;
  }
  return found;
}

}  // namespace

TEST_CASE("a knowledge gradient is what a measurement lowers the lowest mean by, on average") {
  const std::vector<std::vector<double>> at = {{0.1}, {0.3}, {0.35}, {0.8}};
  std::vector<stats::ObservedPoint> points;
  stats::Xoshiro random(3);
  for (int i = 0; i < 12; ++i) {
    const double x = random.uniform();
    points.push_back({{x}, 1, std::sin(6 * x) + 0.3 * random.normal(), 0});
  }
  const stats::GaussianProcess process({false}, points);
  const stats::JointBelief belief = process.belief(at);
  // Three equally noisy quantities and one that is noisier.
  std::vector<double> noises(4, std::pow(process.noise_sd(at[0]), 2));
  noises[2] *= 4;
  const std::vector<double> gains = stats::knowledge_gradients(belief, noises);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const stats::Predicted p = process.at(at[i]);
    CHECK(std::abs(p.mean - belief.means[i]) < 1e-9);
    CHECK(std::abs(p.sd * p.sd - belief.covariance[i * 4 + i]) < 1e-9);
    double sum = 0;
    constexpr int draws = 200'000;
    const double before = *std::ranges::min_element(belief.means);
    for (int d = 0; d < draws; ++d) {
      const double z = random.normal() / std::sqrt(belief.covariance[i * 4 + i] + noises[i]);
      double after = INFINITY;
      for (std::size_t j = 0; j < 4; ++j) after = std::min(after, belief.means[j] + belief.covariance[i * 4 + j] * z);
      sum += (before - after) / draws;
    }
    INFO(i << ": " << gains[i] << " against " << sum);
    CHECK(std::abs(gains[i] - sum) < 0.003 + 0.03 * sum);
  }
}

TEST_CASE("the lowest is found more often if measurements go where they decide") {
  const Found equal = searched(Rule::equal, 30, 1000), gradient = searched(Rule::gradient, 30, 1000);
  INFO("correct " << equal.correct << " and " << gradient.correct << ", regret " << equal.regret << " and "
                  << gradient.regret);
  CHECK(gradient.correct > equal.correct + 0.05);
  CHECK(gradient.regret < 0.75 * equal.regret);
}
