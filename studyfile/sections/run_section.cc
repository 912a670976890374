#include <algorithm>

#include <fmt/ranges.h>

#include "base/shell_text.h"
#include "kernel/runs/command_line.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

std::vector<std::string> known_placeholders(const Draft& draft, const std::optional<InSight>& sight) {
  std::vector<std::string> names;
  for (const kernel::Factor& factor : draft.spec.factors) {
    if (sight && !is_among(sight->factors, factor.name)) continue;
    names.push_back(factor.name);
    if (factor.levels.empty()) continue;
    for (const auto& [key, scalar] : factor.levels.front().bundle) names.push_back(factor.name + "." + key);
  }
  for (const auto& [name, scalar] : draft.spec.constants) names.push_back(name);
  for (const kernel::DataSpec& data : draft.spec.data) names.push_back("data." + data.name);
  if (sight)
    for (const auto& [name, path] : sight->outputs) names.push_back(name);
  for (const char* ours : {"seed", "run_dir", "cpus", "gpus", "port"})
    if (!is_among(names, ours)) names.emplace_back(ours);
  return names;
}

/// Whether all names that this placeholder could refer to were read.
bool certain(const std::string& name, const Draft& draft) {
  const std::string head = name.substr(0, name.find('.'));
  if (head == "data") return draft.all_data;
  return draft.all_factors && draft.all_constants && draft.unsure.count(head) == 0;
}

/// Every value that the study gives the placeholder; {run_dir} and the like get their values from etude.
std::vector<std::string> values_of(const std::string& name, const Draft& draft) {
  std::vector<std::string> values;
  const std::size_t dot = name.find('.');
  for (const kernel::Factor& factor : draft.spec.factors)
    for (const kernel::Level& level : factor.levels) {
      if (factor.name == name) values.push_back(level.value.text);
      if (dot == std::string::npos || factor.name != name.substr(0, dot)) continue;
      const auto member = level.bundle.find(name.substr(dot + 1));
      if (member != level.bundle.end()) values.push_back(member->second.text);
    }
  const auto constant = draft.spec.constants.find(name);
  if (constant != draft.spec.constants.end()) values.push_back(constant->second.text);
  for (const kernel::DataSpec& data : draft.spec.data)
    if ("data." + data.name == name) values.push_back(data.path);
  return values;
}

/// Refuses a name that only another stage may use.
bool refuse_of_other_stage(const Value& run, const std::string& name, const Draft& draft, const InSight& sight) {
  for (const auto& [output, path] : sight.elsewhere)
    if (output == name)
      return run.refuse("`{" + name + "}` is of a stage that this one does not need",
                        "add `" + name.substr(0, name.find('.')) + "` to its `needs`"),
             true;
  if (!draft.spec.factor(name.substr(0, name.find('.')))) return false;
  if (sight.before_all)
    return run.refuse("`{" + name + "}` is a factor, and one set-up is for all runs", "use it in `run`"), true;
  run.refuse("`{" + name + "}` is a factor of another stage, which this one does not need",
             "add it to this stage's `factors`, or the stage to its `needs`");
  return true;
}

bool check_placeholder(const Value& run, const kernel::Placeholder& placeholder, const std::vector<std::string>& known,
                       const Draft& draft, const std::optional<InSight>& sight) {
  const std::string& name = placeholder.name;
  if (!is_among(known, name)) {
    if (!certain(name, draft)) return false;
    if (sight && refuse_of_other_stage(run, name, draft, *sight)) return false;
    run.refuse("no factor, constant or data is called `{" + shown(name) + "}`",
               suggestion(name, known, "placeholders are") + " (write `{{` for a literal brace)");
    return false;
  }
  if (!placeholder.plain_only) return true;
  std::vector<std::string> values = values_of(name, draft);
  if (sight)
    for (const auto& [output, path] : sight->outputs)
      if (output == name) values.push_back(path);
  for (const std::string& value : values)
    if (!kernel::is_plain(value)) {
      run.refuse("`{" + name + "}` stands where shell quoting cannot protect the value `" + shown(value) + "`",
                 "use it before any `$(…)`, backquote or `<<`, or write `run` as a list");
      return false;
    }
  return true;
}

void warn_of_unused(const std::vector<kernel::Placeholder>& used, const Value& run, const Draft& draft,
                    const std::optional<InSight>& sight) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> unused;
  for (const kernel::Factor& factor : draft.spec.factors) {
    if (sight && !is_among(sight->own, factor.name)) continue;
    const bool seen = std::ranges::any_of(used, [&](const kernel::Placeholder& p) {
      return p.name == factor.name || p.name.starts_with(factor.name + ".");
    });
    if (!seen && draft.unsure.count(factor.name) == 0 && factor.name != draft.spec.resources.node)
      unused.push_back("`{" + factor.name + "}`");
  }
  if (unused.size() > most_named + 1) {
    const std::size_t others = unused.size() - most_named;
    unused.resize(most_named);
    run.warn(fmt::format("the command does not use {} and {} other factors", fmt::join(unused, ", "), others),
             "they have an effect only if the program reads them from $ETUDE_PARAMS");
    return;
  }
  for (const std::string& name : unused)
    run.warn("the command does not use " + name,
             "the factor has an effect only if the program reads it from $ETUDE_PARAMS");
}

}  // namespace

std::optional<kernel::CommandTemplate> read_command(const Value& value) {
  if (value.is_scalar()) {
    if (!value.node().quoted && looks_numeric(value.node().text))
      return value.refuse_kind("a command", "put it in quotes if it is the name of a program"), std::nullopt;
    const std::optional<std::string> text = value.spelling();
    if (!text) return std::nullopt;
    // The system limits one argument to 128 KB.
    if (text->size() > 100000)
      return value.refuse("a command of more than 100000 bytes", "put it into a script"), std::nullopt;
    return kernel::CommandTemplate{true, {*text}};
  }
  const auto items = value.is_list() ? value.list("words") : std::nullopt;
  if (!items) return value.refuse_kind("a command", "write a text for `sh`, or a list of words"), std::nullopt;
  if (items->empty()) return value.refuse("the command is empty", "name a program"), std::nullopt;
  kernel::CommandTemplate command{false, {}};
  for (const Value& item : *items) {
    if (!item.is_scalar()) return item.refuse_kind("a word of the command"), std::nullopt;
    command.words.push_back(item.node().text);
  }
  if (command.words.front().empty()) return items->front().refuse("the program's name is empty"), std::nullopt;
  return command;
}

bool check_command(const Value& value, const kernel::CommandTemplate& command, const Draft& draft,
                   const std::optional<InSight>& sight, bool acts) {
  const auto placeholders = kernel::placeholders_in(command);
  if (!placeholders) return value.refuse(placeholders.problem().why, placeholders.problem().todo), false;
  const std::vector<std::string> known = known_placeholders(draft, sight);
  for (const kernel::Placeholder& placeholder : *placeholders)
    if (!check_placeholder(value, placeholder, known, draft, sight)) return false;
  if (acts) warn_of_unused(*placeholders, value, draft, sight);
  return true;
}

void read_run(const Value& value, Draft& draft) {
  const std::optional<kernel::CommandTemplate> command = read_command(value);
  if (!command) return;
  draft.spec.run = *command;
  check_command(value, *command, draft);
}

}  // namespace studyfile
