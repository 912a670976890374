#include "kernel/usage.h"

#include <cmath>

namespace kernel {

double add_joules(double a, double b) {
  return std::round((a + b) * 1e6) / 1e6;
}

double Energy::joules() const {
  double sum = 0;
  for (const auto& [counter, joules] : counters) sum = add_joules(sum, joules);
  return sum;
}

}  // namespace kernel
