// The model of a response against scikit-learn's, and expected improvements against SciPy's quadrature.

#include "stats/surrogate/gaussian_process.h"

#include "stats/basics/random.h"
#include "tests/stats/oracle.h"

using nlohmann::json;
using stats::GaussianProcess;
using stats::ObservedPoint;
using Point = std::vector<double>;

namespace {

json oracle_of(const char* part) {
  std::ifstream in(tests::source_dir() + "/tests/stats/oracle/surrogate.json");
  return json::parse(in).at(part);
}

ObservedPoint once(Point at, double value) {
  return {std::move(at), 1, value, 0};
}

/// A curve of one axis, with noise.
std::vector<ObservedPoint> curve(int n, double noise, std::uint64_t seed) {
  stats::Xoshiro random(seed);
  std::vector<ObservedPoint> points;
  for (int i = 0; i < n; ++i) {
    const double x = random.uniform();
    points.push_back(once({x}, std::sin(6 * x) + noise * random.normal()));
  }
  return points;
}

}  // namespace

TEST_CASE("predictions agree with scikit-learn's where the data decide") {
  for (const json& k : oracle_of("predictions")) {
    std::vector<ObservedPoint> points;
    for (std::size_t i = 0; i < k["x"].size(); ++i) points.push_back(once(k["x"][i], k["y"][i]));
    const double noise = k["noise"];
    const GaussianProcess process(std::vector<bool>(k["x"][0].size(), false), points);
    // The two differ in their priors on lengths.
    CHECK(std::abs(process.noise_sd(k["at"][0]) - noise) < 0.15 * noise);
    for (std::size_t i = 0; i < k["at"].size(); ++i) {
      const stats::Predicted p = process.at(k["at"][i]);
      const double theirs = k["mean"][i], sd = k["sd"][i];
      INFO("noise " << noise << ", point " << i << ": " << p.mean << " against " << theirs);
      CHECK(std::abs(p.mean - theirs) < std::max(0.5 * noise, 1.5 * sd));
      CHECK(p.sd < 2 * sd + 0.1 * noise);
      CHECK(p.sd > 0.5 * sd - 0.1 * noise);
    }
  }
}

TEST_CASE("expected improvements agree with quadrature, also where they are tiny") {
  for (const json& k : oracle_of("improvements")) {
    CAPTURE(k.dump());
    const double ours = stats::log_expected_improvement({k["mean"], k["sd"]}, k["best"]);
    CHECK(std::abs(ours - k["log"].get<double>()) < 1e-6 * (1 + std::abs(ours)));
  }
  // The series takes over without a step.
  const double before = stats::log_expected_improvement({24.999, 1}, 0),
               after = stats::log_expected_improvement({25.001, 1}, 0);
  CHECK(std::abs(before - after - 0.002 * 25.08) < 1e-3);
}

TEST_CASE("replicates count as single measurements at one point do, and tell of the noise") {
  std::vector<ObservedPoint> single, grouped;
  stats::Xoshiro random(7);
  for (int i = 0; i < 12; ++i) {
    const double x = i / 11.0;
    double values[3], mean = 0, squares = 0;
    for (double& value : values) {
      value = std::cos(4 * x) + 0.2 * random.normal();
      single.push_back(once({x}, value));
      mean += value / 3;
    }
    for (const double value : values) squares += (value - mean) * (value - mean);
    grouped.push_back({{x}, 3, mean, squares});
  }
  const GaussianProcess one({false}, single), other({false}, grouped);
  CHECK(std::abs(one.noise_sd({0.5}) - other.noise_sd({0.5})) < 0.01);
  CHECK(std::abs(one.noise_sd({0.5}) - 0.2) < 0.06);
  for (const double x : {0.1, 0.5, 0.93}) {
    CHECK(std::abs(one.at({x}).mean - other.at({x}).mean) < 0.01);
    CHECK(std::abs(one.at({x}).sd - other.at({x}).sd) < 0.01);
  }
}

TEST_CASE("noise that grows with the response is told from noise that does not") {
  const auto curve_with = [](double low, double high, std::uint64_t seed) {
    stats::Xoshiro random(seed);
    std::vector<ObservedPoint> points;
    for (int i = 0; i < 40; ++i) {
      const double x = i / 39.0, value = x * x;
      points.push_back(once({x}, value + (low + (high - low) * value) * random.normal()));
    }
    return points;
  };
  int grows = 0, wrongly = 0;
  double ratio = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const GaussianProcess even({false}, curve_with(0.1, 0.1, seed)), uneven({false}, curve_with(0.02, 0.3, seed));
    wrongly += std::abs(even.noise_sd({0.0}) / even.noise_sd({1.0}) - 1) > 1e-9;
    grows += uneven.noise_sd({1.0}) > 3 * uneven.noise_sd({0.0});
    ratio += std::log(uneven.noise_sd({1.0}) / uneven.noise_sd({0.0})) / 40;
  }
  INFO(grows << " of 40 found, " << wrongly << " wrongly; ratio " << std::exp(ratio));
  CHECK(grows >= 36);
  CHECK(wrongly <= 6);
  CHECK(std::exp(ratio) > 6);
}

TEST_CASE("replicates tell of noise that differs, too, and belief is surer where it is small") {
  stats::Xoshiro random(11);
  std::vector<ObservedPoint> points;
  for (int i = 0; i < 16; ++i) {
    const double x = i / 15.0, noise = 0.02 + 0.5 * x;
    double values[3], mean = 0, squares = 0;
    for (double& value : values) mean += (value = x + noise * random.normal()) / 3;
    for (const double value : values) squares += (value - mean) * (value - mean);
    points.push_back({{x}, 3, mean, squares});
  }
  GaussianProcess process({false}, points);
  CHECK(process.noise_sd({0.0}) < 0.15);
  CHECK(process.noise_sd({1.0}) > 0.25);
  CHECK(process.at({0.03}).sd < 0.4 * process.at({0.97}).sd);
  process.believe({0.5});
  CHECK(std::isfinite(process.at({0.5}).mean));
}

TEST_CASE("far from all points little is known, at a point that is believed more than before") {
  std::vector<ObservedPoint> points = curve(25, 0.05, 3);
  std::erase_if(points, [](const ObservedPoint& p) { return p.at[0] > 0.6; });
  GaussianProcess process({false}, points);
  CHECK(process.at({1.0}).sd > 3 * process.at({0.3}).sd);
  const stats::Predicted before = process.at({0.9});
  process.believe({0.9});
  const stats::Predicted after = process.at({0.9});
  CHECK(std::abs(after.mean - before.mean) < 0.01);
  CHECK(after.sd < 0.5 * before.sd);
}

TEST_CASE("categories differ or do not, whatever their numbers") {
  std::vector<ObservedPoint> points;
  stats::Xoshiro random(5);
  for (int i = 0; i < 40; ++i) {
    const double x = random.uniform();
    const int kind = i % 3;
    const double height[] = {0, 2, -1};
    points.push_back(once({x, kind / 2.0}, height[kind] + x + 0.05 * random.normal()));
  }
  const GaussianProcess process({false, true}, points);
  CHECK(process.at({0.5, 0.0}).mean == Approx(0.5).margin(0.1));
  CHECK(process.at({0.5, 0.5}).mean == Approx(2.5).margin(0.1));
  CHECK(process.at({0.5, 1.0}).mean == Approx(-0.5).margin(0.1));
  CHECK(process.correlation({0.2, 0}, {0.2, 0}) == Approx(1));
  CHECK(process.correlation({0.2, 0}, {0.2, 1}) == Approx(process.correlation({0.2, 0}, {0.2, 0.5})));
}

TEST_CASE("one point, equal values and enormous ones give a model all the same") {
  CHECK(GaussianProcess({false}, {once({0.5}, 3)}).at({0.1}).mean == Approx(3).margin(1e-6));
  const GaussianProcess flat({false, false}, {once({0, 0}, 1), once({1, 0}, 1), once({0, 1}, 1)});
  CHECK(flat.at({0.7, 0.7}).mean == Approx(1));
  // As many as the growth of the noise is fitted from.
  for (const double value : {0.0, 2.5}) {
    std::vector<ObservedPoint> equal;
    for (int i = 0; i < 20; ++i) equal.push_back(once({i / 19.0}, value));
    GaussianProcess level({false}, equal);
    CHECK(level.noise_sd({0.3}) > 0);
    level.believe({0.3});
    CHECK(level.at({0.5}).mean == Approx(value));
  }
  const GaussianProcess huge({false}, {once({0}, 1e300), once({1}, -1e300), once({0.5}, 0)});
  CHECK(std::isfinite(huge.at({0.2}).mean));
  const GaussianProcess same({false}, {once({0.5}, 1), once({0.5}, 2), once({0.5}, 3)});
  CHECK(same.at({0.5}).mean == Approx(2).margin(0.1));
}
