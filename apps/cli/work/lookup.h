#pragma once
// Looks up the documents that a person asks for, with a connection of its own per query. Problems are mistakes of the
// person (no such id); a store that cannot be read throws memory::StoreFault.

#include <string>

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"
#include "memory/store/reader.h"

namespace cli {

/// The `study` JSON of the only study whose id begins with `wanted`.
kernel::Result<nlohmann::json> study_named(const memory::Reader&, const std::string& wanted);

/// A run with its study; its metrics are as `Withheld` shows them.
struct NamedRun {
  nlohmann::json study, run;
};
kernel::Result<NamedRun> run_named(const memory::Reader&, const std::string& wanted);

/// The problem of a home without a store.
kernel::Problem no_store(const Context&);

}  // namespace cli
