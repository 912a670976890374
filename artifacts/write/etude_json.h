#pragma once
// etude.json: what a program needs to check an artifact or to run it again, and how it is compared with what follows
// from the event log. docs/etude-json.md describes it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/write/package_input.h"
#include "artifacts/write/staging.h"

namespace artifacts {

inline constexpr int etude_json_version = 1;
inline constexpr const char* etude_json_file = "etude.json";
inline constexpr std::uint64_t largest_etude_json = 256u << 20;

/// The beginning of the file, which follows from the log alone.
std::string recorded_beginning(const PackageInput&);
/// The bytes of the file: that beginning, and the hashes of the folder's files. `events`: number of lines of
/// trace/events.jsonl.
std::string etude_json(std::string record, const std::string& head, const Staging&, long long events);

/// The members that follow from the log alone, without the runs: study, workspace, registrations, hypotheses,
/// environment, data. `study`: folded from the log that ends with `head`, with its outcome.
nlohmann::json recorded_members(const kernel::Study& study, const std::string& head);
/// The entries of `runs`, one at a time: a hundred thousand of them would take a gigabyte.
void each_recorded_run(const kernel::Study& study, const std::function<void(const nlohmann::json&)>& each);

/// The wording that etude.json names, or 1; none if this program does not know it.
std::optional<int> wording_of(const nlohmann::json& etude_json);
/// The layout that etude.json names, or 1; the newest one if this program does not know it.
int layout_of(const nlohmann::json& etude_json);
/// Puts the texts of a study from a log in this wording, so that its pages are composed in it.
void put_in_words(kernel::Study&, int wording);

/// The first difference: ".metrics.time_ms", or "" for the whole value. Unless `exactly`, members that only an older or
/// a newer program writes are no difference.
std::optional<std::string> first_difference(const nlohmann::json& found, const nlohmann::json& expected, bool exactly);

}  // namespace artifacts
