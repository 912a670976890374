// sim: simulated studies from seeds, with all that goes wrong.
//   sim --seed N [--trace] [--steps M]   one seed; --trace prints every step, --steps ends it after so many
//   sim --seeds A..B [--keep-going]      all of them; the first that breaks a promise ends it
//   sim --minutes M [--from A]           as many as there is time for
// Ends with 1 if a promise was broken, and prints the command that shows how.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

#include "tests/sim/simulation.h"

namespace {

std::uint64_t present = 0;
const char* program = "sim";

/// An assertion of the program says where; we say with which seed.
void say_seed(int) {
  char text[400];
  const int n =
      std::snprintf(text, sizeof text, "seed %llu: aborted\n  again: %s --seed %llu --trace\n",
                    static_cast<unsigned long long>(present), program, static_cast<unsigned long long>(present));
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(n)) < 0) std::_Exit(2);
  std::_Exit(1);
}

struct Sum {
  std::int64_t simulations = 0, studies = 0, kernels = 0, events = 0, steps = 0, broken = 0;
};

bool one(std::uint64_t seed, const sim::Options& options, Sum& sum) {
  present = seed;
  ++sum.simulations;
  try {
    const sim::Report report = sim::simulate(seed, options);
    sum.studies += report.studies;
    sum.kernels += report.kernels;
    sum.events += report.events;
    sum.steps += report.steps;
    if (options.trace) std::printf("digest %016llx\n", static_cast<unsigned long long>(report.digest));
    return true;
  } catch (const std::exception& e) {
    ++sum.broken;
    std::printf("seed %llu: %s\n  again: %s --seed %llu --trace\n", static_cast<unsigned long long>(seed), e.what(),
                program, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return false;
  }
}

int usage() {
  std::fprintf(stderr, "sim --seed N [--trace] [--steps M] | --seeds A..B [--keep-going] | --minutes M [--from A]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  program = argv[0];
  std::signal(SIGABRT, say_seed);
  std::signal(SIGSEGV, say_seed);
  std::uint64_t first = 1, last = 300;
  double minutes = 0;
  bool keeps_going = false;
  sim::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--trace") {
      options.trace = true;
    } else if (word == "--keep-going") {
      keeps_going = true;
    } else if (!value) {
      return usage();
    } else if (++i; word == "--seed") {
      first = last = std::strtoull(value, nullptr, 10);
    } else if (word == "--seeds" && std::strstr(value, "..")) {
      first = std::strtoull(value, nullptr, 10);
      last = std::strtoull(std::strstr(value, "..") + 2, nullptr, 10);
    } else if (word == "--steps") {
      options.most_steps = std::atoi(value);
    } else if (word == "--minutes") {
      minutes = std::atof(value);
      last = UINT64_MAX;
    } else if (word == "--from") {
      first = std::strtoull(value, nullptr, 10);
    } else {
      return usage();
    }
  }
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  Sum sum;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    if (minutes > 0 && seconds() > minutes * 60) break;
    if (!one(seed, options, sum) && !keeps_going) break;
  }
  std::printf(
      "%lld simulations, %lld studies, %lld kernels, %lld events in %.1f s: %.0f studies a minute; %lld broken\n",
      static_cast<long long>(sum.simulations), static_cast<long long>(sum.studies), static_cast<long long>(sum.kernels),
      static_cast<long long>(sum.events), seconds(), static_cast<double>(sum.studies) / seconds() * 60,
      static_cast<long long>(sum.broken));
  return sum.broken ? 1 : 0;
}
