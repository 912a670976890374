#include "apps/cli/draft/script_options.h"

#include <algorithm>

#include "apps/cli/draft/python_text.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

/// The literal choices in `text`, which may name a list or dict that is assigned elsewhere.
std::vector<std::string> choices_in(std::string_view text, std::string_view source) {
  if (text.empty()) return {};
  if (text.front() == '[' || text.front() == '(' || text.front() == '{') return python_items(text);
  if (text.rfind("list(", 0) == 0 || text.rfind("sorted(", 0) == 0) text.remove_prefix(text.find('(') + 1);
  const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  const std::string_view name = text.substr(0, end);
  return name.empty() ? std::vector<std::string>() : python_items(python_assigned(source, name));
}

bool is_switch(const PythonCall& call, const std::vector<std::string>& names) {
  const std::string_view action = call.find("action");
  for (const char* kind : {"store_true", "store_false", "store_const", "count", "help", "version", "BooleanOptional"})
    if (action.find(kind) != std::string_view::npos) return true;
  if (call.find("is_flag") == "True") return true;
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.find('/') != std::string::npos; });
}

}  // namespace

std::vector<ScriptOption> script_options(std::string_view source) {
  std::vector<ScriptOption> options;
  std::vector<PythonCall> calls = python_calls(source, "add_argument");
  for (PythonCall& call : python_calls(source, "option")) calls.push_back(std::move(call));
  for (const PythonCall& call : calls) {
    ScriptOption option;
    for (const std::string& argument : call.positional) {
      const auto name = python_string(argument);
      if (name && name->size() > 1 && name->front() == '-') option.names.push_back(*name);
    }
    if (option.names.empty()) continue;
    option.takes_value = !is_switch(call, option.names);
    option.takes_several = !call.find("nargs").empty() || call.find("multiple") == "True";
    const std::string_view type = call.find("type");
    option.choices = choices_in(call.find("choices"), source);
    const std::size_t click = type.find("Choice(");
    if (option.choices.empty() && click != std::string_view::npos)
      option.choices = choices_in(type.substr(click + 7), source);
    const std::string_view value = call.find("default");
    const auto literal = python_string(value);
    if (literal)
      option.default_value = *literal;
    else if (studyfile::as_number(value))
      option.default_value = value;
    option.number = type == "int" || type == "float" || (type.empty() && !literal && studyfile::as_number(value));
    options.push_back(std::move(option));
  }
  return options;
}

const ScriptOption* find_option(const std::vector<ScriptOption>& options, std::string_view spelled) {
  for (const ScriptOption& option : options)
    if (std::find(option.names.begin(), option.names.end(), spelled) != option.names.end()) return &option;
  return nullptr;
}

}  // namespace cli
