#include "apps/cli/commands/description_verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/completion.h"
#include "apps/cli/commands/man_page.h"
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

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("completion", "print a script that lets a shell complete verbs, options and ids");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember(completion_shells()));
  verb->callback([&app, &context, shell] {
    context.action = [&context, script = completion_script(verb_tree(app), *shell)] {
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
