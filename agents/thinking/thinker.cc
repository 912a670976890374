#include "agents/thinking/thinker.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "agents/builtin.h"
#include "agents/thinking/line.h"

namespace agents {

using kernel::Role;
using kernel::RoleAnswer;
using kernel::Study;

struct Thinker::Worker {
  Worker(std::shared_ptr<Shared> shared, const std::string& study, const std::string& role, const std::string& id,
         const std::string& about)
      : line(std::move(shared), study, role, id, about), thread([this] { line.run(); }) {}
  ~Worker() {
    line.stop();
    thread.join();
  }
  Line line;
  std::thread thread;
};

Thinker::Thinker(ThinkerParts parts) : shared_(std::make_shared<Shared>(Shared{std::move(parts)})) {}
Thinker::~Thinker() = default;

RoleAnswer Thinker::turn(Role role, const Study& study) {
  // What follows from the design is nobody's to think about.
  if (role == Role::hypothesis && study.spec.kind == kernel::StudyKind::test && study.spec.hypotheses.empty())
    return propose(study);
  if (role == Role::experiment && study.stage() == kernel::Stage::registering)
    if (auto answer = mend(study)) return std::move(*answer);
  return builtin_turn(role, study);
}

/// One line for each version of the code that has something found against it. Who changes nothing is not asked again.
std::optional<RoleAnswer> Thinker::mend(const Study& study) {
  constexpr int most_rounds = 5;
  // What scores runs lies in the workspace too, and a file beside it may be what it imports.
  const kernel::EvaluatorSpec& evaluator = study.spec.evaluator;
  const bool scored = evaluator.tier(kernel::Tier::validation) || evaluator.tier(kernel::Tier::test);
  if (scored || !study.workspace.protect.empty()) return std::nullopt;
  const std::vector<kernel::CheckFinding>& found = study.check->findings;
  if (std::none_of(found.begin(), found.end(), [](const kernel::CheckFinding& one) { return one.serious; }))
    return std::nullopt;
  const std::string role = "engineer";
  int rounds = 0;
  const kernel::LineOfWork* own = nullptr;
  for (const kernel::LineOfWork& line : study.thinking.lines) {
    if (line.role != role) continue;
    ++rounds;
    if (line.about == study.workspace.hash) own = &line;
  }
  if (own ? own->ended : rounds >= most_rounds) return std::nullopt;
  work_on(study, role, own ? own->id : fmt::format("{}-{}", role, rounds + 1), study.workspace.hash);
  return RoleAnswer{{}, true};
}

RoleAnswer Thinker::propose(const Study& study) {
  const std::string role(name(Role::hypothesis));
  const std::string id = fmt::format("{}-{}", role, study.batch.number);
  const kernel::LineOfWork* line = study.thinking.line(id);
  if (!line || !line->ended) {
    work_on(study, role, id, "what to test");
    return {{}, true};
  }
  workers_.erase(study.id + "/" + id);
  // With none proposed the kernel refuses, and a person sees why.
  const int family =
      study.family > 0 ? study.family : study.spec.design.family.value_or(static_cast<int>(study.hypotheses.size()));
  return std::vector<kernel::Command>{{study.id, role, kernel::CloseProposals{std::max(1, family)}}};
}

void Thinker::work_on(const Study& study, const std::string& role, const std::string& line, const std::string& about) {
  std::unique_ptr<Worker>& worker = workers_[study.id + "/" + line];
  if (worker && worker->line.go_on()) return;
  worker.reset();
  worker = std::make_unique<Worker>(shared_, study.id, role, line, about);
}

void Thinker::let_go(const std::string& study) {
  const std::string prefix = study + "/";
  std::erase_if(workers_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

}  // namespace agents
