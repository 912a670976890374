#include "apps/session/control/redact_commands.h"

#include "config/config.h"
#include "programs/run_program.h"

namespace session {

kernel::Redactor redactor_for(const std::string& config) {
  const auto environment = programs::own_environment();
  const auto loaded = config::load(config, environment);
  return loaded ? kernel::Redactor(config::secrets(*loaded, environment)) : kernel::Redactor();
}

kernel::Command redacted(kernel::Command command, const kernel::Redactor& redact) {
  if (auto* steer = std::get_if<kernel::Steer>(&command.body)) steer->text = redact(steer->text);
  if (auto* pause = std::get_if<kernel::Pause>(&command.body)) pause->detail = redact(pause->detail);
  if (auto* cancel = std::get_if<kernel::Cancel>(&command.body)) cancel->why = redact(cancel->why);
  if (auto* gate = std::get_if<kernel::DecideGate>(&command.body)) {
    gate->why = redact(gate->why);
    gate->edited = redact(gate->edited);
  }
  if (auto* amend = std::get_if<kernel::AmendWorkspace>(&command.body)) amend->why = redact(amend->why);
  if (auto* given_up = std::get_if<kernel::WithdrawHypothesis>(&command.body)) given_up->why = redact(given_up->why);
  if (auto* said = std::get_if<kernel::RecordNode>(&command.body)) {
    said->node.title = redact(said->node.title);
    for (auto& [name, text] : said->node.fields) text = redact(text);
    for (std::string& alternative : said->node.alternatives) alternative = redact(alternative);
  }
  if (auto* order = std::get_if<kernel::OrderScratch>(&command.body))
    order->order.command = redact(order->order.command);
  if (auto* judged = std::get_if<kernel::JudgeRequirement>(&command.body)) judged->why = redact(judged->why);
  return command;
}

}  // namespace session
