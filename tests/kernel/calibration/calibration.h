#pragma once
// How often the kernel's verdicts are wrong, and how often right, by simulated studies whose truth is known: the gates
// that the statistics must hold. A few studies a setting in the tests, fewer still where a rate is clear; ten thousand
// in `make bench`.

#include <functional>
#include <string>
#include <vector>

namespace calibration {

enum class Gate { at_most, at_least, near, reported };

/// One setting, and what share of its studies came out as `what` says.
struct Row {
  std::string what;     ///< "false supported", "power", "coverage", …
  std::string setting;  ///< Noise, test and design, in words.
  int replicates = 0;   ///< Per arm; 0: sized by a pilot.
  Gate gate = Gate::at_most;
  double nominal = 0, slack = 0;  ///< `near`: within `slack` of nominal; `at_least`: nominal − slack.
  double rate = 0;
  int studies = 0;

  double error() const;  ///< Standard error of the simulation, if the nominal rate is true.
  /// Within the gate and so many standard errors of the simulation.
  bool holds(double errors) const;
};

/// Every setting, in the order of the table, each with a seed of its own; `each` is told as soon as one is known.
void calibrate(int studies, int threads, const std::function<void(const Row&)>& each);

}  // namespace calibration
