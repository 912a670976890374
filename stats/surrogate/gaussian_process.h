#pragma once
// A Gaussian process as a model of a noisy response over the unit cube (Rasmussen & Williams, "Gaussian Processes for
// Machine Learning", MIT Press 2006, chapters 2 and 5), and the improvement that it expects. Pure; the same
// observations give the same model on one machine. On another the last digits may differ.

#include <memory>
#include <vector>

#include "stats/surrogate/replicates.h"

namespace stats {

/// All measurements at one point.
struct ObservedPoint {
  std::vector<double> at;  ///< One coordinate from 0 to 1 for every axis.
  int n = 1;               ///< Number of measurements, at least 1.
  double mean = 0;         ///< Of the measurements.
  double squares = 0;      ///< Sum of their squared deviations from the mean.
};

/// Of the response without its noise, in the unit of the measurements.
struct Predicted {
  double mean = 0, sd = 0;
};

class GaussianProcess {
 public:
  /// Covariance: Matérn 5/2 over the axes of numbers, times exp(−1/length) for every category that differs. Lengths,
  /// the response's variance and that of the noise maximise the posterior density: lengths are log-normal around
  /// √(axes/8) with 0.8 (longer with more axes: Hvarfner, Hellsten & Nardi, ICML 2024), the response's variance around
  /// 1 with 1, the noise's around e⁻⁴ with 2, both in units of the measurements' variance. The logarithm of the
  /// noise's variance is a line in the model's mean (a variance function: Carroll & Ruppert, "Transformation and
  /// Weighting in Regression", 1988, chapter 3), since bad settings are often noisier than good ones; the line is level
  /// unless 15 points or more tell otherwise. Preconditions: at least one point; all have as many coordinates as
  /// `categorical` has entries; all values finite.
  GaussianProcess(std::vector<bool> categorical, std::vector<ObservedPoint> points);
  ~GaussianProcess();
  GaussianProcess(const GaussianProcess&);
  GaussianProcess& operator=(const GaussianProcess&) = delete;

  Predicted at(const std::vector<double>& point) const;
  /// Of the response at several points together; means and covariances are those of `at`.
  JointBelief belief(const std::vector<std::vector<double>>& points) const;
  /// Takes the predicted mean at a point as measured there once ("kriging believer": Ginsbourger, Le Riche & Carraro,
  /// 2010), so that the next point of a batch lies elsewhere. Lengths and variances stay.
  void believe(const std::vector<double>& point);
  /// Standard deviation of one measurement at a point.
  double noise_sd(const std::vector<double>& point) const;
  /// How alike the model takes two points to be, from 0 to 1.
  double correlation(const std::vector<double>& a, const std::vector<double>& b) const;

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

/// Logarithm of the expected amount by which a normal quantity falls below `best` (Ament and others, "Unexpected
/// Improvements to Expected Improvement for Bayesian Optimization", NeurIPS 2023). `sd` > 0.
double log_expected_improvement(const Predicted&, double best);

}  // namespace stats
