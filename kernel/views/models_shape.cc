#include "kernel/views/models_shape.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/study/model_use.h"
#include "kernel/views/json_parts.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace kernel {

using nlohmann::json;

namespace {

json answers_shape(const ModelUse& use) {
  json list = json::array();
  for (const AnsweredAs& one : use.answers)
    list.push_back({{"asked", or_null(one.as.model)},
                    {"effort", or_null(one.as.effort)},
                    {"answered_by", or_null(one.origin.model)},
                    {"tier", or_null(one.origin.tier)},
                    {"fingerprint", or_null(one.origin.fingerprint)},
                    {"calls", one.calls}});
  return list;
}

}  // namespace

json models_shape(const Ledger& ledger) {
  if (!states_origins(ledger)) return {};
  json list = json::array();
  for (const ModelUse& use : ledger.models)
    list.push_back({{"role", use.role},
                    {"model", use.model},
                    {"calls", use.calls},
                    {"tokens_in", use.prompt_tokens},
                    {"tokens_cached", use.cached_tokens},
                    {"tokens_out", use.output_tokens},
                    {"usd", use.unpriced > 0 ? json() : json(use.usd)},
                    {"answers", answers_shape(use)}});
  return list;
}

json paid_answers_shape(const std::vector<PaidAnswers>& answers) {
  json list = json::array();
  for (const PaidAnswers& paid : answers)
    list.push_back({{"file", paid.file},
                    {"sha256", paid.hash},
                    {"model", paid.model},
                    {"answers", paid.answers},
                    {"tokens", paid.tokens},
                    {"usd", paid.usd ? json(*paid.usd) : json()}});
  return list;
}

std::vector<std::string> paid_answers_words(const json& shape) {
  std::vector<std::string> words;
  for (const json& paid : shape)
    words.push_back(
        fmt::format("{}: {} of {}, {}{}", paid.at("file").get<std::string>(),
                    prose::counted(paid.at("answers").get<long long>(), "answer"), paid.at("model").get<std::string>(),
                    prose::counted(paid.at("tokens").get<long long>(), "token"),
                    paid.at("usd").is_null() ? "" : fmt::format(" for ${:.2g}", paid.at("usd").get<double>())));
  return words;
}

std::vector<std::string> other_models_words(const Ledger& ledger) {
  std::vector<std::string> words;
  for (const OtherModel& other : other_models(ledger))
    words.push_back(fmt::format("asked for {}, {} answered in {} of {}", other.asked, other.answered, other.calls,
                                prose::counted(other.of, "call")));
  return words;
}

std::vector<std::string> understated_words(const Ledger& ledger, int wording) {
  return sentences(understated_uses(ledger), wording);
}

}  // namespace kernel
