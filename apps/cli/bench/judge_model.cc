#include "apps/cli/bench/judge_model.h"

#include <variant>

#include "apps/cli/doctor/ask_server.h"
#include "base/shell_text.h"
#include "models/message.h"
#include "programs/run_program.h"

namespace cli {

namespace {

constexpr int most_replies = 3;
constexpr int most_attempts = 4;

}  // namespace

Judge::Judge(config::ModelEntry entry, models::Model model) : entry_(std::move(entry)), model_(std::move(model)) {
  if (entry_.price) spent_ = 0;
}

kernel::Result<Judge> Judge::of(const config::Config& config, const std::string& name) {
  const auto entry = config.models.find(name);
  if (entry == config.models.end() || entry->second.embeds)
    return kernel::Problem{"", 0, "--judge " + name, "the configuration has no model of that name that converses",
                           "see `etude doctor`"};
  auto model = config::ready(config, name, programs::own_environment());
  if (!model) return model.problem();
  return Judge(entry->second, std::move(*model));
}

kernel::Result<std::vector<benchmarks::ItemJudgement>> Judge::ask(const benchmarks::JudgeQuestion& question) {
  models::Request request = config::request_to(entry_, false);
  request.system = question.system();
  request.messages.resize(1);
  request.messages[0].text = question.user();
  std::string why;
  for (int i = 0; i < most_replies; ++i) {
    const models::ModelOutcome outcome = ask_and_wait(model_, request, most_attempts);
    if (const auto* failure = std::get_if<models::Failure>(&outcome))
      return kernel::Problem{"", 0, "the judge", failure->message,
                             "see `etude doctor --model " + kernel::shell_word(model_.name) + "`"};
    const auto& reply = std::get<models::Reply>(outcome);
    if (entry_.price) *spent_ += models::cost(*entry_.price, reply.usage);
    auto judgements = benchmarks::read_judgements(reply.text, question.items.size());
    if (judgements) return judgements;
    why = judgements.problem().why;
  }
  return kernel::Problem{"", 0, "the judge", "no reply of its is of the form that it was told: " + why,
                         "choose another model"};
}

}  // namespace cli
