#include "apps/cli/verbs/not_built.h"

namespace cli {

namespace {

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

}  // namespace

std::optional<kernel::Problem> refuse_not_built(std::string_view verb, std::span<const std::string> words) {
  for (const NotBuilt& missing : not_built) {
    if (missing.verb != verb) continue;
    if (missing.option.empty()) return refusal(missing);
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
      if (says(words, i, missing)) return refusal(missing);
  }
  return std::nullopt;
}

}  // namespace cli
