#include "apps/server/protocol/protocol.h"

#include <nlohmann/json.hpp>

namespace server {

using nlohmann::json;

json problem_body(const kernel::Problem& problem, int status) {
  return {{"type", "about:blank"},    {"title", problem.why}, {"status", status},
          {"detail", problem.text()}, {"file", problem.file}, {"line", problem.line},
          {"what", problem.what},     {"todo", problem.todo}, {"machine", problem.machine}};
}

kernel::Problem problem_of(const json& document) {
  if (!document.is_object()) return {"", 0, "", "the kernel's answer is not a JSON object", ""};
  kernel::Problem problem;
  problem.file = document.value("file", "");
  problem.line = document.value("line", 0);
  problem.what = document.value("what", "");
  problem.why = document.value("title", "");
  problem.todo = document.value("todo", document.value("detail", ""));
  problem.machine = document.value("machine", false);
  return problem;
}

json budget_body(const kernel::Budget& budget) {
  json body = json::object();
  if (budget.runs) body["runs"] = *budget.runs;
  if (budget.wall_s) body["wall_s"] = *budget.wall_s;
  if (budget.usd) body["usd"] = *budget.usd;
  if (budget.tokens) body["tokens"] = *budget.tokens;
  if (budget.gpu_hours) body["gpu_hours"] = *budget.gpu_hours;
  return body;
}

}  // namespace server
