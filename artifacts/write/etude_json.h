#pragma once
// etude.json: what a machine needs to check an artifact or to run it again. docs/etude-json.md gives its shape.

#include <cstdint>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/write/package_input.h"
#include "artifacts/write/staging.h"

namespace artifacts {

inline constexpr int seal_version = 1;
inline constexpr const char* seal_file = "etude.json";
inline constexpr std::uint64_t largest_seal = 256u << 20;

/// The file's beginning: what follows from the log alone.
std::string sealed_record(const PackageInput&);
/// The file's bytes: such a beginning, and what lies in the folder. `events`: how many lines trace/events.jsonl has.
std::string seal(std::string record, const std::string& head, const Staging&, long long events);

/// The members that follow from the log alone, but for the runs: study, workspace, registrations, hypotheses,
/// environment, data. `study`: folded from the log that ends with `head`, its outcome set.
nlohmann::json sealed_members(const kernel::Study& study, const std::string& head);
/// The entries of `runs`, one after the other: a hundred thousand of them at once would take a gigabyte.
void each_sealed_run(const kernel::Study& study, const std::function<void(const nlohmann::json&)>& each);

}  // namespace artifacts
