#include "kernel/placement/memory_model.h"

#include <cmath>

namespace kernel::placement {

namespace {

struct BytesOfParameter {
  double parameter = 0, gradient = 0, optimiser = 0;
};

BytesOfParameter bytes_of(Training training) {
  switch (training) {
    case Training::adam_mixed:
      return {2, 2, 12};
    case Training::adam:
      return {4, 4, 8};
    case Training::sgd:
      return {4, 4, 4};
    case Training::none:
      break;
  }
  return {2, 0, 0};
}

}  // namespace

double state_bytes(const MemoryModel& model) {
  const BytesOfParameter bytes = bytes_of(model.training);
  const auto part = [&](double of, int from_stage) { return model.zero >= from_stage ? of / model.devices : of; };
  return model.parameters * (part(bytes.optimiser, 1) + part(bytes.gradient, 2) + part(bytes.parameter, 3));
}

double activation_bytes(const Layers& of) {
  const double tokens = static_cast<double>(of.sequence) * static_cast<double>(of.batch);
  const double values = static_cast<double>(of.layers) * tokens * static_cast<double>(of.hidden);
  if (of.recompute == Recompute::full) return 2 * values;
  const double attention = 5.0 * static_cast<double>(of.heads) * static_cast<double>(of.sequence);
  return 34 * values + static_cast<double>(of.layers) * tokens * attention;
}

std::int64_t device_bytes(const MemoryModel& model) {
  const double bytes = state_bytes(model) + (model.layers ? activation_bytes(*model.layers) : 0);
  return static_cast<std::int64_t>(std::ceil(bytes * memory_margin));
}

}  // namespace kernel::placement
