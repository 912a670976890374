#include "apps/cli/terminal/command_context.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

std::string Context::home() const {
  const auto variable = [](const char* variable_name) {
    const char* value = std::getenv(variable_name);
    return value ? std::string(value) : std::string();
  };
  std::string home = home_option;
  if (home.empty()) home = variable("ETUDE_HOME");
  if (home.empty() && !variable("XDG_DATA_HOME").empty()) home = variable("XDG_DATA_HOME") + "/etude";
  if (home.empty()) home = variable("HOME") + "/.local/share/etude";
  return absolute_path(home);
}

int fail(Exit code, const kernel::Problem& problem) {
  std::fflush(stdout);
  fmt::print(stderr, "etude: {}\n", printable(problem.text()));
  return problem.machine ? environment : code;
}

int fail(Exit code, std::string_view what, std::string_view why, std::string_view todo) {
  return fail(code, kernel::Problem{"", 0, std::string(what), std::string(why), std::string(todo)});
}

void print_json(const nlohmann::json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_json_line(const nlohmann::json& document) {
  fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace cli
