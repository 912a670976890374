#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/capture_commands.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/send_command.h"
#include "apps/session/prepare/captured_work.h"
#include "base/utf8.h"
#include "kernel/domain/commands.h"
#include "kernel/domain/enum_names.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

/// More than the kernel accepts, so the rest need not be read.
constexpr std::size_t most_read = 64 << 10;
constexpr std::size_t most_said = 4000;

struct RemarkOptions {
  OpenStudyOptions open;
  std::string text, why, lesson, hypothesis;
  std::vector<std::string> alternatives, runs;
};

/// The text itself, or stdin for `-`.
std::string text_of(const std::string& given) {
  if (given != "-") return given;
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; text.size() <= most_read && (n = ::read(STDIN_FILENO, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text.resize(end == text.npos ? 0 : end + 1);
  return text;
}

int remark(const Context& context, const RemarkOptions& options, kernel::NodeType type, const char* called) {
  kernel::Node node;
  node.type = type;
  node.title = text_of(options.text);
  node.hypothesis = kernel::HypothesisId(options.hypothesis);
  node.alternatives = options.alternatives;
  node.runs = options.runs;
  const bool decides = type == kernel::NodeType::decision;
  if (!options.why.empty()) node.fields[decides ? "rationale" : "why_failed"] = options.why;
  if (!options.lesson.empty()) node.fields["lesson"] = options.lesson;
  if (node.title.find_first_not_of(" \t\r\n") == node.title.npos)
    return fail(bad_input, std::string("the ") + called, "it says nothing", "give a text");
  // Checked before a study is opened for it.
  if (node.title.size() > most_said)
    return fail(bad_input, std::string("the ") + called, "it has more than 4000 bytes",
                "put the rest into a file of the workspace");
  if (!kernel::valid_utf8(node.title)) return fail(bad_input, std::string("the ") + called, "it is not UTF-8");
  if ((!node.runs.empty() || !node.hypothesis.empty()) && none_is_open_here(context, options.open))
    return fail(bad_input,
                node.runs.empty() ? "--about " + printable(node.hypothesis.text()) : "--run " + printable(node.runs[0]),
                "no study is open in this folder", "name it by `--study`");
  const auto study = study_open_here(context, options.open);
  if (!study) return fail(bad_input, study.problem());
  const nlohmann::json body = {{"type", type == kernel::NodeType::insight ? "note" : kernel::name(type)},
                               {"text", node.title},
                               {"why", options.why},
                               {"lesson", options.lesson},
                               {"alternatives", node.alternatives},
                               {"runs", node.runs},
                               {"hypothesis", node.hypothesis}};
  if (const int code = tell(context, {*study, kernel::person_actor, kernel::RecordNode{std::move(node)}},
                            "/studies/" + *study + "/remarks", body);
      code != ok)
    return code;
  const nlohmann::json graph = nlohmann::json::parse(memory::Reader(context.home()).graph(*study));
  const nlohmann::json& recorded = graph.at("nodes").back();
  if (context.json)
    print_json(recorded);
  else
    fmt::print("{}/{}  {}: {}\n", *study, text_at(recorded, "id"), called, printable(text_at(recorded, "title")));
  return ok;
}

int conclude(const Context& context, const OpenStudyOptions& options) {
  auto id = options.study.empty() ? kernel::Result<std::string>(session::open_study(
                                        session::HomePaths{context.home()}, std::filesystem::current_path().string()))
                                  : study_open_here(context, options);
  if (id && id->empty())
    return fail(bad_input, "conclude", "no study is open in this folder", "name one: `etude ls` lists them");
  if (!id) return fail(bad_input, id.problem());
  if (const int code = tell(context, {*id, kernel::person_actor, kernel::Conclude{}}, "/studies/" + *id + "/conclude",
                            nlohmann::json::object());
      code != ok)
    return code;
  return follow_to_end(context, *id);
}

}  // namespace

void add_remark(CLI::App& app, Context& context) {
  struct Kind {
    const char *verb, *called, *what;
    kernel::NodeType type;
  };
  for (const Kind& kind : {Kind{"note", "note", "record an observation", kernel::NodeType::insight},
                           Kind{"decision", "decision", "record what was chosen", kernel::NodeType::decision},
                           Kind{"dead-end", "dead end", "record what did not work", kernel::NodeType::dead_end}}) {
    CLI::App* verb = app.add_subcommand(kind.verb, std::string(kind.what) + " in the study that is open here");
    auto options = std::make_shared<RemarkOptions>();
    const bool decides = kind.type == kernel::NodeType::decision, dead = kind.type == kernel::NodeType::dead_end;
    verb->add_option("TEXT", options->text,
                     dead      ? "what was tried"
                     : decides ? "what was chosen"
                               : "what was seen")
        ->required();
    if (decides)
      verb->add_option("--alternative", options->alternatives, "what was not chosen; may be repeated")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (decides || dead) verb->add_option("--why", options->why, dead ? "why it failed" : "why");
    if (dead) verb->add_option("--lesson", options->lesson, "what it teaches");
    verb->add_option("--run", options->runs, "a run that it is based on, such as r3 or s1-r3; may be repeated")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!decides) verb->add_option("--about", options->hypothesis, "the hypothesis that it is about, such as H2");
    add_study_options(*verb, options->open);
    verb->footer("If TEXT is `-`, it is read from standard input.");
    verb->callback([&context, options, kind] {
      context.action = [&context, options, kind] { return remark(context, *options, kind.type, kind.called); };
    });
  }
  const auto [verb, options] =
      add_verb(app, context, "conclude", "end a study that captures a person's work, and package it", conclude);
  verb->add_option("ID", options->study, "the study (default: the one that is open here)");
}

}  // namespace cli
