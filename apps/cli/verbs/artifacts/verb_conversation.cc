// `conversation`: what a study's agents and their models said to each other.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/home/blob_texts.h"
#include "artifacts/transcripts/transcript_shapes.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

struct ConversationOptions {
  std::string study, line;
  bool all = false;
};

/// Prints a conversation, long texts by their beginnings.
class Printer {
 public:
  Printer(const kernel::Redactor& redact, bool all) : redact_(redact), all_(all) {}

  void print(const artifacts::TranscriptStep& step) {
    std::string head = artifacts::name(step.by);
    if (step.anew) head += ", begins anew: the conversation had filled the model's context";
    if (step.by == artifacts::SpokenBy::agent) {
      head += fmt::format(", {}: {} tokens", step.model, step.tokens.total());
      if (step.usd) head += fmt::format(", ${:.4g}", *step.usd);
    }
    print_text(paint(one_line(head), TextStyle::strong, screen_.colour) + "\n");
    if (!step.thoughts.empty()) put(step.thoughts, "  | ", TextStyle::dim);
    put(step.text, "  ");
    for (const artifacts::TranscriptCall& call : step.calls) {
      put(call.tool + " " + call.arguments, "  → ", TextStyle::inconclusive);
      if (call.answer)
        put(*call.answer, call.refused ? "  ✗ " : "  ← ", call.refused ? TextStyle::bad : TextStyle::plain);
      else
        put("no answer", "  ← ", TextStyle::dim);
    }
    print_text("\n");
  }

 private:
  void put(const std::string& text, const std::string& before, TextStyle style = TextStyle::plain) const {
    constexpr std::size_t most = 12;
    const int indent = columns_of(before);
    const int width = screen_.width > indent + 20 ? screen_.width - indent : 0;
    const std::string spaces(static_cast<std::size_t>(indent), ' ');
    std::istringstream lines(redact_(text));
    std::size_t left_out = 0, at = 0;
    for (std::string line; std::getline(lines, line); ++at)
      if (!all_ && at >= most)
        ++left_out;
      else if (line.empty() && at > 0)
        print_text("\n");
      else
        print_text((at == 0 ? before : spaces) + paint(wrapped(one_line(line), width, indent), style, screen_.colour) +
                   "\n");
    if (left_out > 0)
      print_text(spaces +
                 paint(fmt::format("… {} more {}: --all", left_out, left_out == 1 ? "line" : "lines"), TextStyle::dim,
                       screen_.colour) +
                 "\n");
  }

  const kernel::Redactor& redact_;
  const bool all_;
  const Screen screen_ = standard_screen();
};

int conversation(const Context& context, const ConversationOptions& options) {
  const memory::Reader reader(context.home());
  const auto id = find_study(options.study, reader.ids());
  if (!id) return fail(bad_input, id.problem());
  artifacts::TranscriptReader transcripts(session::blob_texts({context.home()}));
  std::optional<kernel::Problem> unread;
  reader.events(*id, 0, [&](const kernel::StoredEvent& stored) {
    if (!unread) unread = transcripts.take(stored.decoded(), static_cast<int>(stored.seq));
  });
  if (unread) return fail(bad_input, *unread);
  const std::vector<artifacts::Transcript> all = transcripts.finish().all;
  const kernel::Redactor redact = session::redactor_for(context.config_option);
  if (options.line.empty()) {
    nlohmann::json list = nlohmann::json::array();
    Table table({{"line"},
                 {"role"},
                 {"steps", Column::Align::right},
                 {"tokens", Column::Align::right},
                 {"cost", Column::Align::right}});
    for (const artifacts::Transcript& one : all) {
      list.push_back(artifacts::summary_shape(one, redact));
      table.add({{one.line, TextStyle::strong},
                 one.role,
                 std::to_string(one.steps.size()),
                 std::to_string(artifacts::tokens_of(one)),
                 fmt::format("${:.4g}", artifacts::usd_of(one))});
    }
    if (context.json)
      print_json(list);
    else if (table.empty())
      fmt::print(stderr, "no agent of study {} has talked to a model\n", *id);
    else
      print_text(table.text(standard_screen()));
    return ok;
  }
  const auto found = std::ranges::find(all, options.line, &artifacts::Transcript::line);
  if (found == all.end())
    return fail(bad_input, "conversation " + one_line(options.line), "study " + *id + " has none of this name",
                "`etude conversation " + *id + "` lists them");
  if (context.json) {
    print_json(artifacts::transcript_shape(*found, 0, redact));
    return ok;
  }
  Printer printer(redact, options.all);
  for (const artifacts::TranscriptStep& step : found->steps) printer.print(step);
  return ok;
}

}  // namespace

void add_conversation(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "conversation", "what agents and models said to each other in a study", conversation);
  verb->add_option("ID", options->study, "the study, or the beginning of its id")->required();
  verb->add_option("LINE", options->line, "a conversation, such as hypothesis-1 (default: list all)");
  verb->add_flag("--all", options->all, "print long texts and answers in full");
}

}  // namespace cli
