#include "artifacts/transcripts/trajectories.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/text/untrusted_text.h"
#include "artifacts/transcripts/plain_json.h"
#include "base/clock.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"

namespace artifacts {
namespace {

using json = nlohmann::json;

constexpr const char* atif_version = "ATIF-v1.7";

const char* source_of(SpokenBy by) {
  switch (by) {
    case SpokenBy::system:
      return "system";
    case SpokenBy::user:
      return "user";
    case SpokenBy::agent:
      return "agent";
  }
  return "";
}

std::int64_t prompt_tokens(const kernel::TokenCount& tokens) {
  return tokens.input + tokens.cache_read + tokens.cache_written;
}

json metrics_of(const TranscriptStep& step) {
  json metrics = {{"prompt_tokens", prompt_tokens(step.tokens)},
                  {"completion_tokens", step.tokens.output},
                  {"cached_tokens", step.tokens.cache_read}};
  if (step.usd) metrics["cost_usd"] = *step.usd;
  json extra = json::object();
  if (step.tokens.cache_written > 0) extra["cache_written_tokens"] = step.tokens.cache_written;
  if (step.understated)
    extra["understated"] = "the provider stated fewer tokens than the texts can be: those set aside";
  if (!extra.empty()) metrics["extra"] = std::move(extra);
  return metrics;
}

class Trajectory {
 public:
  Trajectory(const Transcript& transcript, const kernel::StudyTerms& study, const TranscriptSource& source)
      : transcript_(transcript), study_(study), source_(source) {}

  json document() {
    const std::string session = fmt::format("{}-{}", study_.id, source_.head.substr(0, 12));
    json document = {{"schema_version", atif_version},
                     {"session_id", session},
                     {"trajectory_id", session + "/" + transcript_.line},
                     {"agent", agent()},
                     {"steps", json::array()}};
    for (const TranscriptStep& step : transcript_.steps) document["steps"].push_back(one(step));
    document["notes"] =
        "One conversation of an agent of an etude study. The study's artifact has the SHA-256 of every text here.";
    if (transcript_.unanswered > 0)
      document["notes"] = document["notes"].get<std::string>() +
                          " Calls without a reply are no steps; total_cost_usd includes what they may have cost.";
    document["final_metrics"] = final_metrics();
    document["extra"] = about();
    return document;
  }

 private:
  json agent() const {
    json agent = {{"name", "etude"}, {"version", source_.tool_version}};
    for (const TranscriptStep& step : transcript_.steps)
      if (step.by == SpokenBy::agent && !agent.contains("model_name")) agent["model_name"] = step.model;
    for (const models::Tool& tool : transcript_.tools)
      agent["tool_definitions"].push_back(
          {{"type", "function"},
           {"function",
            {{"name", tool.name}, {"description", tool.description}, {"parameters", object_of(tool.parameters)}}}});
    agent["extra"] = {{"role", transcript_.role}};
    return agent;
  }

  json one(const TranscriptStep& step) {
    json out = {{"step_id", ++steps_}, {"timestamp", kernel::iso8601(step.at_ms)}, {"source", source_of(step.by)}};
    if (step.by == SpokenBy::agent) out["model_name"] = step.model;
    if (!step.effort.empty()) out["reasoning_effort"] = step.effort;
    out["message"] = step.text;
    if (!step.thoughts.empty()) out["reasoning_content"] = step.thoughts;
    for (const TranscriptCall& call : step.calls) {
      const std::string id = unique(call.id, step.call);
      json made = {{"tool_call_id", id}, {"function_name", call.tool}, {"arguments", object_of(call.arguments)}};
      if (!is_object(call.arguments)) made["extra"] = {{"arguments_as_written", call.arguments}};
      out["tool_calls"].push_back(std::move(made));
      if (!call.answer) continue;
      json result = {{"source_call_id", id}, {"content", *call.answer}};
      if (call.refused) result["extra"] = {{"refused", true}};
      out["observation"]["results"].push_back(std::move(result));
    }
    if (step.by == SpokenBy::agent) {
      out["metrics"] = metrics_of(step);
      out["llm_call_count"] = 1;
      out["extra"] = {{"call", step.call}};
    }
    if (step.anew) out["extra"] = {{"begins_anew", "the conversation had filled the context of the model"}};
    return out;
  }

  /// A model may give two calls of different replies one id.
  std::string unique(const std::string& id, int call) {
    return ids_.insert(id).second ? id : fmt::format("{}-{}", call, id);
  }

  json final_metrics() const {
    std::int64_t prompt = 0, completion = 0, cached = 0;
    double usd = transcript_.usd_unanswered;
    bool priced = true;
    for (const TranscriptStep& step : transcript_.steps) {
      prompt += prompt_tokens(step.tokens);
      completion += step.tokens.output;
      cached += step.tokens.cache_read;
      usd += step.usd.value_or(0);
      if (step.by == SpokenBy::agent && !step.usd) priced = false;
    }
    json totals = {
        {"total_prompt_tokens", prompt}, {"total_completion_tokens", completion}, {"total_cached_tokens", cached}};
    if (priced) totals["total_cost_usd"] = usd;
    totals["total_steps"] = transcript_.steps.size();
    if (transcript_.unanswered > 0)
      totals["extra"] = {{"calls_without_reply", transcript_.unanswered},
                         {"usd_without_reply", transcript_.usd_unanswered}};
    return totals;
  }

  json about() const {
    json extra = {{"study", study_.id},
                  {"title", study_.spec.title},
                  {"question", study_.spec.question},
                  {"conversation", transcript_.line},
                  {"role", transcript_.role},
                  {"purpose", kernel::name(transcript_.subject.purpose)},
                  {"event_log_head", source_.head}};
    if (transcript_.ended_ms > 0) {
      extra["ended"] = kernel::iso8601(transcript_.ended_ms);
      extra["ending"] = kernel::newest_words(transcript_.ending);
    }
    return extra;
  }

  const Transcript& transcript_;
  const kernel::StudyTerms& study_;
  const TranscriptSource& source_;
  int steps_ = 0;
  std::set<std::string> ids_;
};

}  // namespace

std::map<std::string, std::string> trajectories(const Transcripts& transcripts, const kernel::StudyTerms& study,
                                                const TranscriptSource& source, const kernel::Redactor& redact) {
  std::map<std::string, std::string> files;
  for (const Transcript& one : transcripts.all) {
    const std::string name = file_name(one.line);
    std::string file = name + ".json";
    for (int i = 2; files.contains(file); ++i) file = fmt::format("{}-{}.json", name, i);
    files[file] = text_of(redacted(Trajectory(one, study, source).document(), redact), 1);
  }
  return files;
}

}  // namespace artifacts
