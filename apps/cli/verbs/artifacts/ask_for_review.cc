#include "apps/cli/verbs/artifacts/ask_for_review.h"

#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "apps/cli/doctor/ask_model.h"

namespace cli {
namespace {

constexpr int most_rounds = 3;

/// Bytes of pages in one request: three per token, minus room for the prompt, two corrections and the answers.
std::size_t room_of(const config::ModelEntry& entry) {
  constexpr std::int64_t unstated = 32'000, least = 4'000, most = 150'000;
  const std::int64_t context = entry.context > 0 ? entry.context : unstated;
  return static_cast<std::size_t>(std::clamp(context - most_rounds * entry.max_output - 2'500, least, most)) * 3;
}

std::string material(const artifacts::ReviewPages& pages) {
  std::string text;
  for (const artifacts::ReviewPage& page : pages.shown) {
    const bool cut = page.bytes > page.text.size();
    text += agents::quoted(page.path, page.text, page.text.size()) + "\n";
    if (cut) text += fmt::format("({} has {} bytes; this is its beginning.)\n", page.path, page.bytes);
  }
  if (!pages.left_out.empty()) {
    std::string names;
    for (const std::string& path : pages.left_out) names += path + "\n";
    text += agents::quoted("the names of pages that there was no room for", names, 4000) + "\n";
  }
  return text + "\nScore the six dimensions.";
}

std::string correction(const artifacts::Review& review) {
  std::string text = "Some of it could not be taken:\n";
  for (const std::string& why : review.refused) text += "- " + why + "\n";
  return text + "Copy quotations word for word from the pages above. Answer once more, all six dimensions.";
}

std::size_t scores(const artifacts::Review& review) {
  return static_cast<std::size_t>(
      std::count_if(review.dimensions.begin(), review.dimensions.end(),
                    [](const artifacts::DimensionScore& d) { return d.score.has_value(); }));
}

void add(models::Usage& sum, const models::Usage& more) {
  sum.known = sum.known || more.known;
  sum.input += more.input;
  sum.output += more.output;
  sum.cache_read += more.cache_read;
  sum.cache_written += more.cache_written;
}

}  // namespace

kernel::Result<Reviewed> model_review(const config::Config& config, const std::string& name,
                                      const std::string& artifact,
                                      const std::map<std::string, std::string>& environment) {
  const auto model = config::ready(config, name, environment);
  if (!model) return model.problem();
  const config::ModelEntry& entry = config.models.at(name);
  if (entry.embeds) return kernel::Problem{config.file, 0, name, "only turns texts into vectors", "name another model"};
  const auto pages = artifacts::review_pages(artifact, room_of(entry));
  if (!pages) return pages.problem();
  if (pages->shown.empty())
    return kernel::Problem{artifact, 0, "the artifact", "has no page that could be read", "check it first"};

  models::Request request = request_to(entry);
  request.system = agents::plain_prompt("audit");
  request.messages.resize(1);
  request.messages[0].text = material(*pages);
  request.shape = models::AnswerShape{"review", artifacts::review_schema()};
  Reviewed best{{}, pages->left_out, ""};
  models::Usage used;
  for (int round = 0; round < most_rounds; ++round) {
    const models::Outcome outcome = ask_and_wait(*model, request, model->most_attempts);
    if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
      if (round > 0) break;  // The earlier review still counts.
      return kernel::Problem{"",
                             0,
                             "model " + name,
                             std::string(models::name(failure->kind)) + ": " + failure->message,
                             fmt::format("try `etude doctor --model {}`", name),
                             true};
    }
    const auto& reply = std::get<models::Reply>(outcome);
    add(used, reply.usage);
    artifacts::Review review = artifacts::read_review(reply.text, *pages);
    review.model = name;
    const bool whole = review.refused.empty();
    if (round == 0 || scores(review) >= scores(best.review)) best.review = review;
    if (whole) break;
    request.messages.push_back({models::Speaker::assistant, reply.text.empty() ? "(nothing)" : reply.text});
    request.messages.push_back({models::Speaker::user, correction(review)});
  }
  best.price = price_text(entry, used);
  return best;
}

}  // namespace cli
