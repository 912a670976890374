#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/verbs/verbs.h"
#include "config/config.h"
#include "embedded/cli_texts.h"
#include "executors/make_backend.h"
#include "programs/run_program.h"
#include "studyfile/yaml/scalars.h"

namespace {

/// A planned verb, option or value that does not exist yet. No help shows it.
struct NotBuilt {
  std::string verb, option, value;  ///< No option means the verb itself, no value any value of the option.
  std::string instead;              ///< What to use instead; may be empty.
};

/// The lines of texts/not_built.txt: `verb [option [value]] [: instead]`.
std::vector<NotBuilt> not_built() {
  std::vector<NotBuilt> all;
  std::istringstream lines{std::string(embedded::cli_texts("not_built.txt"))};
  for (std::string line; std::getline(lines, line);) {
    NotBuilt& one = all.emplace_back();
    const std::size_t colon = line.find(" : ");
    if (colon != line.npos) one.instead = line.substr(colon + 3);
    std::istringstream(line.substr(0, colon)) >> one.verb >> one.option >> one.value;
  }
  return all;
}

/// `--option`, `--option value` or `--option=value`.
bool says(std::span<const std::string> words, std::size_t at, const NotBuilt& missing) {
  const std::string& word = words[at];
  if (missing.value.empty()) return word == missing.option || word.starts_with(missing.option + "=");
  return word == missing.option + "=" + missing.value ||
         (word == missing.option && at + 1 < words.size() && words[at + 1] == missing.value);
}

/// A refusal if the verb is not built, or one of `words`, its arguments up to a `--`.
std::optional<kernel::Problem> refuse_not_built(std::string_view verb, std::span<const std::string> words) {
  for (const NotBuilt& missing : not_built()) {
    if (missing.verb != verb) continue;
    bool said = missing.option.empty();
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) said = said || says(words, i, missing);
    if (!said) continue;
    const std::string what = fmt::format("{}{}{}", missing.option.empty() ? verb : missing.option,
                                         missing.value.empty() ? "" : " ", missing.value);
    return kernel::Problem{"", 0, "`" + what + "` is not available yet", "", missing.instead};
  }
  return std::nullopt;
}

/// The position of the first word that is no global option; the number of words if there is none.
std::size_t place_of_verb(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--home" || words[i] == "--config")
      ++i;
    else if (words[i].empty() || words[i].front() != '-')
      return i;
  }
  return words.size();
}

/// Turns `help VERB` into `VERB --help`, and `help` alone into `--help`.
void ask_verb_for_help(std::vector<std::string>& words) {
  bool asked = false;
  for (std::size_t at = 0; (at = place_of_verb(words)) < words.size() && words[at] == "help"; asked = true)
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  if (asked) words.emplace_back("--help");
}

/// None for a known verb, and for no verb at all, which the parser reports.
std::optional<kernel::Problem> unknown_verb(const std::string& verb, const CLI::App& app) {
  if (verb.empty()) return std::nullopt;
  std::vector<std::string> verbs{"help"};
  for (const CLI::App* sub : app.get_subcommands({})) verbs.push_back(sub->get_name());
  if (std::ranges::find(verbs, verb) != verbs.end()) return std::nullopt;
  const auto near = studyfile::nearest(verb, verbs);
  return kernel::Problem{"", 0, "`" + studyfile::shown(verb) + "`", "there is no such verb",
                         near ? "did you mean `" + *near + "`?" : "see `etude --help`"};
}

int run(std::vector<std::string> words) {
  ask_verb_for_help(words);
  if (words.empty() || (words.size() == 1 && (words[0] == "--help" || words[0] == "-h"))) {
    fmt::print("{}", embedded::cli_texts("help.txt"));
    return cli::ok;
  }
  if (words.size() == 1 && words[0] == "--version") {
    fmt::print("etude {}\n", ETUDE_VERSION);
    return cli::ok;
  }

  cli::Context context;
  CLI::App app("a kernel for machine-run research", "etude");
  app.require_subcommand(1, 1);
  app.fallthrough();
  app.add_option("--home", context.home_option, "where studies live (else $ETUDE_HOME)");
  app.add_option("--config", context.config_option, "the configuration (else ~/.config/etude/config.yaml)");
  app.add_flag("--json", context.json, "one JSON document on stdout");
  for (const auto add :
       {cli::add_init,   cli::add_plan,     cli::add_try,    cli::add_run,      cli::add_resume,    cli::add_control,
        cli::add_watch,  cli::add_ls,       cli::add_show,   cli::add_runs,     cli::add_run_log,   cli::add_metrics,
        cli::add_graph,  cli::add_artifact, cli::add_check,  cli::add_audit,    cli::add_reproduce, cli::add_verify,
        cli::add_gc,     cli::add_backup,   cli::add_export, cli::add_doctor,   cli::add_recall,    cli::add_serve,
        cli::add_import, cli::add_exec,     cli::add_remark, cli::add_simulate, cli::add_trace,     cli::add_ara,
        cli::add_confirm, cli::add_ask, cli::add_bench})
    add(app, context);
  const std::size_t at = place_of_verb(words);
  const std::string verb = at < words.size() ? words[at] : "";
  if (const auto problem = refuse_not_built(verb, std::span(words).subspan(std::min(at + 1, words.size()))))
    return cli::fail(cli::bad_input, *problem);
  if (const auto problem = unknown_verb(verb, app)) return cli::fail(cli::bad_input, *problem);
  // The words of the command that `exec` runs are no options.
  const auto behind = verb == "exec" ? std::ranges::find(words, "--") : words.end();
  if (behind != words.end()) context.behind.assign(behind + 1, words.end());
  std::vector<std::string> reversed(std::make_reverse_iterator(behind), words.rend());  // As the parser takes them.
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return cli::fail(cli::bad_input, verb, e.what(), "see `etude " + (verb.empty() ? "" : verb + " ") + "--help`");
  }
  if (app.count("--home") > 0 && context.home_option.empty())
    return cli::fail(cli::bad_input, "--home", "it names no folder", "give one, or leave the option out");
  if (app.count("--config") > 0 && context.config_option.empty())
    return cli::fail(cli::bad_input, "--config", "it names no file", "give one, or leave the option out");
  // A wrong configuration matters only to verbs that run jobs, and these read all of it.
  const auto configured = config::load(context.config_option, programs::own_environment());
  const config::ExecutorSettings settings = configured ? configured->executor : config::ExecutorSettings{};
  if (context.executor.empty()) context.executor = settings.use;
  context.asked_executor = context.executor;
  if (context.executor.empty()) context.executor = executors::backend_names().front();
  context.backend = executors::make_backend(context.executor, settings);
  if (!context.backend)
    return cli::fail(cli::bad_input, "--executor " + context.executor,
                     fmt::format("only `{}` is available yet", fmt::join(executors::backend_names(), "` or `")));
  return context.action ? context.action() : cli::bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // If the parent left it ignored, exit statuses of helper programs would be lost.
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    return cli::fail(cli::environment, e.what(), "");
  }
}
