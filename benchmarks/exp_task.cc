#include "benchmarks/exp_task.h"

#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/manifest.h"

namespace benchmarks {

namespace {

using nlohmann::json;

/// Members that say nothing about what is to be done or scored, and `usage_instructions`, which belong to the solution.
const std::set<std::string> known = {"question",
                                     "hypothesis",
                                     "method",
                                     "expected_outcome",
                                     "agent_instructions",
                                     "usage_instructions",
                                     "source",
                                     "masked_source",
                                     "requirements",
                                     "design_complexity",
                                     "experiment_design_complexity",
                                     "design_ambiguity",
                                     "experiment_design_ambiguity",
                                     "experiment_setup_complexity",
                                     "experiment_setup_ambiguity",
                                     "experiment_constraints",
                                     "random_uncertainty",
                                     "systematic_uncertainty",
                                     "experiment_uncertainty",
                                     "no_answer",
                                     "mode",
                                     "subsection_source",
                                     "references",
                                     "reproduction_steps"};

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> values_of(const json& value) {
  std::vector<std::string> values;
  if (value.is_array())
    for (const json& item : value) values.push_back(text_of(item));
  else if (value.is_object())
    for (const auto& [key, inner] : value.items()) values.push_back(key + ": " + text_of(inner));
  else if (!value.is_null())
    values.push_back(text_of(value));
  return values;
}

/// The member, also where a file nests it in a member of the same name; null if there is none.
const json* member(const json& of, const std::string& key) {
  const auto found = of.find(key);
  if (found == of.end()) return nullptr;
  if (found->is_object() && found->size() == 1 && found->contains(key)) return &found->at(key);
  return &*found;
}

std::string text_at(const json& task, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto found = task.find(key); found != task.end() && found->is_string()) return *found;
  return "";
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

std::vector<DesignVariable> variables(const json& design, const std::string& kind) {
  std::vector<DesignVariable> all;
  for (const std::string& key : {kind + "_variables", kind}) {
    const auto found = design.find(key);
    if (found == design.end()) continue;
    if (found->is_object())
      for (const auto& [name, value] : found->items()) all.push_back({name, values_of(value)});
    else if (found->is_array())
      for (const json& one : *found) all.push_back({text_of(one), {}});
    return all;
  }
  return all;
}

kernel::Result<TaskDesign> design_from(const json& design) {
  if (!design.is_object()) return kernel::Problem{"", 0, "design", "it is no JSON object", ""};
  TaskDesign read{variables(design, "constant"), variables(design, "independent"), variables(design, "dependent")};
  if (read.independent.empty() && read.dependent.empty())
    return kernel::Problem{"", 0, "design", "it names neither independent nor dependent variables", ""};
  return read;
}

/// A list of texts; other items go to `unused`.
std::vector<std::string> list_at(const json& task, const std::string& key, std::vector<std::string>& unused) {
  const auto found = task.find(key);
  if (found == task.end() || found->is_null()) return {};
  if (found->is_string()) return {found->get<std::string>()};
  std::vector<std::string> all;
  if (!found->is_array()) unused.push_back(key + ": it is no list");
  if (found->is_array())
    for (const json& item : *found) {
      if (item.is_string() && !is_blank(item.get<std::string>()))
        all.push_back(item);
      else
        unused.push_back(key + ": an item is no text");
    }
  return all;
}

/// The files that hold the solution: `masked_source`, else `source`. A problem if these cannot be read: a file that is
/// overlooked would stay in sight.
kernel::Result<std::vector<std::string>> solution_files(const json& task) {
  for (const char* key : {"masked_source", "source"}) {
    const auto found = task.find(key);
    if (found == task.end() || found->is_null() || (found->is_array() && found->empty())) continue;
    const json list = found->is_array() ? *found : json::array({*found});
    std::vector<std::string> files;
    for (const json& item : list) {
      if (!item.is_string() || is_blank(item.get<std::string>()))
        return kernel::Problem{"", 0, key, fmt::format("`{}` is no list of paths", key), ""};
      files.push_back(item);
    }
    return files;
  }
  return std::vector<std::string>();
}

/// Paths are those of the container in which the tasks were made.
std::string below_folder(std::string path) {
  for (const std::string prefix : {"/workspace/", "/tmp/", "/"})
    if (path.starts_with(prefix)) return path.substr(prefix.size());
  return path;
}

ReadTask read_task(const json& task, const std::string& paper, std::size_t number) {
  ExpTask read;
  read.paper = paper;
  read.id = fmt::format("{}-{}", paper, number);
  const auto malformed = [&](const std::string& why) {
    return RefusedTask{read.id, TaskRefusal::malformed, why, "correct the task in its file"};
  };
  if (!task.is_object()) return malformed("the task is no JSON object");
  read.question = text_at(task, {"question", "hypothesis"});
  read.method = text_at(task, {"method"});
  read.instructions = text_at(task, {"agent_instructions"});
  read.outcome = text_at(task, {"expected_outcome"});
  if (is_blank(read.question)) return malformed("it has no `question`");
  if (is_blank(read.method)) return malformed("it has no `method`");
  if (is_blank(read.outcome)) return malformed("it has no `expected_outcome`");
  const json* design = member(task, "design_complexity");
  if (!design) design = member(task, "experiment_design_complexity");
  if (!design) return malformed("it has no `design_complexity`");
  auto variables_of_task = design_from(*design);
  if (!variables_of_task) return malformed("`design_complexity`: " + variables_of_task.problem().why);
  read.design = std::move(*variables_of_task);
  auto files = solution_files(task);
  if (!files) return malformed(files.problem().why);
  for (std::string& path : *files) {
    path = below_folder(std::move(path));
    if (!kernel::is_safe_path(path))
      return RefusedTask{read.id, TaskRefusal::outside, "`" + path + "` does not lie in the paper's folder",
                         "correct the path in the task's file"};
    read.masked.push_back(std::move(path));
  }
  read.requirements = list_at(task, "requirements", read.unused);
  for (const auto& [key, value] : task.items())
    if (!known.contains(key)) read.unused.push_back(key + ": no member of that name is known");
  return read;
}

}  // namespace

std::string_view name(TaskRefusal refusal) {
  constexpr std::array names = {"malformed", "outside", "source absent", "masked file absent"};
  return names.at(static_cast<std::size_t>(refusal));
}

kernel::Result<std::vector<ReadTask>> read_exp_tasks(std::string_view text, const std::string& file) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& e) {
    return kernel::Problem{file, 0, fmt::format("byte {}", e.byte), "it is no JSON there", "fetch the file again"};
  }
  std::string paper = file.substr(file.find_last_of('/') + 1);
  paper = paper.substr(0, paper.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"));
  if (paper.empty())
    return kernel::Problem{file, 0, "its name", "it does not begin with a paper's number or name", "rename the file"};
  const json* questions = document.is_array() ? &document : nullptr;
  if (document.is_object() && document.contains("questions")) questions = &document.at("questions");
  if (!questions || !questions->is_array())
    return std::vector<ReadTask>{RefusedTask{paper, TaskRefusal::malformed,
                                             file + " has no list of tasks of the name `questions`",
                                             "fetch the file again, or remove it from the folder"}};
  std::vector<ReadTask> tasks;
  for (const json& task : *questions) tasks.push_back(read_task(task, paper, tasks.size() + 1));
  return tasks;
}

kernel::Result<TaskDesign> read_design(std::string_view text) {
  const json design = json::parse(text, nullptr, false);
  if (design.is_discarded()) return kernel::Problem{"", 0, "design", "it is no JSON", ""};
  return design_from(design);
}

}  // namespace benchmarks
