#include "kernel/decide/log_order.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/design/due_runs.h"
#include "kernel/domain/enum_names.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/study/gates.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"

namespace kernel {

AnalysisStep next_step_of(const Experiment& e) {
  const std::size_t taken = e.going_on.size();
  if (e.planned == static_cast<int>(taken) + 1 && taken < looks_of(e.registration).size()) return AnalysisStep::look;
  if (e.planned == static_cast<int>(taken) && taken > 0 && !e.going_on.back().empty()) return AnalysisStep::runs;
  return AnalysisStep::verdicts;
}

const Experiment* open_experiment(const Study& study) {
  if (study.experiments.empty()) return nullptr;
  const Experiment& last = study.experiments.back();
  return last.analysed || last.amended ? nullptr : &last;
}

bool family_is_full(const Study& study) {
  const std::optional<int> family = study.family > 0 ? study.family : study.spec.design.family;
  return family && static_cast<int>(study.hypotheses.size()) >= *family;
}

bool values_seen(const Study& study, const std::string& experiment) {
  return !experiment.empty() && std::any_of(study.runs.begin(), study.runs.end(), [&](const Run& run) {
    return run.experiment == experiment && run.stage.empty() && !run.measurement.values.empty();
  });
}

std::string refused_code(const Study& study) {
  if (study.workspace.by.empty() || !study.check) return "";
  const std::vector<CheckFinding>& found = study.check->findings;
  const auto serious = [](const CheckFinding& finding) { return finding.serious; };
  const auto first = std::find_if(found.begin(), found.end(), serious);
  if (first == found.end()) return "";
  const auto others = std::count_if(first + 1, found.end(), serious);
  return fmt::format("the code that {} wrote does not pass its manipulation check: {}{}; it is amended first",
                     study.workspace.by, sentence(first->message),
                     others > 0 ? fmt::format(" (and {} more)", others) : "");
}

namespace {

struct Turn {
  const Study& study;
  const std::string& actor;

  const Experiment* experiment(const std::string& id) const {
    for (const Experiment& e : study.experiments)
      if (e.registration.experiment == id) return &e;
    return nullptr;
  }
  std::string at(Phase wanted, const char* what) const {
    if (study.phase() == wanted) return "";
    return fmt::format("{} at the stage `{}`, and it belongs to `{}`", what, name(study.phase()), name(wanted));
  }
  std::string step(const std::string& id, AnalysisStep wanted, const char* what) const {
    const Experiment* e = experiment(id);
    if (!e || e->analysed || e->amended) return fmt::format("{} of {}, which is not open", what, id);
    if (next_step_of(*e) != wanted) return fmt::format("{} of {}, whose turn it is not", what, id);
    return at(Phase::analysing, what);
  }

  std::string operator()(const InterimLook& e) const { return step(e.experiment, AnalysisStep::look, "a look"); }
  std::string operator()(const ExperimentAnalysed& e) const {
    return step(e.experiment, AnalysisStep::verdicts, "the verdicts");
  }
  std::string operator()(const RunsQueued& e) const {
    const bool retries = std::any_of(e.runs.begin(), e.runs.end(), [](const PlannedRun& r) { return r.retry_of > 0; });
    const Experiment* of = e.purpose == Purpose::registered && !retries ? experiment(e.experiment) : nullptr;
    if (!of || of->planned == static_cast<int>(of->going_on.size())) return "";
    return fmt::format("more runs of {} than it registered a look for", e.experiment);
  }
  std::string operator()(const HypothesisProposed& e) const {
    if (e.exploratory != family_is_full(study) || e.batch != study.batch.number)
      return fmt::format("hypothesis {} is said to be {} in batch {}", e.hypothesis.id,
                         e.exploratory ? "exploratory" : "within the family", e.batch);
    return at(Phase::proposing, "a hypothesis");
  }
  std::string operator()(const ProposalsClosed& e) const {
    if (study.family > 0 && e.family != study.family)
      return fmt::format("the family of {} slots becomes one of {}", study.family, e.family);
    return at(Phase::proposing, "the end of the proposals");
  }
  std::string operator()(const BatchOpened& e) const {
    if (e.batch != study.batch.number + 1) return "a batch out of order";
    const bool anew = !study.experiments.empty() && study.experiments.back().amended && study.open_batch().empty();
    return anew ? "" : at(Phase::concluding, "a further batch");
  }
  std::string operator()(const HypothesisWithdrawn& e) const {
    const HypothesisRecord* record = study.hypothesis(e.hypothesis);
    if (!record || record->result) return fmt::format("{} is withdrawn, and it has its verdict", e.hypothesis);
    const Experiment* of = experiment(record->experiment);
    if (of && of->amended && e.runs.empty()) return "";
    return e.runs == needless_runs(study, *record) ? "" : "other runs are given up than those that serve it alone";
  }
  std::string operator()(const WorkspaceAmended& e) const {
    const Experiment* const last = open_experiment(study);
    const std::string open = last ? last->registration.experiment : "";
    if (e.experiment != open) return "the code is amended, and another experiment was open";
    std::vector<int> waiting(study.queue.begin(), study.queue.end());
    waiting.insert(waiting.end(), study.blocked.begin(), study.blocked.end());
    if (e.runs != waiting) return "the code is amended, and other runs are given up than those that waited";
    if (e.setup && !e.workspace.by.empty() && !may_change_setup(study, e.workspace.by))
      return "an agent changed what the environment is set up from, and no person had let it";
    if (e.seen != values_seen(study, open))
      return fmt::format("the code is said to have been amended {} values of {} had been seen",
                         e.seen ? "after" : "before", open);
    return "";
  }
  std::string operator()(const ExperimentRegistered&) const {
    std::string refused = refused_code(study);
    return refused.empty() ? unmet_requirements(study) : refused;
  }
  std::string operator()(const SearchRegistered&) const { return refused_code(study); }
  std::string operator()(const RungRanked& e) const {
    for (const Candidate& candidate : e.candidates) {
      const auto version = candidate.cell.find(code_factor);
      if (!study.spec.code || !candidate.kept || version == candidate.cell.end()) continue;
      if (std::string why = unreviewed(study, version->second); !why.empty())
        return fmt::format("{} is carried forward, and {}", version->second, why);
    }
    return "";
  }
  std::string operator()(const RequirementJudged& e) const {
    return refused_judgement(study, actor, e.requirement, e.met);
  }
  std::string operator()(const RequirementBound& e) const {
    const StudyRequirement* known = study.thinking.requirement(e.requirement.id);
    const bool same = !known || (known->text == e.requirement.text && known->question == e.requirement.question &&
                                 known->by == e.requirement.by && known->version == e.requirement.version);
    return same ? "" : e.requirement.id + " is bound anew, and demands something else";
  }
  std::string operator()(const StudyConcluded& e) const {
    if (e.outcome != StudyOutcome::concluded) return "";
    const bool open = std::any_of(study.experiments.begin(), study.experiments.end(),
                                  [](const Experiment& x) { return !x.analysed && !x.amended; });
    return open ? "the study concludes, and an experiment has no verdicts" : "";
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

}  // namespace

std::string out_of_turn(const Study& before, const EventBody& body, const std::string& actor) {
  return std::visit(Turn{before, actor}, body);
}

}  // namespace kernel
