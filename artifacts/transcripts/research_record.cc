#include "artifacts/transcripts/research_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/text/untrusted_text.h"
#include "artifacts/transcripts/plain_json.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"

namespace artifacts {
namespace {

using nlohmann::json;

constexpr const char* no_result = "[no tool result in the record: the conversation ended before this call returned]";
/// Characters per token where a provider does not state the tokens of thinking (the benchmark's calibrated ratio).
constexpr double characters_per_token = 2.9;

struct KindOfTool {
  std::string_view tool;
  ToolKind kind;
};
constexpr KindOfTool kinds[] = {{"run_scratch", ToolKind::shell},
                                {"request_runs", ToolKind::shell},
                                {"list_files", ToolKind::read},
                                {"read_file", ToolKind::read},
                                {"grep", ToolKind::read},
                                {"inspect_data", ToolKind::read},
                                {"view_image", ToolKind::read},
                                {"recall", ToolKind::read},
                                {"search_papers", ToolKind::read},
                                {"read_paper", ToolKind::read},
                                {"read_results", ToolKind::read},
                                {"read_log", ToolKind::read},
                                {"write_file", ToolKind::edit},
                                {"edit_file", ToolKind::edit},
                                {"apply_patch", ToolKind::edit},
                                {"add_dependency", ToolKind::edit},
                                {"write_section", ToolKind::edit},
                                {"ask_person", ToolKind::delegate},
                                {"propose_hypothesis", ToolKind::bookkeeping},
                                {"register_experiment", ToolKind::bookkeeping},
                                {"record_decision", ToolKind::bookkeeping},
                                {"record_dead_end", ToolKind::bookkeeping},
                                {"bind_requirement", ToolKind::bookkeeping},
                                {"judge_requirement", ToolKind::bookkeeping},
                                {"change_direction", ToolKind::bookkeeping},
                                {"note", ToolKind::bookkeeping},
                                {"finish", ToolKind::bookkeeping}};

const char* name_of_kind(ToolKind kind) {
  switch (kind) {
    case ToolKind::shell:
      return "shell";
    case ToolKind::read:
      return "read";
    case ToolKind::edit:
      return "edit";
    case ToolKind::delegate:
      return "delegate";
    case ToolKind::bookkeeping:
      return "bookkeeping";
    case ToolKind::unknown:
      break;
  }
  return "bookkeeping";
}

std::string string_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The files of a unified diff, each with its part of the diff.
json parts_of_diff(const std::string& diff) {
  json parts = json::array();
  for (std::string_view line : lines_of(diff)) {
    if (parts.empty() || line.starts_with("--- ")) parts.push_back({{"path", ""}, {"patch", ""}});
    json& part = parts.back();
    part["patch"].get_ref<std::string&>() += std::string(line) + "\n";
    if (!line.starts_with("+++ ")) continue;
    line = line.substr(4, line.find('\t') == line.npos ? line.npos : line.find('\t') - 4);
    part["path"] = std::string(line.starts_with("b/") ? line.substr(2) : line);
  }
  return parts;
}

/// What an editing call changed; empty for other tools.
json patches_of(const TranscriptCall& call) {
  const json said = object_of(call.arguments);
  json patches = json::array();
  if (call.tool == "write_file")
    patches.push_back({{"path", string_of(said, "path")}, {"new", string_of(said, "content")}});
  else if (call.tool == "edit_file")
    patches.push_back(
        {{"path", string_of(said, "path")}, {"old", string_of(said, "old")}, {"new", string_of(said, "new")}});
  else if (call.tool == "apply_patch")
    patches = parts_of_diff(string_of(said, "patch"));
  else if (call.tool == "add_dependency")
    patches.push_back({{"path", string_of(said, "file")}, {"new", string_of(said, "line")}});
  else if (call.tool == "write_section")
    patches.push_back({{"path", "report.md"}, {"section", string_of(said, "name")}, {"new", string_of(said, "text")}});
  return patches;
}

std::string command_of(const TranscriptCall& call) {
  const std::string command = call.tool == "run_scratch" ? string_of(object_of(call.arguments), "command") : "";
  return command.empty() ? call.tool + " " + call.arguments : command;
}

std::string words_of(const kernel::CommandTemplate& command) {
  if (command.words.empty()) return "";
  return command.shell ? command.words.front() : fmt::format("{}", fmt::join(command.words, " "));
}

json executed(const std::string& command) {
  return {{"kind", "exec"},
          {"prog", command.substr(0, std::min<std::size_t>(40, command.find_first_of(" \n\t")))},
          {"target", ""}};
}

class ResearchRecord {
 public:
  ResearchRecord(const Transcripts& transcripts, const kernel::Study& study, const TranscriptSource& source)
      : transcripts_(transcripts), study_(study), source_(source) {
    for (const Transcript& one : transcripts_.all)
      for (const TranscriptStep& step : one.steps) add(one, step);
    for (const RecordedAnalysis& analysis : transcripts_.analyses) add(analysis);
    // Conversations may run side by side.
    std::ranges::stable_sort(steps_, {}, &Placed::line);
    int turn = 1, gid = 0;
    for (Placed& placed : steps_) {
      placed.step["turn"] = turn;
      placed.step["gid"] = gid++;
      if (placed.step["scope"] == "env") ++turn;
    }
    close(turn, gid);
  }

  std::vector<json> steps() const {
    std::vector<json> list;
    for (const Placed& placed : steps_) list.push_back(placed.step);
    return list;
  }

  json world() const {
    json world = {
        {"authored_channel", {{"kind", patches_ > 0 ? "patches+shell_redirect" : "none"}}},
        {"contract",
         {{"source", "the system prompts of the study's agents"}, {"shown_to_agent", true}, {"text", rules()}}},
        {"declared_by", "etude " + source_.tool_version}};
    for (const kernel::Metric& metric : study_.spec.metrics)
      if (metric.primary)
        world["feedback_polarity"] = metric.goal == kernel::Goal::minimize ? "lower_better" : "higher_better";
    return world;
  }

  json manifest() const {
    const auto in_scope = [this](const char* scope) {
      return std::ranges::count_if(steps_, [&](const Placed& one) { return one.step["scope"] == scope; });
    };
    std::set<std::string> models;
    std::string task;
    for (const Transcript& one : transcripts_.all)
      for (const TranscriptStep& step : one.steps) {
        if (!step.model.empty()) models.insert(step.model);
        if (task.empty() && step.by == SpokenBy::user) task = step.text;
      }
    return {
        {"bench", "etude"},
        {"world", study_.spec.title},
        {"trial", study_.id},
        {"model", fmt::format("{}", fmt::join(models, ", "))},
        {"scaffold", "etude " + source_.tool_version},
        {"event_log_head", source_.head},
        {"task_prompt", task},
        {"n_env_steps", in_scope("env")},
        {"n_workspace_steps", in_scope("workspace")},
        {"scope_law",
         "the tool's name decides: runs that an agent ordered and analyses of registered experiments are env; reads, "
         "edits and bookkeeping are workspace; the last closing words are the submission"},
        {"channel_policy", "text and tools; thinking is left out"},
        {"record_gaps", {{"calls_without_result", without_result_}}},
        {"token_usage", "usage.json, by call of a model; steps have api_turn"}};
  }

  json usage() const {
    json turns = json::object();
    for (const Transcript& one : transcripts_.all)
      for (const TranscriptStep& step : one.steps)
        if (step.by == SpokenBy::agent && step.tokens.output > 0) turns[std::to_string(step.call)] = tokens_of(step);
    return {{"grain", "api_call"},
            {"reporter",
             "the providers' counts in the study's event log; thinking = what the visible characters at 2.9 to a token "
             "do not explain; the rest is split by characters into text and action"},
            {"turns", std::move(turns)}};
  }

 private:
  struct Placed {
    int line = 0;
    json step;
  };

  json& push(int line, const char* scope, const char* kind, std::string action, std::string reasoning,
             std::string seen) {
    steps_.push_back({line,
                      {{"run", 0},
                       {"level", 1},
                       {"scope", scope},
                       {"action", std::move(action)},
                       {"reasoning", std::move(reasoning)},
                       {"testing", nullptr},
                       {"expected", nullptr},
                       {"surprised", false},
                       {"rejected", nullptr},
                       {"obs", std::move(seen)},
                       {"tool_kind", kind}}});
    return steps_.back().step;
  }

  /// Several agents share the record: each text says whose it is, as the benchmark does for workers.
  std::string marked(const Transcript& of, const std::string& text) {
    const std::string mark = begun_.insert(of.line).second ? fmt::format("[worker {} begins; task: {}, {}]", of.line,
                                                                         of.role, kernel::name(of.subject.purpose))
                                                           : fmt::format("[worker {}]", of.line);
    return text.empty() ? mark : mark + "\n" + text;
  }

  void add(const Transcript& of, const TranscriptStep& step) {
    if (step.by == SpokenBy::system) return;
    if (step.by == SpokenBy::user) {
      push(step.line, "workspace", "message", "(harness message)", fmt::format("[to worker {}]", of.line),
           step.text)["actor"] = "harness";
      return;
    }
    if (step.calls.empty()) {
      json& said = push(step.line, "workspace", "message", "(message; no action)", marked(of, step.text), "");
      said["actor"] = "worker:" + of.line;
      said["api_turn"] = step.call;
    }
    for (const TranscriptCall& call : step.calls) {
      const ToolKind kind = kind_of_tool(call.tool);
      const std::string command = command_of(call);
      if (!call.answer) ++without_result_;
      json& done = push(step.line, kind == ToolKind::shell ? "env" : "workspace", name_of_kind(kind), "$ " + command,
                        marked(of, &call == &step.calls.front() ? step.text : ""), call.answer.value_or(no_result));
      done["actor"] = "worker:" + of.line;
      done["api_turn"] = step.call;
      if (kind == ToolKind::shell) done["action_struct"] = executed(command);
      if (json patches = patches_of(call); !patches.empty()) {
        done["patches"] = std::move(patches);
        ++patches_;
      }
    }
  }

  void add(const RecordedAnalysis& analysis) {
    const kernel::Experiment* experiment = study_.experiment(analysis.experiment);
    if (!experiment) return;
    const kernel::Registration& registered = experiment->registration;
    std::vector<std::string> commands;
    for (const kernel::StageSpec& stage : registered.stages) commands.push_back(words_of(stage.run));
    if (commands.empty()) commands.push_back(words_of(registered.command));
    const std::string command = fmt::format("{}", fmt::join(commands, " ; "));
    json& done =
        push(analysis.line, "env", "shell", "$ " + command,
             fmt::format("[experiment {}, registered before its first run: {} cells; the kernel ran and analysed it]",
                         analysis.experiment.text(), registered.cells.size()),
             analysis.payload);
    done["action_struct"] = executed(command);
    done["actor"] = "kernel";
  }

  void close(int turn, int gid) {
    const Transcript* last = nullptr;
    for (const Transcript& one : transcripts_.all)
      if (one.ended_ms > 0 && (!last || one.ended_ms >= last->ended_ms)) last = &one;
    json& end = push(0, "submission", "message", "(transcript ends)",
                     last ? kernel::newest_words(last->ending) : std::string(), "");
    end["turn"] = turn;
    end["gid"] = gid;
  }

  std::string rules() const {
    std::string text;
    std::set<std::string> seen;
    for (const Transcript& one : transcripts_.all)
      for (const TranscriptStep& step : one.steps)
        if (step.by == SpokenBy::system && seen.insert(step.text).second)
          text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n\n", one.role, step.text);
    return text;
  }

  static json tokens_of(const TranscriptStep& step) {
    const double out = static_cast<double>(step.tokens.output), prose = static_cast<double>(step.text.size());
    double tools = 0;
    for (const TranscriptCall& call : step.calls)
      tools += static_cast<double>(call.tool.size() + call.arguments.size());
    const double thinking = std::max(0.0, std::round(out - (prose + tools) / characters_per_token));
    const double rest = std::max(0.0, out - thinking);
    const double text = prose + tools > 0 ? std::round(rest * prose / (prose + tools)) : rest;
    return {{"in", step.tokens.input + step.tokens.cache_written},
            {"cached", step.tokens.cache_read},
            {"out", step.tokens.output},
            {"thinking_tokens", std::llround(thinking)},
            {"text_tokens", std::llround(text)},
            {"action_tokens", std::llround(rest - text)},
            {"prose_chars", std::llround(prose)},
            {"tool_chars", std::llround(tools)}};
  }

  const Transcripts& transcripts_;
  const kernel::Study& study_;
  const TranscriptSource& source_;
  std::vector<Placed> steps_;
  std::set<std::string> begun_;
  int patches_ = 0, without_result_ = 0;
};

}  // namespace

ToolKind kind_of_tool(std::string_view tool) {
  const auto found = std::ranges::find(kinds, tool, &KindOfTool::tool);
  return found == std::end(kinds) ? ToolKind::unknown : found->kind;
}

std::map<std::string, std::string> research_record(const Transcripts& transcripts, const kernel::Study& study,
                                                   const TranscriptSource& source, const kernel::Redactor& redact) {
  const ResearchRecord record(transcripts, study, source);
  std::map<std::string, std::string> files;
  for (json& step : record.steps()) files["record.jsonl"] += text_of(redacted(std::move(step), redact), -1);
  files["world.json"] = text_of(redacted(record.world(), redact), 1);
  files["record_manifest.json"] = text_of(redacted(record.manifest(), redact), 1);
  files["usage.json"] = text_of(record.usage(), 1);
  return files;
}

}  // namespace artifacts
