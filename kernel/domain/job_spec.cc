#include "kernel/domain/job_spec.h"

#include <cmath>

namespace kernel {

double add_joules(double a, double b) {
  return std::round((a + b) * 1e6) / 1e6;
}

bool was_busy(const Usage& usage) {
  if (!usage.machine || usage.machine->cpus < 1) return false;
  const double cpus = usage.machine->cpus;
  return usage.machine->used_cpus >= 0.9 * cpus && usage.machine->others_cpus >= 0.1 * cpus;
}

double Energy::joules() const {
  double sum = 0;
  for (const auto& [counter, joules] : counters) sum = add_joules(sum, joules);
  return sum;
}

}  // namespace kernel
