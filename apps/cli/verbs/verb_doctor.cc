#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/doctor/ask_model.h"
#include "apps/cli/doctor/doctor_checks.h"
#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/model_lines.h"
#include "config/config.h"
#include "kernel/verdicts/forecasts.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

std::string text_of(const MachineCheck& check, const Screen& screen) {
  static constexpr TextStyle inks[] = {TextStyle::plain, TextStyle::inconclusive, TextStyle::bad};
  const std::string word = fmt::format("{:<8}", name(check.health));
  std::string text = paint(word, inks[static_cast<std::size_t>(check.health)], screen.colour) +
                     fmt::format(" {:<11} {}\n", check.name, one_line(check.detail));
  if (!check.remedy.empty()) text += fmt::format("{:21}{}\n", "", one_line(check.remedy));
  return text;
}

/// What each model was used for and cost in the studies of this home, by role.
std::vector<MachineCheck> spending_checks(const memory::Reader& reader) {
  std::vector<nlohmann::json> ledgers;
  for (const std::string& models : reader.models_used()) ledgers.push_back(nlohmann::json::parse(models));
  std::vector<MachineCheck> checks;
  for (const nlohmann::json& use : summed_models(ledgers))
    checks.push_back({"spent", Health::ok,
                      model_line(use) + " in " + prose::counted(use.at("studies").get<long long>(), "study"), ""});
  return checks;
}

int doctor(const Context& context, const std::vector<std::string>& ask) {
  DoctorQuery query;
  query.variables = programs::own_environment();
  const auto config = config::load(context.config_option, query.variables);
  if (!config) return fail(bad_input, config.problem());
  for (const std::string& model : ask)
    if (!config->models.contains(model))
      return fail(bad_input, config::ready(*config, model, query.variables).problem());
  query.home = context.home();
  query.path = query.variables.contains("PATH") ? query.variables.at("PATH") : "/usr/local/bin:/usr/bin:/bin";
  std::vector<MachineCheck> checks = doctor_checks(query, *context.backend);
  checks.insert(checks.begin(), {"etude", Health::ok, ETUDE_VERSION, ""});
  for (MachineCheck& check : model_checks(*config, ask, query.variables)) checks.push_back(std::move(check));
  for (const nlohmann::json& role : kernel::forecasts_shape(memory::Reader(context.home()).forecasts()))
    checks.push_back({"forecasts", Health::ok, text_at(role, "role") + ": " + kernel::forecast_words(role), ""});
  for (MachineCheck& check : spending_checks(memory::Reader(context.home()))) checks.push_back(std::move(check));
  const bool whole =
      std::ranges::none_of(checks, [](const MachineCheck& check) { return check.health == Health::missing; });
  if (context.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const MachineCheck& check : checks)
      list.push_back({{"name", check.name},
                      {"status", name(check.health)},
                      {"detail", check.detail},
                      {"remedy", check.remedy.empty() ? nlohmann::json() : nlohmann::json(check.remedy)}});
    print_json({{"ok", whole}, {"checks", std::move(list)}});
  } else {
    const Screen screen = standard_screen();
    for (const MachineCheck& check : checks) fmt::print("{}", text_of(check, screen));
  }
  return whole ? ok : environment;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  const auto [verb, ask] =
      add_verb(app, context, "doctor", "check this machine: what works, and how to correct what does not", doctor);
  verb->add_option("--model", *ask, "ask this model of the configuration once, which costs a few dozen tokens");
}

}  // namespace cli
