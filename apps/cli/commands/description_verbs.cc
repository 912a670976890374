#include "apps/cli/commands/description_verbs.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/completion.h"
#include "apps/cli/commands/man_page.h"
#include "apps/cli/commands/terms.h"
#include "apps/cli/commands/verb_tree.h"

namespace cli {

namespace {

int print(const Context& context, const char* name, const std::string& text) {
  if (context.json)
    print_json({{name, text}});
  else
    fmt::print("{}", text);
  return ok;
}

/// All verbs, with what `help` explains: verbs, and terms of one plain word.
Verb completed_verbs(const CLI::App& app) {
  Verb root = verb_tree(app);
  const auto help = std::ranges::find(root.commands, "help", &Verb::name);
  std::vector<std::string>& topics = help->arguments.front().choices;
  for (const Verb& verb : root.commands) topics.push_back(verb.name);
  topics.push_back("terms");
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
  for (const Term& term : terms())
    for (const std::string& name : term.names)
      if (!name.empty() && std::ranges::all_of(name, is_plain)) topics.push_back(name);
  std::ranges::sort(topics);
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  return root;
}

}  // namespace

void add_help(CLI::App& app, Context&) {
  CLI::App* verb = app.add_subcommand("help", "what a verb does, or what a term means");
  // The words are read before the parser sees them.
  verb->add_option("VERB|TERM", "a verb, a term of the glossary, or `terms` for all of them");
}

void add_completion(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("completion", "print a script that lets a shell complete verbs, options and ids");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember(completion_shells()));
  verb->callback([&app, &context, shell] {
    context.action = [&context, script = completion_script(completed_verbs(app), *shell)] {
      return print(context, "script", script);
    };
  });
}

void add_man(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("man", "print the manual page, with all verbs");
  verb->callback([&app, &context] {
    context.action = [&context, page = man_page(verb_tree(app), ETUDE_VERSION)] {
      return print(context, "page", page);
    };
  });
}

}  // namespace cli
