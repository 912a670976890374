#pragma once
// The documents that a person asks for, by what they typed: read from the home's store, one connection per question.
// Problems are the person's (no such id); a store that cannot be read throws memory::StoreFault.

#include <string>

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"
#include "memory/store/reader.h"

namespace cli {

/// The `study` shape of the one study whose id is, or begins with, `wanted`.
kernel::Result<nlohmann::json> study_named(const memory::Reader&, const std::string& wanted);

/// A run with the study it belongs to; its metrics are as `Withheld` shows them.
struct NamedRun {
  nlohmann::json study, run;
};
kernel::Result<NamedRun> run_named(const memory::Reader&, const std::string& wanted);

/// What there is to say of a home that holds no store.
kernel::Problem no_store(const Context&);

}  // namespace cli
