#pragma once
// What a night of ideas found, read from the documents of its study and runs, and what several nights found together.
// Pure.

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace benchmarks {

/// How a night ended. `unfinished` is no result: it can go on.
enum class NightEnd { confirmed, not_confirmed, none_kept, over_budget, spent, failed, unfinished };
std::string_view name(NightEnd);

/// {"end","why","tried","failed","promising","kept","version","lines","gain","low","high","verdict","baseline_cpu_s",
/// "version_cpu_s","seconds","usd","tokens","runs","study","state"}. The gain is in bits per character, positive where
/// the version is better; exactly 0 if no version was kept, null if nothing was compared. `runs`: `run` documents.
/// `idle`: whether the newest reply of its agents was an answer, so that a study paused for them has nothing to wait
/// for.
nlohmann::json night_result(const nlohmann::json& study, const std::vector<nlohmann::json>& runs, bool idle);

/// {"nights","tried","kept","confirmed":{"nights","of","low","high"},"gain":{"nights","mean","low","high"},"usd",
/// "tokens","seconds","runs"} with 95 % intervals: Wilson's of the share, Student's of the mean gain.
/// Nights over budget and without a comparison have no part in the mean. One night has no interval between nights.
nlohmann::json night_totals(const std::vector<nlohmann::json>& results);

}  // namespace benchmarks
