#pragma once
// What the verbs of `bench` share.

#include <string>

#include "apps/cli/bench/bench_folder.h"
#include "apps/cli/verbs/verbs.h"
#include "config/config.h"

namespace cli {

/// Adds `bench autoresearch`.
void add_bench_autoresearch(CLI::App& bench, Context&);

/// The studies of a benchmark run with the options that the benchmark was given.
StudyCalls study_calls(const Context&, int jobs);

/// The configuration; a problem unless it has the profile that is to be measured.
kernel::Result<config::Config> config_with_profile(const Context&, const std::string& profile);

}  // namespace cli
