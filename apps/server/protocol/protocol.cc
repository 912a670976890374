#include "apps/server/protocol/protocol.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace server {

using nlohmann::json;

namespace {

constexpr std::array kinds = {
#define ETUDE_PROBLEM(name, status, meaning) ProblemKind{ProblemType::name, #name, status, meaning},
#include "apps/server/protocol/problem_types.def"
#undef ETUDE_PROBLEM
};

const ProblemKind& kind_of(ProblemType type) {
  return kinds[static_cast<std::size_t>(type)];
}

}  // namespace

std::span<const ProblemKind> problem_kinds() {
  return kinds;
}

int status_of(ProblemType type) {
  return kind_of(type).status;
}

std::string uri_of(ProblemType type) {
  std::string name(kind_of(type).name);
  std::ranges::replace(name, '_', '-');
  return std::string(api_root) + "/problems#" + name;
}

ProblemType type_of_status(int status) {
  const auto* found = std::ranges::find(kinds, status, &ProblemKind::status);
  return found == kinds.end() ? ProblemType::bad_request : found->type;
}

std::string title_of(const kernel::Problem& problem) {
  static constexpr std::array verbs = {"are",  "belongs", "can",   "cannot", "contains", "could", "did",  "does",
                                       "ends", "gives",   "had",   "has",    "have",     "holds", "is",   "lacks",
                                       "lies", "looks",   "may",   "must",   "names",    "needs", "only", "reads",
                                       "says", "stands",  "takes", "wants",  "was",      "were",  "will"};
  static constexpr std::array pronouns = {"it", "its", "they"};
  const std::string& subject = problem.what.empty() ? problem.file : problem.what;
  if (subject.empty() || problem.why.empty()) return problem.why.empty() ? subject : problem.why;
  const std::string first = problem.why.substr(0, problem.why.find(' '));
  if (std::ranges::find(verbs, first) != verbs.end()) return subject + " " + problem.why;
  return std::ranges::find(pronouns, first) == pronouns.end() ? problem.why : subject + ": " + problem.why;
}

json problem_body(const kernel::Problem& problem, int status) {
  const ProblemType type = problem.machine ? ProblemType::machine_fault : type_of_status(status);
  return {{"type", uri_of(type)}, {"title", title_of(problem)}, {"status", status},     {"detail", problem.text()},
          {"file", problem.file}, {"line", problem.line},       {"what", problem.what}, {"why", problem.why},
          {"todo", problem.todo}, {"machine", problem.machine}};
}

kernel::Problem problem_of(const json& document) {
  if (!document.is_object()) return {"", 0, "", "the kernel's answer is not a JSON object", ""};
  kernel::Problem problem;
  problem.file = document.value("file", "");
  problem.line = document.value("line", 0);
  problem.what = document.value("what", "");
  problem.why = document.value("why", document.value("title", ""));
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
