#pragma once
// Curves of one metric of many runs over one axis, reduced to about as many points as a picture shows. Pure; linear in
// the points. Does not know what is withheld.

#include <string>
#include <vector>

#include "kernel/measure/metric_sources.h"

namespace kernel {

/// The values of a metric in one run, by ascending x. A value may be NaN or infinite.
struct Curve {
  std::vector<double> x, y;
};

enum class CurveAxis { step, time };

/// Metrics with more than one point, in the order of their first points. Points of an item do not count: they are many
/// values at one step.
std::vector<std::string> curve_names(const std::vector<MetricPoint>&);

/// The curve of a metric; of several points at one x the last one counts. A point without a step stands at its 0-based
/// position among the metric's points. The time of a point is estimated, because jobs do not report it: the run's wall
/// time is divided in proportion to the steps.
Curve curve_of(const std::vector<MetricPoint>&, const std::string& metric, CurveAxis, double wall_s);

enum class CurveSpacing { linear, log };

/// Curves as columns over one x.
struct CurveTable {
  struct Cell {
    double value = 0;
    bool there = false;
  };
  bool reduced = false;                 ///< Whether `y` holds extremes instead of every point.
  std::vector<double> x;                ///< Ascending.
  std::vector<std::vector<Cell>> y;     ///< For each curve as many as `x`.
  std::vector<double> mean_x;           ///< Empty unless reduced.
  std::vector<std::vector<Cell>> mean;  ///< For each curve as many as `mean_x`: means of the finite values.
};

/// All points if the curves together have at most `most` values of x. Otherwise `most` values of x at equal distances,
/// or at equal ratios: to each pair of them belong the points around it, and a curve has there the smallest and the
/// greatest finite value of these points, in their order. So no peak is lost, and an x is moved by at most 1.5
/// distances. At equal ratios, values of x that are not positive belong to the first pair. Precondition: `most` is even
/// and at least 4.
CurveTable table_of(const std::vector<Curve>&, std::size_t most, CurveSpacing);

}  // namespace kernel
