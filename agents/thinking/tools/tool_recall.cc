// Searches the home's memory of earlier studies.
#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "base/utf8.h"

namespace agents {

ToolResult recall(const ToolInput& use) {
  constexpr std::size_t most_of_one = 1500;
  if (!use.means.recall) return refuse("this home's memory cannot be asked here");
  kernel::RecallQuery query{use.text("query"),
                            use.text("study"),
                            use.text("kind"),
                            use.text("verdict"),
                            use.arguments.value("limit", 10),
                            false};
  const std::vector<kernel::Recollection> found = use.means.recall(query);
  if (found.empty()) return say("Nothing of that kind is remembered.");
  std::string list;
  for (const kernel::Recollection& one : found) {
    const bool judged = one.kind == "hypothesis" || one.kind == "claim";
    list += fmt::format("{} {}{}{}{}\n", one.address, one.kind == "word" ? "a person said" : one.kind,
                        !judged               ? ""
                        : one.verdict.empty() ? ", no verdict yet"
                                              : ", " + one.verdict,
                        one.title.empty() ? "" : ": " + one.title,
                        one.from.empty() ? "" : " [by the word of an artifact that others made: " + one.from + "]");
    list += kernel::utf8_prefix(one.text, most_of_one);
    list += one.text.size() > most_of_one ? "…\n\n" : "\n\n";
  }
  return say(quoted("what studies of this home left behind, and imported artifacts say", list, most_shown));
}

}  // namespace agents
