#include "apps/session/watch/public_view.h"

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "memory/files/blobs.h"

namespace session {

using nlohmann::json;

Withheld::Withheld(const json& study) : ended_(study.at("state") == "ended") {
  // An experiment stays covered if only a look or a withdrawal decided one of its hypotheses.
  std::set<std::string> open;
  for (const json& hypothesis : study.at("hypotheses")) {
    if (!hypothesis.at("experiment").is_string()) continue;
    const auto experiment = hypothesis.at("experiment").get<std::string>();
    if (hypothesis.at("verdict").is_null())
      open.insert(experiment);
    else if (hypothesis.value("withdrawn", json()).is_null())
      analysed_.insert(experiment);
  }
  for (const std::string& experiment : open) analysed_.erase(experiment);
}

bool Withheld::covers(const json& run) const {
  const json& purpose = run.at("purpose");
  if (ended_ || (purpose != "registered" && purpose != "aa" && purpose != "repeat")) return false;
  return !run.at("experiment").is_string() || analysed_.count(run.at("experiment").get<std::string>()) == 0;
}

json Withheld::shown(json run) const {
  const bool covered = covers(run);
  run["withheld"] = covered;
  if (!covered) return run;
  for (json& value : run["metrics"]) value = nullptr;
  if (run["state"] == "invalid") run["reason"] = withheld_reason;
  return run;
}

namespace {

json shape(const std::string& study, std::int64_t wall_ms, const std::string& actor, std::string_view type,
           json payload) {
  kernel::put_in_words(payload, kernel::wording_version);
  return {{"study", study},
          {"time", kernel::iso8601(wall_ms)},
          {"actor", actor},
          {"type", type},
          {"payload", std::move(payload)}};
}

void withhold(json& payload) {
  for (json& value : payload["measurement"]["values"]) value = nullptr;
  if (payload["state"] == "invalid") payload["reason"] = withheld_reason;
  payload["withheld"] = true;
}

}  // namespace

json event_shape(const kernel::Event& event, bool registered) {
  json payload = json::parse(kernel::encode(event.body));
  if (std::holds_alternative<kernel::RunEnded>(event.body) && registered) withhold(payload);
  return shape(event.study, event.at.wall_ms, event.actor, kernel::type_name(event.body), std::move(payload));
}

json event_shape(const kernel::StoredEvent& event, std::set<int>& scratch) {
  json payload = json::parse(event.payload);
  if (event.is<kernel::RunsQueued>() && payload.value("experiment", "").empty())
    for (const json& run : payload.at("runs")) scratch.insert(run.at("number").get<int>());
  if (event.is<kernel::RunEnded>() && !scratch.contains(payload.at("run").get<int>())) withhold(payload);
  json shown = shape(event.study, event.time, event.actor, event.type, std::move(payload));
  shown["seq"] = event.seq;
  return shown;
}

std::string printed_by(const HomePaths& home, const executors::Backend& backend, const json& run,
                       executors::OutputStream stream, const kernel::Redactor& redact) {
  if (run.at("ended").is_string()) {
    const auto& blob = run.at("blobs").at(stream == executors::OutputStream::out ? "stdout" : "stderr");
    return blob.is_string() ? memory::Blobs(home.blobs()).get(blob) : std::string();
  }
  if (!run.at("launch").is_string()) return "";
  return redact(backend.harvest(home.run_folder(run.at("study"), run.at("launch"))).log(stream));
}

std::optional<std::string> merged_log(const HomePaths& home, const executors::Backend& backend, const json& run,
                                      const kernel::Redactor& redact) {
  if (run.at("ended").is_string()) {
    const std::string out = printed_by(home, backend, run, executors::OutputStream::out, redact);
    const std::string err = printed_by(home, backend, run, executors::OutputStream::err, redact);
    executors::LineOrder order;
    if (const auto kept = run.at("blobs").find("log_order"); kept != run.at("blobs").end()) {
      const auto parsed = executors::LineOrder::parse(memory::Blobs(home.blobs()).get(*kept));
      if (!parsed || !parsed->fits(out, err)) return std::nullopt;
      order = *parsed;
    } else if (!out.empty() && !err.empty()) {
      return std::nullopt;
    }
    order.add_rest(out, err);
    return order.merged(out, err);
  }
  if (!run.at("launch").is_string()) return "";
  const executors::BothLogs logs = backend.harvest(home.run_folder(run.at("study"), run.at("launch"))).both_logs();
  if (!logs.order) return std::nullopt;
  const std::string out = redact(logs.out), err = redact(logs.err);
  // A secret of several lines is one word afterwards, and the order counts lines.
  if (executors::count_lines(out) != executors::count_lines(logs.out) ||
      executors::count_lines(err) != executors::count_lines(logs.err))
    return std::nullopt;
  return logs.order->merged(out, err);
}

LogAccess log_access(const json& run) {
  if (!run.value("withheld", false)) return LogAccess::open;
  if (run.at("state") == "succeeded" || run.at("state") == "invalid") return LogAccess::withheld;
  const bool is_running = !run.at("ended").is_string() && run.at("launch").is_string();
  return is_running ? LogAccess::recorded : LogAccess::open;
}

}  // namespace session
