#pragma once
// Running studies as people and programs may see them: values of registered runs are withheld until their experiment is
// analysed or the study has ended. Filters events, `run` JSON and the output of runs.

#include <optional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/session/home/home.h"
#include "base/redact.h"
#include "executors/backend/backend.h"
#include "kernel/codec/codec.h"
#include "kernel/domain/event.h"

namespace session {

/// Replaces the reason of an `invalid` run, which quotes the value of a metric.
inline constexpr const char* withheld_reason = "a guard failed (withheld until its experiment is analysed)";

class Withheld {
 public:
  /// `study`: the `study` JSON, with its hypotheses.
  explicit Withheld(const nlohmann::json& study);

  bool covers(const nlohmann::json& run) const;
  /// The experiments whose registered runs show their values. None: the study has ended, and nothing is withheld.
  std::optional<std::set<std::string>> open_experiments() const {
    return ended_ ? std::nullopt : std::optional(analysed_);
  }
  /// The `run` JSON. For a withheld run every metric is null, `withheld` is true, and an `invalid` run's reason is
  /// replaced.
  nlohmann::json shown(nlohmann::json run) const;

 private:
  bool ended_;
  std::set<std::string> analysed_;
};

/// {"study","time","actor","type","payload"}. `registered`: for RunEnded, whether the run is registered.
nlohmann::json event_shape(const kernel::Event&, bool registered);
/// The same with "seq", from the stored bytes. `scratch`: the numbers of the study's runs that are not registered;
/// updated with the events that are shown.
nlohmann::json event_shape(const kernel::StoredEvent&, std::set<int>& scratch);

/// The output of a run. `run`: the contract's shape. Throws StoreFault if the blob is missing.
std::string printed_by(const HomePaths&, const executors::Backend&, const nlohmann::json& run, executors::OutputStream,
                       const kernel::Redactor&);

/// Both streams of a run in the order of their lines, each line with its prefix (executors/backend/line_order.h); none
/// if the order is not known. Of a run that has not ended, only complete lines. Throws StoreFault if a blob is missing.
std::optional<std::string> merged_log(const HomePaths&, const executors::Backend&, const nlohmann::json& run,
                                      const kernel::Redactor&);

/// Whether a person sees the output of a run.
enum class LogAccess {
  open,      ///< At any time, without a trace.
  recorded,  ///< At any time; the study records the look, because the output may contain values.
  withheld,  ///< If the person asks for a look, which the study records.
};

/// `run`: as `Withheld` returns it. Logs of failed runs are open.
LogAccess log_access(const nlohmann::json& run);

}  // namespace session
