#include "artifacts/transcripts/transcript_shapes.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "kernel/wording/wording.h"

namespace artifacts {

namespace {

using nlohmann::json;

json step_shape(const TranscriptStep& step, const kernel::Redactor& redact) {
  json one = {{"by", name(step.by)}, {"seq", step.line}, {"text", redact(step.text)}, {"anew", step.anew}};
  if (step.by != SpokenBy::agent) return one;
  one.update({{"model", step.model},
              {"thoughts", redact(step.thoughts)},
              {"tokens", step.tokens.total()},
              {"usd", step.usd ? json(*step.usd) : json()}});
  one["calls"] = json::array();
  for (const TranscriptCall& call : step.calls)
    one["calls"].push_back({{"tool", call.tool},
                            {"arguments", redact(call.arguments)},
                            {"answer", call.answer ? json(redact(*call.answer)) : json()},
                            {"refused", call.refused}});
  return one;
}

}  // namespace

double usd_of(const Transcript& one) {
  double usd = one.usd_unanswered;
  for (const TranscriptStep& step : one.steps) usd += step.usd.value_or(0);
  return usd;
}

std::int64_t tokens_of(const Transcript& one) {
  std::int64_t tokens = 0;
  for (const TranscriptStep& step : one.steps) tokens += step.tokens.total();
  return tokens;
}

const char* name(SpokenBy by) {
  return by == SpokenBy::system ? "system" : by == SpokenBy::user ? "user" : "agent";
}

json summary_shape(const Transcript& one, const kernel::Redactor& redact) {
  return {{"line", one.line},
          {"role", one.role},
          {"steps", one.steps.size()},
          {"tokens", tokens_of(one)},
          {"usd", usd_of(one)},
          {"unanswered", one.unanswered},
          {"ended", one.ended_ms > 0 ? json(kernel::iso8601(one.ended_ms)) : json()},
          {"ending", redact(kernel::newest_words(one.ending))}};
}

json transcript_shape(const Transcript& one, std::size_t from, const kernel::Redactor& redact) {
  json shape = summary_shape(one, redact);
  shape["steps"] = json::array();
  for (std::size_t i = from; i < one.steps.size(); ++i) shape["steps"].push_back(step_shape(one.steps[i], redact));
  return shape;
}

}  // namespace artifacts
