#include "apps/cli/commands/completion.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "embedded/cli_texts.h"

namespace cli {

namespace {

/// The lines of a template's four places.
struct Parts {
  std::string steps;      ///< Of a word on the command line: which verb it names, or that it is an option with a value.
  std::string values;     ///< Of an option: what may follow it.
  std::string options;    ///< Of a verb.
  std::string arguments;  ///< Of a verb and a number of arguments: what may come next.
};

void fill(std::string& text, std::string_view place, const std::string& lines) {
  const std::size_t at = text.find(place);
  ETUDE_ASSERT(at != text.npos);
  text.replace(at, place.size() + 1, lines);  // With the newline, which each of `lines` has.
}

std::string filled(std::string_view file, const Parts& parts) {
  std::string text(embedded::cli_texts(file));
  fill(text, "@STEPS@", parts.steps);
  if (!parts.values.empty()) fill(text, "@VALUES@", parts.values);
  fill(text, "@OPTIONS@", parts.options);
  fill(text, "@ARGUMENTS@", parts.arguments);
  return text;
}

/// In single quotes, for bash and zsh.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string in_fish_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

/// For `_describe` of zsh: `name:what it is`.
std::string described(std::string_view name, std::string_view what) {
  std::string text;
  for (const char c : name) text += (c == ':' ? "\\" : "") + std::string(1, c);
  return in_quotes(text + ":" + std::string(what));
}

/// The function of each script that lists the values of an argument or option: of ids of this home. Empty for others.
std::string lister(const VerbOption& option) {
  const std::string& kind = option.value.empty() ? option.names.front() : option.value;
  return kind == "ID" ? "_etude_studies" : kind == "GATE" ? "_etude_gates" : kind == "RUN" ? "_etude_runs" : "";
}

/// Whether the values are known.
bool completes(const VerbOption& option) {
  return !option.choices.empty() || !lister(option).empty();
}

/// The bash that finds them.
std::string bash_words(const VerbOption& option) {
  const std::string ids = lister(option);
  if (ids.empty()) return fmt::format("words=({})", fmt::join(option.choices, " "));
  // Until the study is complete, the number of a run follows it without a space.
  return fmt::format("words=($({} \"$1\" \"$cur\")){}", ids,
                     ids == "_etude_runs" ? "; [[ $cur == *-r* ]] || compopt -o nospace 2> /dev/null" : "");
}

std::string zsh_words(const VerbOption& option) {
  const std::string ids = lister(option);
  return ids.empty() ? fmt::format("compadd -- {}", fmt::join(option.choices, " ")) : ids;
}

std::string fish_words(const VerbOption& option) {
  const std::string ids = lister(option);
  return ids.empty() ? fmt::format("{}", fmt::join(option.choices, " ")) : "(_" + ids + ")";
}

/// An option of every verb as patterns, any verb's if the program itself has it: "'graph':--format".
std::string patterns(const Verb& command, const VerbOption& option, std::string_view any) {
  std::string text;
  for (const std::string& name : option.names)
    text +=
        (text.empty() ? "" : "|") + (command.name.empty() ? std::string(any) : in_quotes(command.name)) + ":" + name;
  return text;
}

using Commands = std::vector<const Verb*>;

/// What bash and zsh share: `open` begins a pattern.
Parts shell_parts(const Commands& commands, std::string_view open) {
  Parts parts;
  for (const Verb* command : commands) {
    for (const Verb& sub : command->commands)
      parts.steps += fmt::format("      {}{}:{}) verb={} ;;\n", open, in_quotes(command->name), last_word(sub),
                                 in_quotes(sub.name));
    for (const VerbOption& option : command->options)
      if (!option.value.empty())
        parts.steps += fmt::format("      {}{}) option=$word ;;\n", open, patterns(*command, option, "*"));
  }
  return parts;
}

std::string bash_script(const Verb& root) {
  const Commands commands = with_subcommands(root);
  Parts parts = shell_parts(commands, "");
  for (const Verb* command : commands) {
    std::string options, below;
    for (const Verb* from : {command, &root}) {
      for (const VerbOption& option : from->options)
        for (const std::string& name : option.names)
          if (name.starts_with("--") && (options + " ").find(" " + name + " ") == options.npos) options += " " + name;
      if (command == &root) break;
    }
    parts.options += fmt::format("      {}) words=({}) ;;\n", in_quotes(command->name), options.substr(1));
    for (const VerbOption& option : command->options)
      if (completes(option))
        parts.values += fmt::format("      {}) {} ;;\n", patterns(*command, option, "*"), bash_words(option));
    for (const Verb& sub : command->commands) below += " " + last_word(sub);
    if (!below.empty())
      parts.arguments += fmt::format("      {}:0) words=({}) ;;\n", in_quotes(command->name), below.substr(1));
    for (std::size_t i = 0; i < command->arguments.size(); ++i) {
      const VerbOption& argument = command->arguments[i];
      if (completes(argument))
        parts.arguments += fmt::format("      {}:{}) {} ;;\n", in_quotes(command->name), i, bash_words(argument));
    }
  }
  return filled("completion.bash", parts);
}

std::string zsh_script(const Verb& root) {
  const Commands commands = with_subcommands(root);
  Parts parts = shell_parts(commands, "(");
  for (const Verb* command : commands) {
    std::string options, below;
    for (const Verb* from : {command, &root}) {
      for (const VerbOption& option : from->options)
        for (const std::string& name : option.names)
          if (options.find("'" + name + ":") == options.npos) options += " " + described(name, option.what);
      if (command == &root) break;
    }
    parts.options += fmt::format("      ({}) found=({}) ;;\n", in_quotes(command->name), options.substr(1));
    for (const VerbOption& option : command->options)
      if (completes(option))
        parts.values += fmt::format("      ({}) {} ;;\n", patterns(*command, option, "*"), zsh_words(option));
    for (const Verb& sub : command->commands) below += " " + described(last_word(sub), sub.what);
    if (!below.empty())
      parts.arguments += fmt::format("      ({}:0)\n        found=({})\n        _describe command found\n        ;;\n",
                                     in_quotes(command->name), below.substr(1));
    for (std::size_t i = 0; i < command->arguments.size(); ++i) {
      const VerbOption& argument = command->arguments[i];
      if (completes(argument))
        parts.arguments += fmt::format("      ({}:{}) {} ;;\n", in_quotes(command->name), i, zsh_words(argument));
    }
  }
  return filled("completion.zsh", parts);
}

std::string fish_script(const Verb& root) {
  Parts parts;
  for (const Verb* command : with_subcommands(root)) {
    const std::string verb = command->name;
    for (const Verb& sub : command->commands) {
      parts.steps += fmt::format("            case {}\n                set verb {}\n",
                                 in_fish_quotes(verb + ":" + last_word(sub)), in_fish_quotes(sub.name));
      parts.arguments += fmt::format("complete -c etude -n \"__etude_at '{}:0'\" -f -a {} -d {}\n", verb,
                                     last_word(sub), in_fish_quotes(sub.what));
    }
    for (const VerbOption& option : command->options) {
      std::string names, cases;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        cases += " " + in_fish_quotes((verb.empty() ? "*" : verb) + ":" + name);
      }
      if (!option.value.empty())
        parts.steps += fmt::format("            case{}\n                set option 1\n", cases);
      const bool valued = completes(option);
      // Those of the program itself fit everywhere, but each verb has its own --help.
      const bool everywhere = verb.empty() && option.names.back() != "--help";
      const std::string head =
          "complete -c etude" + (everywhere ? "" : fmt::format(" -n \"__etude_in '{}'\"", verb)) + names;
      // In a line of their own: else the text of the option follows each value.
      if (valued) parts.options += fmt::format("{} -x -a '{}'\n", head, fish_words(option));
      parts.options += fmt::format("{}{} -d {}\n", head,
                                   valued                 ? " -x"
                                   : option.value.empty() ? ""
                                                          : " -r",
                                   in_fish_quotes(option.what));
    }
    for (std::size_t i = 0; i < command->arguments.size(); ++i) {
      const VerbOption& argument = command->arguments[i];
      if (const std::string words = fish_words(argument); !words.empty())
        parts.arguments += fmt::format("complete -c etude -n \"__etude_at '{}:{}'\" -f -a '{}'\n", verb, i, words);
    }
  }
  return filled("completion.fish", parts);
}

}  // namespace

std::vector<std::string> completion_shells() {
  return {"bash", "zsh", "fish"};
}

std::string completion_script(const Verb& root, std::string_view shell) {
  ETUDE_ASSERT(shell == "bash" || shell == "zsh" || shell == "fish");
  return shell == "bash" ? bash_script(root) : shell == "zsh" ? zsh_script(root) : fish_script(root);
}

}  // namespace cli
