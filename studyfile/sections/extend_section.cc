#include "studyfile/sections/extend_section.h"

#include <filesystem>

#include <fmt/format.h>

#include "studyfile/draft/draft.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {

namespace {

constexpr const char* imported = "ara:";

}  // namespace

void read_extend(const Value& value, bool own_code, const LookAtParent& look, Draft& draft) {
  const std::optional<std::string> given = value.text();
  if (!given) return;
  kernel::Extended& extends = draft.spec.extends;
  const bool by_address = given->starts_with(imported);
  const std::string source = by_address ? *given : absolute_path(*given, draft);
  if (!by_address) {
    if (!check_present(value, source)) return;
    std::error_code error;
    if (!std::filesystem::is_directory(source, error))
      return value.refuse("`" + source + "` is not a folder",
                          "name an artifact's folder, or an imported one: ara:NAME");
  }
  if (!look) {
    extends.source = source;
    return;
  }
  auto found = look(source);
  if (!found)
    return value.refuse((found.problem().file.empty() ? "" : found.problem().file + ": ") + found.problem().why,
                        found.problem().todo);
  extends = std::move(*found);
  if (own_code)
    extends.workspace = {};
  else if (extends.workspace.empty())
    value.refuse("the artifact has no code, and the study names none", "name the folder with the code: `workspace: .`");
}

bool adopt_control(const Value& entry, const Draft& draft, kernel::Factor& factor) {
  const auto control = draft.spec.extends.controls.find(factor.name);
  if (control == draft.spec.extends.controls.end()) return true;
  const std::string what = fmt::format("the control of {}", draft.spec.extends.id);
  if (factor.baseline) {
    if (*factor.baseline != control->second)
      entry.warn(fmt::format("its baseline `{}` is not {}, `{}`", *factor.baseline, what, shown(control->second)),
                 "the two studies compare with different things");
    return true;
  }
  if (factor.range) return true;
  const std::optional<double> number = as_number(control->second);
  for (const kernel::Level& level : factor.levels)
    if (level.name == control->second || (number && level.value.number && *number == *level.value.number)) {
      factor.baseline = level.name;
      return true;
    }
  entry.refuse_key(fmt::format("it has no level `{}`, {}", shown(control->second), what),
                   "add that level, or give the factor a `baseline` of its own");
  return false;
}

}  // namespace studyfile
