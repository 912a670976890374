#include "apps/cli/commands/read_command_line.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "apps/cli/commands/description_verbs.h"
#include "apps/cli/commands/terms.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/verbs/verbs.h"
#include "embedded/cli_texts.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

using Words = std::vector<std::string>;

/// A refusal if the verb is planned and does not exist yet. texts/not_built.txt lists such verbs, a line each: `verb`
/// or `verb : what to use instead`. No help shows them.
std::optional<kernel::Problem> refuse_not_built(std::string_view verb) {
  std::istringstream lines{std::string(embedded::cli_texts("not_built.txt"))};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(" : ");
    if (line.substr(0, colon) == verb)
      return kernel::Problem{"", 0, fmt::format("`{}` is not available yet", verb), "",
                             colon == line.npos ? "" : line.substr(colon + 3)};
  }
  return std::nullopt;
}

/// The position of the first word that is no global option; the number of words if there is none.
std::size_t place_of_verb(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--home" || words[i] == "--config")
      ++i;
    else if (words[i].empty() || words[i].front() != '-')
      return i;
  }
  return words.size();
}

/// Turns `help VERB` into `VERB --help`, and `help` alone into `--help`. True if help was asked for.
bool ask_verb_for_help(Words& words) {
  const std::size_t at = place_of_verb(words);
  if (at == words.size() || words[at] != "help") return false;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  words.emplace_back("--help");
  return true;
}

/// What `help` says of words that are no verb: of a term, or all terms.
std::optional<std::string> help_on_term(const Words& words) {
  std::string name;
  for (std::size_t i = place_of_verb(words); i + 1 < words.size(); ++i) name += (name.empty() ? "" : " ") + words[i];
  return name == "terms" ? all_terms_text() : term_text(name);
}

Words names_below(const CLI::App& app) {
  Words names;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty()) names.push_back(sub->get_name());
  return names;
}

/// None for a known verb, and for no verb at all, which the parser reports.
std::optional<kernel::Problem> unknown_verb(const std::string& verb, const CLI::App& app) {
  if (verb.empty()) return std::nullopt;
  const Words verbs = names_below(app);
  if (std::ranges::find(verbs, verb) != verbs.end()) return std::nullopt;
  const auto near = studyfile::nearest(verb, verbs);
  return kernel::Problem{"", 0, "`" + studyfile::shown(verb) + "`", "there is no such verb",
                         near ? "did you mean `" + *near + "`?" : "see `etude --help`"};
}

/// The verb that was parsed: of `ara find`, find.
const CLI::App& chosen(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : chosen(*below.back());
}

/// What `ara find` calls itself.
std::string full_name(const CLI::App& verb) {
  if (!verb.get_parent()) return "";
  const std::string above = full_name(*verb.get_parent());
  return above.empty() ? verb.get_name() : above + " " + verb.get_name();
}

/// The long options of the verb and of all that is above it, without dashes.
void add_option_names(const CLI::App& app, Words& names) {
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  for (const CLI::App* group : app.get_subcommands({}))
    if (group->get_name().empty()) add_option_names(*group, names);
}

/// What is wrong with words that the parser refused for `why`.
kernel::Problem refused(const CLI::App& app, const Words& words, const std::string& why) {
  const CLI::App& verb = chosen(app);
  const std::string name = full_name(verb), help = "see `etude " + (name.empty() ? "" : name + " ") + "--help`";
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with("--") || word.size() < 3) continue;
    const std::string option = word.substr(2, word.find('=') - 2);
    Words known;
    for (const CLI::App* one = &verb; one; one = one->get_parent()) add_option_names(*one, known);
    const auto near = studyfile::nearest(option, known);
    return {"", 0, name, "there is no option `--" + studyfile::shown(option) + "`",
            near ? "did you mean `--" + *near + "`?" : help};
  }
  // A verb that only groups others: `etude ara fnd`.
  const Words below = names_below(verb);
  const auto own = std::ranges::find(words, verb.get_name());
  if (&verb != &app && !below.empty() && own != words.end() && own + 1 != words.end() && !(own + 1)->starts_with('-'))
    return {"", 0, name, "there is no `" + studyfile::shown(*(own + 1)) + "`",
            studyfile::suggestion(*(own + 1), below, "there are")};
  return {"", 0, name, why, help};
}

/// Adds each verb's examples to the end of its help.
void add_examples(CLI::App& app, const std::vector<Example>& all) {
  for (CLI::App* sub : app.get_subcommands([](CLI::App* one) { return !one->get_name().empty(); })) {
    add_examples(*sub, all);
    std::size_t widest = 0;
    for (const Example& one : all)
      if (one.verb == full_name(*sub) && !one.what.empty()) widest = std::max(widest, one.command.size());
    std::string text;
    for (const Example& one : all)
      if (one.verb == full_name(*sub))
        text +=
            one.what.empty() ? "\n  " + one.command : fmt::format("\n  {:<{}}  # {}", one.command, widest, one.what);
    if (text.empty()) continue;
    const std::string before = sub->get_footer();
    sub->footer(before + (before.empty() ? "" : "\n\n") + "Examples:" + text);
  }
}

/// Declares everything.
void declare(CLI::App& app, Context& context) {
  app.require_subcommand(1, 1);
  app.fallthrough();
  app.add_option("--home", context.home_option, "where studies live (else $ETUDE_HOME)");
  app.add_option("--config", context.config_option, "the configuration (else ~/.config/etude/config.yaml)");
  app.add_flag("--json", context.json, "one JSON document on stdout");
  for (const auto add :
       {add_init,     add_plan,         add_try,       add_run,        add_resume,  add_control, add_watch,
        add_ls,       add_show,         add_runs,      add_run_log,    add_metrics, add_graph,   add_artifact,
        add_check,    add_audit,        add_reproduce, add_verify,     add_gc,      add_backup,  add_export,
        add_doctor,   add_recall,       add_serve,     add_help,       add_import,  add_exec,    add_remark,
        add_simulate, add_trace,        add_ara,       add_completion, add_man,     add_confirm, add_ask,
        add_bench,    add_conversation, add_tag})
    add(app, context);
  add_examples(app, examples());
}

}  // namespace

std::vector<Example> examples() {
  std::vector<Example> all;
  std::string verb;
  std::istringstream lines{std::string(embedded::cli_texts("examples.txt"))};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) verb = line.substr(1, line.find(']') - 1);
    if (line.empty() || line.starts_with('[')) continue;
    const std::size_t hash = line.find(" # ");
    all.push_back({verb, line.substr(0, hash), hash == line.npos ? "" : line.substr(hash + 3)});
  }
  return all;
}

Asked read_command_line(Words words, Context& context) {
  const bool asks_for_help = ask_verb_for_help(words);
  if (words.empty() || (words.size() == 1 && (words[0] == "--help" || words[0] == "-h")))
    return std::optional<std::string>(embedded::cli_texts("help.txt"));
  if (words.size() == 1 && words[0] == "--version") return std::optional<std::string>("etude " ETUDE_VERSION "\n");

  CLI::App app("a kernel for machine-run research", "etude");
  declare(app, context);
  const std::size_t at = place_of_verb(words);
  const std::string verb = at < words.size() ? words[at] : "";
  if (const auto problem = refuse_not_built(verb)) return *problem;
  if (auto problem = unknown_verb(verb, app)) {
    const auto term = asks_for_help ? help_on_term(words) : std::nullopt;
    if (term) return term;
    if (asks_for_help) problem->why = "there is no such verb or term";
    if (asks_for_help && problem->todo.starts_with("see")) problem->todo = "see `etude --help` or `etude help terms`";
    return *problem;
  }
  // The words of the command that `exec` runs are no options.
  const auto behind = verb == "exec" ? std::ranges::find(words, "--") : words.end();
  if (behind != words.end()) context.behind.assign(behind + 1, words.end());
  Words reversed(std::make_reverse_iterator(behind), words.rend());  // As the parser takes them.
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return std::optional(app.help());
  } catch (const CLI::ParseError& e) {
    return refused(app, words, e.what());
  }
  if (app.count("--home") > 0 && context.home_option.empty())
    return kernel::Problem{"", 0, "--home", "it names no folder", "give one, or leave the option out"};
  if (app.count("--config") > 0 && context.config_option.empty())
    return kernel::Problem{"", 0, "--config", "it names no file", "give one, or leave the option out"};
  if (std::error_code error; !context.config_option.empty() && !std::filesystem::exists(context.config_option, error))
    return kernel::Problem{context.config_option, 0, "--config", "there is no such file", "name the configuration"};
  return std::optional<std::string>();
}

}  // namespace cli
