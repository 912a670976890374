#pragma once
// Compares a hypothesis's sentence with its test: direction, arms, metric and scale. Words that it does not understand,
// and sentences that say several things at once, contradict nothing: such a statement is only quoted. Pure.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "prose/facts.h"

namespace prose {

/// What a hypothesis tests.
struct TestFacts {
  enum class Direction { less, greater, equal, different, not_worse };
  enum class Scale { none, linear, loglog, semilog, linlog };  ///< `none`: the test is no slope.
  HypothesisFacts arms;                                        ///< Metric, goal, and the levels by which arms differ.
  Direction direction = Direction::different;
  Scale scale = Scale::none;
  double slope = 0;               ///< The registered slope.
  std::set<std::string> factors;  ///< Names of factors and the words in them.
  std::set<std::string> metrics;  ///< Other metrics that the test does not use.
  bool compares = true;           ///< One arm with another, or a slope with a value; else only the metric is checked.
  bool goal_known = true;         ///< Otherwise "better" and "faster" say nothing of the metric.
};

struct Contradiction {
  std::size_t offset = 0, length = 0;  ///< In bytes of the statement.
  std::string says, tests;             ///< "that `cost` is lower under …", "whether it is higher there"
};

/// The first contradiction; none if there is none.
std::optional<Contradiction> contradiction(std::string_view statement, const Facts&, const TestFacts&);

}  // namespace prose
