#include "kernel/study/gates.h"

#include <algorithm>

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include "kernel/study/ledger.h"

namespace kernel {

namespace {

bool stands_before(const Study& study, const GateSpec& gate, Time now) {
  switch (gate.on) {
    case GateOn::tool:
    case GateOn::question:
    case GateOn::secrets:
      return false;
    case GateOn::hypotheses:
      if (study.spec.kind != StudyKind::test) return study.phase() == Phase::sizing;
      return study.phase() == Phase::checking && !study.asked_smoke;
    case GateOn::experiments:
      return study.phase() == Phase::registering;
    case GateOn::conclude:
      return study.phase() == Phase::concluding;
    case GateOn::spend:
      return !study.queue.empty() &&
             exceeded_by(*study.run(study.queue.front()), study, gate.above, spending_of(study, now)).has_value();
  }
  return false;
}

}  // namespace

std::optional<int> due_gate(const Study& study, Time now) {
  for (std::size_t i = 0; i < study.spec.gates.size(); ++i) {
    const int position = static_cast<int>(i);
    const bool opened = std::ranges::any_of(
        study.gates, [&](const GateRecord& record) { return record.gate.position == position && !record.stale; });
    if (!opened && stands_before(study, study.spec.gates[i], now)) return position;
  }
  return std::nullopt;
}

Reason gate_question(const Study& study, const GateSpec& gate) {
  switch (gate.on) {
    case GateOn::hypotheses:
      if (study.hypotheses.size() == 1) return {ReasonCode::gate_hypothesis, {{"family", study.family}}};
      return {ReasonCode::gate_hypotheses,
              {{"hypotheses", static_cast<std::int64_t>(study.hypotheses.size())}, {"family", study.family}}};
    case GateOn::experiments: {
      int most = 0;
      if (study.sized)
        for (const SizeRecord& size : study.sized->sizes) most = std::max(most, size.replicates);
      return {ReasonCode::gate_experiment, {{"replicates", most}}};
    }
    case GateOn::conclude:
      return {ReasonCode::gate_conclude};
    case GateOn::spend:
      return {ReasonCode::gate_spend, {{"limits", limits_text(gate.above)}}};
    case GateOn::tool:
    case GateOn::question:
    case GateOn::secrets:
      break;
  }
  return {};
}

std::string next_gate(const Study& study) {
  return fmt::format("{}-g{}", study.id, study.gates.size() + 1);
}

std::optional<int> gate_before_tool(const StudyTerms& study, const std::string& tool) {
  for (std::size_t i = 0; i < study.spec.gates.size(); ++i) {
    const GateSpec& gate = study.spec.gates[i];
    if (gate.on == GateOn::tool && std::ranges::any_of(gate.tools, [&](const std::string& glob) {
          return fnmatch(glob.c_str(), tool.c_str(), 0) == 0;
        }))
      return static_cast<int>(i);
  }
  return std::nullopt;
}

bool needs_leave(const StudyTerms& study, const std::string& tool) {
  return tool == dependency_tool || gate_before_tool(study, tool);
}

bool may_change_setup(const Journal& study, const std::string& role) {
  return std::ranges::any_of(study.gates, [&](const GateRecord& record) {
    if (record.gate.tool != dependency_tool || !record.decided || !record.approved) return false;
    const ModelCall* call = study.thinking.call(record.gate.call);
    const LineOfWork& line = study.thinking.lines.at(static_cast<std::size_t>(call->line));
    return line.role == role && !line.ended;
  });
}

const GateRecord* gate_of_secrets(const Journal& study) {
  const auto record =
      std::ranges::find_if(study.gates, [](const GateRecord& r) { return r.gate.on == GateOn::secrets; });
  return record == study.gates.end() ? nullptr : &*record;
}

std::set<std::string> withheld_files(const Journal& study) {
  const GateRecord* record = gate_of_secrets(study);
  if (!record || !record->decided || record->approved) return {};
  const auto files = nlohmann::json::parse(record->gate.arguments, nullptr, false);
  std::set<std::string> paths;
  if (files.is_array())
    for (const nlohmann::json& file : files)
      if (file.is_string()) paths.insert(file.get<std::string>());
  return paths;
}

std::optional<std::int64_t> waits_until(const StudyTerms& study, const GateRecord& record) {
  // With its runs done, the study need not hold the machine until a person comes.
  if (record.gate.on == GateOn::secrets) return record.waits_since;
  if (record.gate.position == Gate::unlisted) return std::nullopt;  // An agent's question has no time limit.
  const GateSpec& gate = study.spec.gates[static_cast<std::size_t>(record.gate.position)];
  if (!gate.pause && !gate.unanswered) return std::nullopt;
  return record.waits_since + static_cast<std::int64_t>(1000 * gate.wait_s.value_or(0));
}

}  // namespace kernel
