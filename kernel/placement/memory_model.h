#pragma once
// The memory of a device that training a transformer takes, from what the study file declares. Pure.

#include <cstdint>
#include <optional>

namespace kernel::placement {

/// What training keeps for each parameter, in bytes: the parameter, its gradient, and the optimiser's state.
enum class Training {
  adam_mixed,  ///< 2 + 2 + 12: 16-bit parameters and gradients; 32-bit parameters, mean and variance.
  adam,        ///< 4 + 4 + 8
  sgd,         ///< 4 + 4 + 4, with momentum
  none,        ///< 2 + 0 + 0: 16-bit parameters, no training
};

/// What is computed again in the backward pass instead of being kept.
enum class Recompute { none, full };

/// Shape of a transformer's layers, for its activations. `batch`: sequences of one device and step.
struct Layers {
  std::int64_t layers = 0, hidden = 0, heads = 0, sequence = 0, batch = 0;
  Recompute recompute = Recompute::none;
};

struct MemoryModel {
  double parameters = 0;
  Training training = Training::adam_mixed;
  int zero = 0;     ///< ZeRO stage: 1 divides the optimiser's state among the devices, 2 gradients, 3 parameters, too.
  int devices = 1;  ///< That train in parallel on other data.
  std::optional<Layers> layers{};  ///< None: no activations are counted.
};

/// Bytes of parameters, gradients and optimiser's state on one device: Rajbhandari et al., "ZeRO: Memory Optimizations
/// Toward Training Trillion Parameter Models", SC 2020, section 3 and figure 1.
double state_bytes(const MemoryModel&);

/// Bytes of activations on one device, in 16 bits: layers · sequence · batch · hidden · (34 + 5 · heads · sequence /
/// hidden), or 2 · layers · sequence · batch · hidden if all is computed again: Korthikanti et al., "Reducing
/// Activation Recomputation in Large Transformer Models", MLSys 2023, equations 1 and 2 and section 4.4.
double activation_bytes(const Layers&);

/// What fragments, buffers and the framework take besides.
inline constexpr double memory_margin = 1.1;

/// Both, times `memory_margin`, rounded up to bytes.
std::int64_t device_bytes(const MemoryModel&);

}  // namespace kernel::placement
