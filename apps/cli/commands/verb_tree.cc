#include "apps/cli/commands/verb_tree.h"

#include <sstream>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace cli {

namespace {

/// The parser describes allowed values as `{a,b,c}` behind the type.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == type.npos || end == type.npos || end < begin) return choices;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

VerbOption described(const CLI::Option& option) {
  VerbOption one;
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  const bool named = !one.names.empty();
  if (!named) one.names.push_back(option.get_name(true));
  const std::string type = option.get_type_name();
  if (named && option.get_items_expected_max() > 0) one.value = type.substr(0, type.find(':'));
  one.choices = choices_in(type);
  one.what = option.get_description();
  one.required = option.get_required();
  one.repeated = option.get_items_expected_max() > 1 || option.get_expected_max() > 1;
  return one;
}

/// Adds the options of the parser and of its groups, which are parsers without a name.
void add_options(const CLI::App& app, Verb& command) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // Not shown in the help.
    (option->nonpositional() ? command.options : command.arguments).push_back(described(*option));
  }
  for (const CLI::App* group : app.get_subcommands({}))
    if (group->get_name().empty()) add_options(*group, command);
}

Verb described(const CLI::App& app, const std::string& name) {
  Verb command;
  command.name = name;
  command.what = app.get_description();
  command.notes = app.get_footer();
  add_options(app, command);
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty())
      command.commands.push_back(described(*sub, (name.empty() ? "" : name + " ") + sub->get_name()));
  return command;
}

}  // namespace

Verb verb_tree(const CLI::App& app) {
  return described(app, "");
}

std::string last_word(const Verb& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::vector<const Verb*> with_subcommands(const Verb& command) {
  std::vector<const Verb*> all{&command};
  for (const Verb& sub : command.commands)
    for (const Verb* one : with_subcommands(sub)) all.push_back(one);
  return all;
}

}  // namespace cli
