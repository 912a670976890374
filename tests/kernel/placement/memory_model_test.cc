#include "kernel/placement/memory_model.h"

#include <catch2/catch.hpp>

using namespace kernel::placement;

namespace {

double gigabytes(const MemoryModel& model) {
  return state_bytes(model) / 1e9;
}

}  // namespace

// Figure 1 of the ZeRO paper: 7.5 billion parameters, Adam in mixed precision, 64 devices.
TEST_CASE("parameters, gradients and optimiser's state take what the ZeRO paper says") {
  MemoryModel model;
  model.parameters = 7.5e9;
  model.devices = 64;
  CHECK(gigabytes(model) == Approx(120));
  model.zero = 1;
  CHECK(gigabytes(model) == Approx(31.4).margin(0.05));
  model.zero = 2;
  CHECK(gigabytes(model) == Approx(16.6).margin(0.05));
  model.zero = 3;
  CHECK(gigabytes(model) == Approx(1.9).margin(0.05));
}

// Table 1 of the same paper, 1024 devices: 1 trillion parameters.
TEST_CASE("a trillion parameters fit on 1,024 devices only if all is divided") {
  MemoryModel model;
  model.parameters = 1e12;
  model.devices = 1024;
  model.zero = 1;
  CHECK(gigabytes(model) == Approx(4011).margin(1));
  model.zero = 2;
  CHECK(gigabytes(model) == Approx(2013).margin(1));
  model.zero = 3;
  CHECK(gigabytes(model) == Approx(15.6).margin(0.05));
}

TEST_CASE("other kinds of training keep other states") {
  MemoryModel model;
  model.parameters = 1e9;
  model.training = Training::adam;
  CHECK(gigabytes(model) == Approx(16));
  model.training = Training::sgd;
  CHECK(gigabytes(model) == Approx(12));
  model.training = Training::none;
  CHECK(gigabytes(model) == Approx(2));
}

// Korthikanti et al.: GPT-3 with 175 billion parameters has 5as/h = 80, so that attention takes 70 % of activations.
TEST_CASE("activations of a layer are 34 sbh + 5 a s² b, and 2 sbh if they are computed again") {
  Layers gpt3{1, 12288, 96, 2048, 1, Recompute::none};
  const double sbh = 2048.0 * 12288;
  CHECK(activation_bytes(gpt3) == Approx(sbh * (34 + 80)));
  gpt3.layers = 96;
  CHECK(activation_bytes(gpt3) == Approx(96 * sbh * 114));
  gpt3.recompute = Recompute::full;
  CHECK(activation_bytes(gpt3) == Approx(96 * sbh * 2));
}

TEST_CASE("a device needs a tenth more than the sum") {
  MemoryModel model;
  model.parameters = 1e9;
  model.layers = Layers{10, 1000, 10, 1000, 2, Recompute::full};
  CHECK(device_bytes(model) == static_cast<std::int64_t>(1.1 * (16e9 + 4e7) + 0.5));
}
