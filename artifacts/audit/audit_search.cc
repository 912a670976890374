// Repeats the decisions of a screening or an optimisation: its plan, the runs and ranking of every rung, and its
// selection.
#include <cmath>

#include "artifacts/audit/audit_same.h"
#include "artifacts/read/sound_study.h"
#include "base/digest.h"
#include "kernel/codec/codec.h"
#include "kernel/search/code_search.h"
#include "kernel/search/search.h"

namespace artifacts {

using kernel::Study;

/// Repeats rounds, runs and ranking of a search over code. A round that ended early may have run out of time, which
/// cannot be checked.
void DecisionAudit::code_searched(const Study& study, const kernel::Event& event, int line) {
  if (const auto* asks = std::get_if<kernel::CodePlanned>(&event.body)) {
    if (asks->steps.empty() != !asks->over.empty()) return decision(line, "a round asks for nothing, and does not end");
    if (!asks->steps.empty())
      same(
          asks->steps, [&] { return kernel::next_steps(study); }, "what engineers are asked for", line);
  }
  if (const auto* writes = std::get_if<kernel::CodeProposed>(&event.body)) {
    const kernel::CodeVersion& version = writes->version;
    const kernel::CodeStep* step = study.code.step(version.step);
    if (!step || step->op != version.op || step->parents != version.parents || study.code.version(version.id))
      return decision(line, fmt::format("version {} of the code is of no open step", version.id.substr(0, 40)));
  }
  if (const auto* queues = std::get_if<kernel::RunsQueued>(&event.body)) {
    if (std::ranges::any_of(queues->runs, [](const auto& r) { return r.retry_of > 0; })) return;
    const std::string version = queues->runs.size() == 1 ? queues->runs.front().label : "";
    const bool first = study.code.version(version) && queues->runs.front().replicate == 1;
    same(
        *queues, [&] { return first ? kernel::first_run(study, version) : kernel::due_code_runs(study); },
        "the runs of versions", line);
  }
  if (const auto* ranks = std::get_if<kernel::RungRanked>(&event.body))
    same(
        *ranks, [&] { return kernel::rank_code(study); }, "the ranking of versions", line);
}

bool DecisionAudit::searched(const Study& study, const kernel::Event& event, int line) {
  const auto* registers = std::get_if<kernel::SearchRegistered>(&event.body);
  const auto* queues = std::get_if<kernel::RunsQueued>(&event.body);
  const auto* ranks = std::get_if<kernel::RungRanked>(&event.body);
  const auto* proposes = std::get_if<kernel::HypothesisProposed>(&event.body);
  const auto* asks = std::get_if<kernel::CodePlanned>(&event.body);
  const auto* writes = std::get_if<kernel::CodeProposed>(&event.body);
  if (queues && queues->purpose != kernel::Purpose::search) return false;
  if (proposes && study.spec.kind == kernel::StudyKind::test) return false;
  if (!registers && !queues && !ranks && !proposes && !asks && !writes) return false;
  if (!can_be_computed(study)) {
    decision(line, "the search names levels that it does not have, or more cells than can be run");
    return true;
  }
  if (registers) {
    if (kernel::sha256_hex(kernel::canonical(registers->plan)) != registers->hash)
      decision(line, "the plan of the search does not have its hash");
    const bool searchable = kernel::why_not_searchable(study.spec).empty();
    search_is_sound_ =
        searchable && !study.search && nlohmann::json(registers->plan) == nlohmann::json(kernel::search_plan(study));
    if (searchable)
      same(
          registers->plan, [&] { return kernel::search_plan(study); }, "the plan of the search", line);
    return true;
  }
  if (!study.search) {
    decision(line, "what is to be confirmed was proposed, or run, before there was a search");
    return true;
  }
  // If the plan differs, what follows from it cannot be judged.
  if (!search_is_sound_) return true;
  if (study.spec.code && !proposes) {
    code_searched(study, event, line);
    return true;
  }
  if (asks || writes) {
    decision(line, "versions of the code are told of, and the study searches for none");
    return true;
  }
  const auto ranked = study.search->ranked.size();
  const auto queued = static_cast<std::size_t>(study.search->queued);
  if (queues) {
    const bool retries = std::ranges::any_of(queues->runs, [](const auto& r) { return r.retry_of > 0; });
    if (retries) return true;
    if (ranked != queued || queued >= study.search->plan.rungs.size() || study.search->done())
      decision(line, "a rung is queued out of its turn");
    else
      same(
          *queues, [&] { return kernel::next_rung(study); }, "the runs of the rung", line);
  }
  if (ranks) {
    if (ranked + 1 != queued)
      decision(line, "a rung is ranked out of its turn");
    else
      same(
          *ranks, [&] { return kernel::rank_rung(study); }, "the ranking of the rung", line);
  }
  if (proposes && !kernel::is_selected(study, proposes->hypothesis))
    decision(line, fmt::format("hypothesis {} is none of those that the search carries forward",
                               proposes->hypothesis.id.substr(0, 40)));
  return true;
}

}  // namespace artifacts
