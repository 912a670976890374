#include "apps/cli/draft/drafted_text.h"

#include <sstream>

#include "memory/workspace/snapshot.h"
#include "studyfile/load.h"

namespace cli {

kernel::Result<std::string> drafted_text(const std::string& command, DraftPlace place, const std::string& home) {
  place.ignored = memory::survey({place.folder, {}, std::nullopt}, home).ignored;
  const auto draft = draft_study(command, place);
  if (!draft) return draft.problem();
  std::string text = draft_yaml(*draft);
  // A file that does not load must not be written.
  const auto parsed = studyfile::read_text(text, place.study_folder + "/study.yaml", place.study_folder);
  if (!parsed) return parsed.problem();
  return text;
}

std::vector<int> lines_to_decide(const std::string& text) {
  std::vector<int> lines;
  std::istringstream read(text);
  std::string line;
  for (int number = 1; std::getline(read, line); ++number)
    if (line.starts_with("# DECIDE: ")) lines.push_back(number);
  return lines;
}

}  // namespace cli
