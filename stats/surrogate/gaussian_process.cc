#include "stats/surrogate/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Dense>

#include "base/assert.h"

namespace stats {

namespace {

using Eigen::ArrayXXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const double root5 = std::sqrt(5.0);
constexpr double jitter = 1e-8;
constexpr double length_sd = 0.8, response_sd = 1, noise_mean = -4, noise_sd_of_log = 2;
/// Logarithms of lengths and variances stay within these.
constexpr double lowest_length = -4, highest_length = 4, lowest_variance = -12, highest_variance = 5;
/// Of the noise's growth with the response: the standard deviation of its prior, the most by either sign, the number of
/// points from which it is fitted, and the logarithm of posterior density that it must gain. The response counts within
/// so many of its standard deviations.
constexpr double growth_sd = 1, most_growth = 4, least_gain = 2, widest_height = 2;
constexpr Eigen::Index points_for_growth = 15;

double length_mean(Eigen::Index axes) {
  return std::log(0.5) + 0.5 * std::log(static_cast<double>(axes) / 2);
}

/// Minimises by BFGS with backtracking (Nocedal & Wright, "Numerical Optimization", 2nd edition, algorithms 3.1, 6.1).
/// `value` returns the value and sets the gradient; infinite where there is none.
template <typename Value>
std::pair<VectorXd, double> minimum(const Value& value, VectorXd at, int most_steps) {
  const Eigen::Index n = at.size();
  MatrixXd inverse = MatrixXd::Identity(n, n) * 0.1;
  VectorXd slope(n), next_slope(n);
  double here = value(at, slope);
  for (int step = 0; step < most_steps && slope.cwiseAbs().maxCoeff() > 1e-3; ++step) {
    VectorXd direction = -inverse * slope;
    if (direction.dot(slope) >= 0) {
      inverse = MatrixXd::Identity(n, n) * 0.1;
      direction = -inverse * slope;
    }
    // No logarithm moves by more than 2 at once.
    direction *= std::min(1.0, 2 / direction.cwiseAbs().maxCoeff());
    double share = 1, there = 0;
    VectorXd next;
    for (int halving = 0;; ++halving) {
      if (halving == 12) return {at, here};
      next = at + share * direction;
      there = value(next, next_slope);
      if (there <= here + 1e-4 * share * direction.dot(slope)) break;
      share /= 2;
    }
    const VectorXd moved = next - at, change = next_slope - slope;
    const double curve = moved.dot(change);
    if (curve > 1e-10) {
      if (step == 0) inverse = MatrixXd::Identity(n, n) * (curve / change.squaredNorm());
      const MatrixXd left = MatrixXd::Identity(n, n) - moved * change.transpose() / curve;
      inverse = left * inverse * left.transpose() + moved * moved.transpose() / curve;
    }
    const bool still = here - there < 1e-7 * (1 + std::abs(here));
    at = next;
    slope = next_slope;
    here = there;
    if (still) break;
  }
  return {at, here};
}

}  // namespace

class GaussianProcess::Model {
 public:
  Model(std::vector<bool> categorical, std::vector<ObservedPoint> points)
      : categorical_(std::move(categorical)), axes_(static_cast<Eigen::Index>(categorical_.size())) {
    ETUDE_ASSERT(!points.empty());
    standardise(points);
    set_points(points);
    fit();
  }

  Predicted at(const std::vector<double>& point) const {
    const VectorXd k = covariances(point);
    const VectorXd v = factor_.matrixL().solve(k);
    const double variance = std::max(response_ - v.squaredNorm(), 1e-12 * response_);
    return {centre_ + scale_ * k.dot(weights_), scale_ * std::sqrt(variance)};
  }

  JointBelief belief(const std::vector<std::vector<double>>& points) const {
    const auto n = static_cast<Eigen::Index>(points.size());
    MatrixXd solved(values_.size(), n);
    JointBelief belief;
    for (Eigen::Index i = 0; i < n; ++i) {
      const VectorXd k = covariances(points[static_cast<std::size_t>(i)]);
      belief.means.push_back(centre_ + scale_ * k.dot(weights_));
      solved.col(i) = factor_.matrixL().solve(k);
    }
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto &a = points[static_cast<std::size_t>(i)], &b = points[static_cast<std::size_t>(j)];
        const double own = response_ * correlation(a, b) - solved.col(i).dot(solved.col(j));
        belief.covariance.push_back(scale_ * scale_ * (i == j ? std::max(own, 1e-12 * response_) : own));
      }
    return belief;
  }

  void believe(const std::vector<double>& point) {
    const double mean = covariances(point).dot(weights_), height = height_of(mean);
    const Eigen::Index n = values_.size();
    points_.conservativeResize(n + 1, Eigen::NoChange);
    for (Eigen::Index a = 0; a < axes_; ++a) points_(n, a) = point[static_cast<std::size_t>(a)];
    values_.conservativeResize(n + 1);
    values_(n) = mean;
    counts_.conservativeResize(n + 1);
    counts_(n) = 1;
    heights_.conservativeResize(n + 1);
    heights_(n) = height;
    solve();
  }

  double noise_sd(const std::vector<double>& point) const {
    return scale_ * std::sqrt(noise_ * std::exp(growth_ * height_of(covariances(point).dot(weights_))));
  }

  double correlation(const std::vector<double>& a, const std::vector<double>& b) const {
    double squares = 0, others = 0;
    for (Eigen::Index i = 0; i < axes_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double by = a[at] - b[at];
      if (categorical_[at])
        others += std::abs(by) > 1e-9 ? 1 / lengths_(i) : 0;
      else
        squares += by * by / (lengths_(i) * lengths_(i));
    }
    const double r = std::sqrt(squares);
    return (1 + root5 * r + 5.0 / 3 * squares) * std::exp(-root5 * r - others);
  }

 private:
  void standardise(const std::vector<ObservedPoint>& points) {
    double n = 0, furthest = 0, squares = 0;
    for (const ObservedPoint& p : points) n += p.n;
    for (const ObservedPoint& p : points) centre_ += p.n / n * p.mean;
    for (const ObservedPoint& p : points)
      furthest = std::max({furthest, std::abs(p.mean - centre_), std::sqrt(p.squares)});
    // In units of the furthest, whose square could be more than a number holds.
    if (furthest == 0 || !std::isfinite(furthest)) return;
    for (const ObservedPoint& p : points)
      squares += p.squares / furthest / furthest + p.n * std::pow((p.mean - centre_) / furthest, 2);
    scale_ = furthest * std::sqrt(squares / n);
  }

  void set_points(const std::vector<ObservedPoint>& points) {
    const auto n = static_cast<Eigen::Index>(points.size());
    points_.resize(n, axes_);
    values_.resize(n);
    counts_.resize(n);
    within_.resize(n);
    heights_.setZero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const ObservedPoint& p = points[static_cast<std::size_t>(i)];
      ETUDE_ASSERT(static_cast<Eigen::Index>(p.at.size()) == axes_ && p.n > 0);
      for (Eigen::Index a = 0; a < axes_; ++a) points_(i, a) = p.at[static_cast<std::size_t>(a)];
      values_(i) = (p.mean - centre_) / scale_;
      counts_(i) = p.n;
      within_(i) = p.squares / scale_ / scale_;
    }
  }

  /// Squared distances along every axis; for categories 1 where they differ.
  void measure_distances() {
    const Eigen::Index n = values_.size();
    distances_.clear();
    for (Eigen::Index a = 0; a < axes_; ++a) {
      const VectorXd column = points_.col(a);
      ArrayXXd by = (column.replicate(1, n) - column.transpose().replicate(n, 1)).array();
      if (categorical_[static_cast<std::size_t>(a)])
        distances_.push_back((by.abs() > 1e-9).cast<double>());
      else
        distances_.push_back(by.square());
    }
  }

  bool within_limits(const VectorXd& logs) const {
    for (Eigen::Index i = 0; i < logs.size(); ++i) {
      const double low = i < axes_ ? lowest_length : i < axes_ + 2 ? lowest_variance : -most_growth;
      const double high = i < axes_ ? highest_length : i < axes_ + 2 ? highest_variance : most_growth;
      if (!(logs(i) >= low) || logs(i) > high) return false;
    }
    return true;
  }

  /// Minus the logarithm of the posterior density, but for a constant, and its gradient, by the logarithms of lengths
  /// and variances and, if there is one more, the noise's growth.
  double objective(const VectorXd& logs, VectorXd& slope) const {
    const Eigen::Index n = values_.size();
    if (!within_limits(logs)) return INFINITY;
    const bool grows = logs.size() > axes_ + 2;
    const double response = std::exp(logs(axes_));
    const VectorXd noise = (logs(axes_ + 1) + (grows ? logs(axes_ + 2) : 0) * heights_.array()).exp().matrix();
    ArrayXXd squares = ArrayXXd::Zero(n, n), others = ArrayXXd::Zero(n, n);
    for (Eigen::Index a = 0; a < axes_; ++a) {
      if (categorical_[static_cast<std::size_t>(a)])
        others += distances_[static_cast<std::size_t>(a)] * std::exp(-logs(a));
      else
        squares += distances_[static_cast<std::size_t>(a)] * std::exp(-2 * logs(a));
    }
    const ArrayXXd r = squares.sqrt();
    const ArrayXXd fall = response * (-root5 * r - others).exp();
    const ArrayXXd k = (1 + root5 * r + 5.0 / 3 * squares) * fall;
    MatrixXd whole = k.matrix();
    for (Eigen::Index i = 0; i < n; ++i) whole(i, i) += noise(i) / counts_(i) + jitter;
    const Eigen::LLT<MatrixXd> factor(whole);
    if (factor.info() != Eigen::Success) return INFINITY;
    const VectorXd weights = factor.solve(values_);
    double value = 0.5 * values_.dot(weights) + factor.matrixLLT().diagonal().array().log().sum();
    const MatrixXd inverse = factor.solve(MatrixXd::Identity(n, n));
    const ArrayXXd pull = (inverse - weights * weights.transpose()).array();
    const ArrayXXd base = 5.0 / 3 * (1 + root5 * r) * fall * pull;
    const ArrayXXd all = k * pull;
    for (Eigen::Index a = 0; a < axes_; ++a) {
      const ArrayXXd& by = distances_[static_cast<std::size_t>(a)];
      slope(a) = 0.5 * (categorical_[static_cast<std::size_t>(a)] ? (all * by).sum() * std::exp(-logs(a))
                                                                  : (base * by).sum() * std::exp(-2 * logs(a)));
    }
    slope(axes_) = 0.5 * all.sum();
    // Measurements at one point tell of the noise alone.
    const VectorXd repeats = counts_.array() - 1, spread = within_.array() / noise.array();
    value += 0.5 * (repeats.array() * noise.array().log() + spread.array()).sum();
    const VectorXd by_noise =
        0.5 * (noise.array() * pull.matrix().diagonal().array() / counts_.array() + repeats.array() - spread.array());
    slope(axes_ + 1) = by_noise.sum();
    const auto prior = [&](Eigen::Index i, double mean, double sd) {
      const double by = (logs(i) - mean) / sd;
      value += 0.5 * by * by;
      slope(i) += by / sd;
    };
    for (Eigen::Index a = 0; a < axes_; ++a) prior(a, length_mean(axes_), length_sd);
    prior(axes_, 0, response_sd);
    prior(axes_ + 1, noise_mean, noise_sd_of_log);
    if (grows) {
      slope(axes_ + 2) = by_noise.dot(heights_);
      prior(axes_ + 2, 0, growth_sd);
    }
    return std::isfinite(value) ? value : INFINITY;
  }

  void fit() {
    measure_distances();
    const auto value = [this](const VectorXd& logs, VectorXd& slope) { return objective(logs, slope); };
    // Twice: from lengths as expected with little noise, and from short ones with much.
    std::optional<std::pair<VectorXd, double>> best;
    for (const auto& [shift, noise] : {std::pair(0.0, -3.0), std::pair(-1.2, -1.0)}) {
      VectorXd from(axes_ + 2);
      from.head(axes_).setConstant(length_mean(axes_) + shift);
      from(axes_) = 0;
      from(axes_ + 1) = noise;
      const int steps = values_.size() > 80 ? 20 : 40;
      auto found = minimum(value, std::move(from), steps);
      if (!best || found.second < best->second) best = std::move(found);
    }
    take(best->first);
    if (values_.size() >= points_for_growth && measure_heights()) {
      VectorXd from(axes_ + 3);
      from << best->first, 0;
      const auto grown = minimum(value, std::move(from), 20);
      if (grown.second < best->second - least_gain) take(grown.first);
    }
    distances_.clear();
  }

  void take(const VectorXd& logs) {
    lengths_ = logs.head(axes_).array().exp();
    response_ = std::exp(logs(axes_));
    noise_ = std::exp(logs(axes_ + 1));
    growth_ = logs.size() > axes_ + 2 ? logs(axes_ + 2) : 0;
    solve();
  }

  /// How high the model's mean lies at each point. False: nowhere higher than elsewhere.
  bool measure_heights() {
    const VectorXd means = values_.array() - (noise_ / counts_.array() + jitter) * weights_.array();
    middle_ = means.mean();
    spread_ = std::sqrt((means.array() - middle_).square().mean());
    constexpr double flat = 1e-6;
    if (spread_ < flat) return false;
    for (Eigen::Index i = 0; i < means.size(); ++i) heights_(i) = height_of(means(i));
    return true;
  }

  double height_of(double mean) const {
    return spread_ > 0 ? std::clamp((mean - middle_) / spread_, -widest_height, widest_height) : 0;
  }

  VectorXd covariances(const std::vector<double>& point) const {
    VectorXd k(values_.size());
    for (Eigen::Index i = 0; i < k.size(); ++i) {
      double squares = 0, others = 0;
      for (Eigen::Index a = 0; a < axes_; ++a) {
        const double by = points_(i, a) - point[static_cast<std::size_t>(a)];
        if (categorical_[static_cast<std::size_t>(a)])
          others += std::abs(by) > 1e-9 ? 1 / lengths_(a) : 0;
        else
          squares += by * by / (lengths_(a) * lengths_(a));
      }
      const double r = std::sqrt(squares);
      k(i) = response_ * (1 + root5 * r + 5.0 / 3 * squares) * std::exp(-root5 * r - others);
    }
    return k;
  }

  void solve() {
    const Eigen::Index n = values_.size();
    MatrixXd whole(n, n);
    std::vector<double> point(static_cast<std::size_t>(axes_));
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index a = 0; a < axes_; ++a) point[static_cast<std::size_t>(a)] = points_(i, a);
      whole.col(i) = covariances(point);
      whole(i, i) += noise_ * std::exp(growth_ * heights_(i)) / counts_(i) + jitter;
    }
    factor_.compute(whole);
    weights_ = factor_.solve(values_);
  }

  std::vector<bool> categorical_;
  Eigen::Index axes_ = 0;
  double centre_ = 0, scale_ = 1;  ///< Of the measurements; everything below is in units of `scale_`.
  MatrixXd points_;                ///< A row for each.
  VectorXd values_, counts_;
  VectorXd within_;  ///< Squared deviations within each point.
  /// Of the model's mean at each point, in standard deviations `spread_` of the means from `middle_`.
  VectorXd heights_;
  double middle_ = 0, spread_ = 1;
  std::vector<ArrayXXd> distances_;  ///< Only while fitting.
  VectorXd lengths_;
  double response_ = 1, noise_ = 0;  ///< Variances.
  double growth_ = 0;                ///< Of the logarithm of the noise's variance with the height.
  Eigen::LLT<MatrixXd> factor_;
  VectorXd weights_;
};

GaussianProcess::GaussianProcess(std::vector<bool> categorical, std::vector<ObservedPoint> points)
    : model_(std::make_unique<Model>(std::move(categorical), std::move(points))) {}
GaussianProcess::~GaussianProcess() = default;
GaussianProcess::GaussianProcess(const GaussianProcess& other) : model_(std::make_unique<Model>(*other.model_)) {}

Predicted GaussianProcess::at(const std::vector<double>& point) const {
  return model_->at(point);
}
JointBelief GaussianProcess::belief(const std::vector<std::vector<double>>& points) const {
  return model_->belief(points);
}
void GaussianProcess::believe(const std::vector<double>& point) {
  model_->believe(point);
}
double GaussianProcess::noise_sd(const std::vector<double>& point) const {
  return model_->noise_sd(point);
}
double GaussianProcess::correlation(const std::vector<double>& a, const std::vector<double>& b) const {
  return model_->correlation(a, b);
}

double log_expected_improvement(const Predicted& predicted, double best) {
  const double u = (best - predicted.mean) / predicted.sd;
  const double log_density = -u * u / 2 - 0.5 * std::log(2 * std::numbers::pi);
  double share = 0;
  if (u > -25) {
    const double below = 0.5 * std::erfc(-u / std::numbers::sqrt2);
    share = std::log(std::max(std::exp(log_density) + u * below, 1e-300));
  } else {
    // The first terms of the asymptotic series of φ(u) + u·Φ(u); the next would add 15/u⁴.
    share = log_density - 2 * std::log(-u) + std::log1p(-3 / (u * u));
  }
  return share + std::log(predicted.sd);
}

}  // namespace stats
