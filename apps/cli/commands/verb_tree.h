#pragma once
// What a parser offers, as values: the one description from which completion and the manual are made, so that neither
// can name what is not there. Leaves out what the help leaves out.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

struct VerbOption {
  std::vector<std::string> names;  ///< "-j", "--jobs"; of an argument without a name, what the help calls it: "STUDY"
  std::string value;               ///< "INT"; empty for a flag and for an argument without a name
  std::string what;
  std::vector<std::string> choices;  ///< The values that are allowed, if they are listed.
  bool required = false, repeated = false;
};

struct Verb {
  std::string name;  ///< "ara find"; empty for the program itself
  std::string what;
  std::string notes;  ///< What the help prints at its end, as lines.
  std::vector<VerbOption> options, arguments;
  std::vector<Verb> commands;
};

Verb verb_tree(const CLI::App&);

/// The last word of a command's name.
std::string last_word(const Verb&);

/// The command and those below it, each before its own.
std::vector<const Verb*> with_subcommands(const Verb&);

}  // namespace cli
