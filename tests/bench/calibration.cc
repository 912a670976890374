// Makes docs/calibration.md again: bench_calibration STUDIES > docs/calibration.md
// Ends with 1 where a gate does not hold within three standard errors of the simulation.

#include "tests/kernel/calibration/calibration.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

namespace {

std::string gate_text(const calibration::Row& row) {
  switch (row.gate) {
    case calibration::Gate::at_most:
      return fmt::format("at most {:g} %", 100 * row.nominal);
    case calibration::Gate::at_least:
      return fmt::format("at least {:g} %", 100 * (row.nominal - row.slack));
    case calibration::Gate::near:
      return fmt::format("{:g} ± {:g} %", 100 * row.nominal, 100 * row.slack);
    case calibration::Gate::reported:
      break;
  }
  return fmt::format("none ({:g} % nominal)", 100 * row.nominal);
}

}  // namespace

int main(int argc, char** argv) {
  const int studies = argc > 1 ? std::atoi(argv[1]) : 10'000;
  if (studies < 1) return 2;
  fmt::print(
      "# Calibration\n\n"
      "How often verdicts are wrong, and how often right, where the truth is known. `make bench` makes this page. Each "
      "line is {} simulated studies through the kernel's own decisions and events; only the measured values are "
      "drawn.\n"
      "\n"
      "- One hypothesis per study and alpha 0.05, unless a line says otherwise. `less`, `greater` and `not_worse` are "
      "one-sided.\n"
      "- n: runs per arm. ±: the simulation's standard error at the nominal rate. A gate holds within three of them.\n"
      "- Lines without a gate are only reported. Among them, \"false supported\" and \"coverage\" are known "
      "weaknesses.\n"
      "\n"
      "| What | Setting | n | Measured | ± | Gate | |\n"
      "|---|---|---:|---:|---:|---|---|\n",
      studies);
  int broken = 0;
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  calibration::calibrate(studies, threads, [&](const calibration::Row& row) {
    const bool holds = row.holds(3);
    broken += holds ? 0 : 1;
    fmt::print("| {} | {} | {} | {:.2f} % | {:.2f} | {} | {} |\n", row.what, row.setting,
               row.replicates ? std::to_string(row.replicates) : "sized", 100 * row.rate, 100 * row.error(),
               gate_text(row),
               row.gate == calibration::Gate::reported ? ""
               : holds                                 ? "holds"
                                                       : "**broken**");
    std::fflush(stdout);
  });
  return broken ? 1 : 0;
}
