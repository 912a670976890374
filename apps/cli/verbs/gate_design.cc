#include "apps/cli/verbs/gate_design.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/session/plan/gate_plan.h"
#include "kernel/domain/enum_names.h"

namespace cli {

using nlohmann::json;

void add_allowed(const Context& context, const memory::Reader& reader, json& study) {
  if (study.at("state") == "ended") return;
  const std::string home = context.home(), id = text_at(study, "id");
  const session::PlanPlace place{home, *context.backend, nullptr};
  std::optional<kernel::State> state;
  for (json& gate : study.at("gates")) {
    const auto on = kernel::named<kernel::GateOn>(text_at(gate, "on"));
    if (!gate.at("decision").is_null() || !on) continue;
    if (*on != kernel::GateOn::hypotheses && *on != kernel::GateOn::experiments) continue;
    if (!state) state = reader.load_active(id);
    if (const kernel::Study* loaded = state->study(id)) gate["allows"] = session::gate_plan_shape(*loaded, *on, place);
  }
}

}  // namespace cli
