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
#include "executors/make_backend.h"
#include "studyfile/yaml/scalars.h"

namespace {

constexpr std::string_view help = R"(etude: a kernel for machine-run research

  init DIR [--template NAME] [--from "CMD"]  a study to start from
  plan STUDY.yaml                            the design, its runs, power and cost; starts nothing
  try STUDY.yaml [--set k=v]                 one scratch run: log, metrics, time and memory
  run STUDY.yaml [-j N] [-o DIR]             run the study to its verdicts and artifact
  resume [ID] [-j N] [--budget k=v]          go on with what a crash, a pause or a budget stopped
  pause|cancel ID | steer ID "TEXT"          from any terminal, while it runs
  withdraw ID HYPOTHESIS --why "…"           before its verdict; it keeps its slot in the family
  judge ID REQ --met|--unmet --why "…"       a requirement that agents drew, by your word
  amend ID --why "…"                         go on with the code as it is now
  fork ID --at SEQ                           a new study from a point of this one
  exec [--study ID] -- CMD …                 any command as a recorded scratch run of the study open here
  note|decision|dead-end "…" | conclude [ID] record the rest of the journey; end what was captured
  gates [ID] | approve|reject GATE           where a study waits for a person
  ls | show ID | watch ID | runs ID | graph ID | log ID    look at studies
  run-log RUN | metrics RUN                  look at one run
  recall "WORDS" [--where k=v] [--limit N]   what studies left behind, and imported artifacts say
  artifact ID -o DIR                         package a study as an ARA again
  check ARA [--strict]                       is the artifact well formed and unchanged?
  audit ARA [--strict] [--head HASH]         does it say what its own record gives?
  reproduce ARA [--claim C01] [--sample N]   run its design again, compare claim by claim
  export ARA --to html|zip|ro-crate -o PATH  one page, one archive, or an RO-Crate
  import ARA [--as NAME]                     what it says is found by `recall`, with its source
  verify                                     recompute the store's chains, read models and blobs
  gc [--delete]                              what nothing needs any more: says, or deletes it
  backup FILE [--force]                      one file to restore the home from; also while a kernel runs
  serve [--port 7717] [--link|--new-token]   the API and the page on this machine
  doctor [--model NAME]                      what this machine offers, and what to mend

  --home DIR (else $ETUDE_HOME)   --config FILE   --json   --version   etude help VERB
)";

/// A planned verb, option or value that does not exist yet. No help shows it.
struct NotBuilt {
  std::string_view verb, option,
      value;                 ///< An empty option means the verb itself, an empty value any value of the option.
  std::string_view instead;  ///< What to use instead; empty if there is nothing.
};

constexpr std::string_view other_exports = "use html, zip or ro-crate";

constexpr NotBuilt not_built[] = {
    {"ara", "", "", ""},
    {"bench", "", "", ""},
    {"completion", "", "", ""},
    {"confirm", "", "", ""},
    {"mcp", "", "", ""},
    {"simulate", "", "", ""},
    {"trace", "", "", "`etude log ID --json` prints every event"},
    {"try", "--run", "", "use `--set k=v`"},
    {"run", "--detach", "", ""},
    {"show", "--all", "", ""},
    {"export", "--to", "page", other_exports},
    {"export", "--to", "latex", other_exports},
    {"export", "--to", "pdf", other_exports},
    {"export", "--to", "checklist", other_exports},
    {"export", "--to", "prereg", other_exports},
    {"export", "--to", "oeb", other_exports},
    {"export", "--to", "lara", other_exports},
    {"export", "--to", "croissant", other_exports},
    {"export", "--to", "atif", other_exports},
};

/// `--option`, `--option value` or `--option=value`.
bool says(std::span<const std::string> words, std::size_t at, const NotBuilt& missing) {
  const std::string_view word = words[at];
  if (!word.starts_with(missing.option)) return false;
  const std::string_view rest = word.substr(missing.option.size());
  if (!rest.empty() && rest.front() != '=') return false;
  if (missing.value.empty()) return true;
  if (!rest.empty()) return rest.substr(1) == missing.value;
  return at + 1 < words.size() && words[at + 1] == missing.value;
}

kernel::Problem refusal(const NotBuilt& missing) {
  std::string what(missing.option.empty() ? missing.verb : missing.option);
  if (!missing.value.empty()) what += " " + std::string(missing.value);
  return {"", 0, "`" + what + "` is not available yet", "", std::string(missing.instead)};
}

/// A refusal if the verb is not built, or one of `words`, its arguments up to a `--`.
std::optional<kernel::Problem> refuse_not_built(std::string_view verb, std::span<const std::string> words) {
  for (const NotBuilt& missing : not_built) {
    if (missing.verb != verb) continue;
    if (missing.option.empty()) return refusal(missing);
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
      if (says(words, i, missing)) return refusal(missing);
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
    fmt::print("{}", help);
    return cli::ok;
  }
  if (words.size() == 1 && words[0] == "--version") {
    fmt::print("etude {}\n", ETUDE_VERSION);
    return cli::ok;
  }

  cli::Context context;
  context.executor = executors::backend_names().front();
  CLI::App app("a kernel for machine-run research", "etude");
  app.require_subcommand(1, 1);
  app.fallthrough();
  app.add_option("--home", context.home_option, "where studies live (else $ETUDE_HOME)");
  app.add_option("--config", context.config_option, "the configuration (else ~/.config/etude/config.yaml)");
  app.add_flag("--json", context.json, "one JSON document on stdout");
  for (const auto add :
       {cli::add_init,   cli::add_plan,     cli::add_try,    cli::add_run,    cli::add_resume,    cli::add_control,
        cli::add_watch,  cli::add_ls,       cli::add_show,   cli::add_runs,   cli::add_run_log,   cli::add_metrics,
        cli::add_graph,  cli::add_artifact, cli::add_check,  cli::add_audit,  cli::add_reproduce, cli::add_verify,
        cli::add_gc,     cli::add_backup,   cli::add_export, cli::add_doctor, cli::add_recall,    cli::add_serve,
        cli::add_import, cli::add_exec,     cli::add_remark})
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
  context.backend = executors::make_backend(context.executor);
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
