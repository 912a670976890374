#include "kernel/study/evaluator_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"

namespace kernel {

namespace {

bool looked(const Registration& registration) {
  return registration.terms && registration.terms->evaluator && registration.terms->evaluator->tier == Tier::test;
}

}  // namespace

Tier tier_of(const StudySpec& spec, Purpose purpose) {
  if (purpose == Purpose::registered && spec.evaluator.test) return Tier::test;
  return spec.evaluator.validation ? Tier::validation : Tier::none;
}

std::optional<EvaluatorTerms> evaluator_terms(const Study& study) {
  EvaluatorTerms terms;
  terms.tier = tier_of(study.spec, Purpose::registered);
  const TierSpec* spec = study.spec.evaluator.tier(terms.tier);
  if (!spec) return std::nullopt;
  terms.command = spec->command;
  for (const SealedData& data : study.sealed)
    if (data.tier == terms.tier) terms.data.push_back(data);
  if (study.scoring.hash != study.workspace.hash) terms.workspace = study.scoring.hash;
  if (terms.tier == Tier::test) {
    terms.look = looks_used(study) + 1;
    terms.looks = spec->looks;
  }
  return terms;
}

int own_looks(const Experiments& study) {
  return static_cast<int>(
      std::ranges::count_if(study.experiments, [](const Experiment& e) { return looked(e.registration); }));
}

int looks_used(const Study& study) {
  return study.test_looks.elsewhere + own_looks(study);
}

std::string test_data_key(const std::vector<SealedData>& sealed) {
  std::vector<std::string> identities;
  for (const SealedData& data : sealed)
    if (data.tier == Tier::test) identities.push_back(data.identity);
  std::ranges::sort(identities);
  return identities.empty() ? "" : sha256_hex(fmt::format("{}", fmt::join(identities, "\n")));
}

std::string earlier_looks_words(const StudyTerms& terms) {
  std::vector<std::string> studies;
  int looks = 0;
  for (const EarlierLooks& one : terms.test_looks.earlier) {
    studies.push_back(one.study);
    looks += one.looks;
  }
  if (looks == 0) return "";
  return fmt::format(
      "The test data had scored {} of earlier studies of this home before ({}): of several looks at the same data one "
      "may succeed by chance",
      looks == 1 ? "one experiment" : fmt::format("{} experiments", looks), fmt::join(studies, ", "));
}

bool looks_at_test(const Event& event) {
  const auto* registered = std::get_if<ExperimentRegistered>(&event.body);
  return registered && looked(registered->registration);
}

std::string refused_engineer(const StudyTerms& study) {
  const EvaluatorSpec& evaluator = study.spec.evaluator;
  const bool scored = evaluator.validation || evaluator.test;
  if (scored && study.spec.resources.sandbox == SandboxMode::none)
    return "without a sandbox agents amend no code beside an evaluator: a person does";
  if (!scored && !study.workspace.protect.empty())
    return "agents amend no code beside protected files that runs import what they like with: a person does";
  return "";
}

Reason refused_look(const Study& study) {
  if (tier_of(study.spec, Purpose::registered) != Tier::test) return {};
  const int used = looks_used(study), most = study.spec.evaluator.test->looks;
  if (used < most) return {};
  return {ReasonCode::test_looks_used, {{"used", used}, {"most", most}}};
}

}  // namespace kernel
