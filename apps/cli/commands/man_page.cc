#include "apps/cli/commands/man_page.h"

#include <sstream>

#include <fmt/format.h>

#include "base/assert.h"
#include "embedded/cli_texts.h"

namespace cli {

namespace {

/// A text as roff prints it: without escapes, requests and characters beyond ASCII.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      const char c = text[i++];
      if (c == '\\')
        out += "\\e";
      else if (c == '-')
        out += "\\-";
      else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
        out += std::string("\\&") + c;
      else
        out += c;
      continue;
    }
    const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    ETUDE_ASSERT(i + bytes <= text.size());  // The texts are ours.
    std::uint32_t point = lead & (0xffu >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
    out += fmt::format("\\[u{:04X}]", point);
    i += bytes;
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string slanted(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string option_lines(const VerbOption& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) head += " " + slanted(option.value);
  return fmt::format(".TP\n{}\n{}\n", head, plain(option.what));
}

std::string usage(const Verb& command) {
  std::string text = bold("etude " + command.name) + (command.options.empty() ? "" : " [" + slanted("OPTIONS") + "]");
  for (const VerbOption& argument : command.arguments) {
    const std::string name = slanted(argument.names.front()) + (argument.repeated ? " ..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + (command.commands.empty() ? "" : " " + slanted("VERB"));
}

/// Lines as they are.
std::string unfilled(const std::string& text) {
  std::string out = ".PP\n.nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += (line.empty() ? ".sp" : plain(line)) + "\n";
  return out + ".fi\n";
}

std::string verb_lines(const Verb& command) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}{}\n", plain(command.name), usage(command), plain(command.what),
                                 command.what.ends_with('?') ? "" : ".");
  for (const VerbOption& argument : command.arguments)
    text += fmt::format(".TP\n{}\n{}\n", slanted(argument.names.front()), plain(argument.what));
  for (const VerbOption& option : command.options)
    if (option.names.back() != "--help") text += option_lines(option);
  return command.notes.empty() ? text : text + unfilled(command.notes);
}

void put_in(std::string& text, std::string_view place, const std::string& content) {
  const std::size_t at = text.find(place);
  ETUDE_ASSERT(at != text.npos);
  text.replace(at, place.size(), content);
}

}  // namespace

std::string man_page(const Verb& root, const std::string& version) {
  std::string text(embedded::cli_texts("manual.txt")), options, verbs;
  for (const VerbOption& option : root.options) options += option_lines(option);
  for (const Verb* command : with_subcommands(root))
    if (command != &root) verbs += verb_lines(*command);
  options.pop_back();
  verbs.pop_back();
  put_in(text, "@VERSION@", plain(version));
  put_in(text, "@OPTIONS@", options);
  put_in(text, "@VERBS@", verbs);
  return text;
}

}  // namespace cli
