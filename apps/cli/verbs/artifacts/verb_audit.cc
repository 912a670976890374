// `audit`, and a review by a configured model.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/thinking/briefing/prompts.h"
#include "apps/cli/doctor/ask_model.h"
#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/verbs/artifacts/print_findings.h"
#include "apps/cli/work/lookup.h"
#include "artifacts/audit/audit.h"
#include "artifacts/audit/level2_review.h"
#include "base/result.h"
#include "base/shell_text.h"
#include "config/config.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

constexpr int most_rounds = 3;

/// Bytes of pages in one request: three per token, minus room for the prompt, two corrections and the answers.
std::size_t room_of(const config::ModelEntry& entry) {
  constexpr std::int64_t unstated = 32'000, least = 4'000, most = 150'000;
  const std::int64_t context = entry.context > 0 ? entry.context : unstated;
  return static_cast<std::size_t>(
             std::clamp(context - most_rounds * config::most_output(entry, false) - 2'500, least, most)) *
         3;
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
      std::ranges::count_if(review.dimensions, [](const artifacts::DimensionScore& d) { return d.score.has_value(); }));
}

void add(models::TokenUsage& sum, const models::TokenUsage& more) {
  sum.known = sum.known || more.known;
  sum.input += more.input;
  sum.output += more.output;
  sum.cache_read += more.cache_read;
  sum.cache_written += more.cache_written;
}

struct Reviewed {
  artifacts::Review review;
  std::vector<std::string> left_out;  ///< Pages that did not fit into the request.
  std::string price;
};

/// Asks a configured model to review the artifact by six dimensions. Wrong quotations are reported to the model once or
/// twice; those that stay wrong are left out. A problem if the model is not configured, only embeds, has no key, or
/// does not answer.
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

  models::Request request = config::request_to(entry, false);
  request.system = agents::plain_prompt("audit");
  request.messages.resize(1);
  request.messages[0].text = material(*pages);
  request.shape = models::AnswerShape{"review", artifacts::review_schema()};
  Reviewed best{{}, pages->left_out, ""};
  models::TokenUsage used;
  for (int round = 0; round < most_rounds; ++round) {
    const models::ModelOutcome outcome = ask_and_wait(*model, request, model->most_attempts);
    if (const auto* failure = std::get_if<models::Failure>(&outcome)) {
      if (round > 0) break;  // The earlier review still counts.
      return kernel::Problem{"",
                             0,
                             "model " + name,
                             std::string(models::name(failure->kind)) + ": " + failure->message,
                             "try `etude doctor --model " + kernel::shell_word(name) + "`",
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

struct AuditWords {
  std::string artifact;
  std::string report;
  std::string model;  ///< Empty for no review.
  FindingsFormat format = FindingsFormat::text;
  artifacts::AuditOptions audit;
};

nlohmann::json review_member(const Reviewed& reviewed) {
  nlohmann::json member = artifacts::to_json(reviewed.review);
  member["pages_left_out"] = reviewed.left_out;
  member["used"] = reviewed.price;
  return member;
}

kernel::Result<Reviewed> have_it_read(const Context& context, const AuditWords& words) {
  const auto environment = programs::own_environment();
  const auto config = config::load(context.config_option, environment);
  if (!config) return config.problem();
  return model_review(*config, words.model, words.artifact, environment);
}

kernel::Result<artifacts::CheckReport> audited(const AuditWords& words) {
  HashBar bar;
  artifacts::AuditOptions own = words.audit;
  own.redraw = true;
  own.hashing = [&bar](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
  return artifacts::audit(words.artifact, own);
}

int audit(const Context& context, AuditWords words) {
  const auto artifact = artifact_named(context, words.artifact);
  if (!artifact) return fail(bad_input, artifact.problem());
  words.artifact = *artifact;
  const auto report = audited(words);
  std::optional<Reviewed> reviewed;
  if (report && !words.model.empty()) {
    auto read = have_it_read(context, words);
    if (!read) return fail(bad_input, read.problem());
    reviewed = std::move(*read);
  }
  const artifacts::Review* review = reviewed ? &reviewed->review : nullptr;
  if (report && !words.report.empty()) {
    std::ofstream file(words.report, std::ios::binary | std::ios::trunc);
    file << artifacts::level2_report(*report, words.audit.tool_version, review).dump(2) << "\n";
    if (!file.flush()) return fail(environment, words.report, std::strerror(errno), "name a file that can be written");
  }
  const int code =
      print_findings(context, report, words.artifact, words.format,
                     reviewed ? nlohmann::json{{"review", review_member(*reviewed)}} : nlohmann::json::object());
  if (reviewed && !context.json && words.format != FindingsFormat::gitlab) {
    std::string text = artifacts::to_text(*review) + fmt::format("  used {}\n", reviewed->price);
    if (!reviewed->left_out.empty())
      text += fmt::format("  {} because the prompt was full, the first {}\n",
                          prose::counted(static_cast<long long>(reviewed->left_out.size()), "page") + " not shown",
                          reviewed->left_out.front());
    fmt::print("{}", printable(text));
  }
  return code;
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  const auto [verb, words] =
      add_verb(app, context, "audit", "do all numbers and pages follow from the artifact's event log?", audit);
  words->audit.tool_version = ETUDE_VERSION;
  verb->add_option("ARA", words->artifact, "the artifact's folder, a zip of it, or its study")->required();
  verb->add_flag("--strict", words->audit.strict, "warnings count too");
  verb->add_option("--report", words->report,
                   "also write the findings to this file, by dimension, in the form of level2_report.json");
  verb->add_option("--model", words->model,
                   "let this model of the configuration score six dimensions; the scores do not change the findings");
  add_findings_format(*verb, words->format);
  verb->add_option("--head", words->audit.head, "the head of the event log, as the study printed it at its end");
}

}  // namespace cli
