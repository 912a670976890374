#include "kernel/study/requirements.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"

namespace kernel {

namespace {

/// A person may judge a requirement as met without a place in the workspace that shows it.
bool is_met_by_word(const Study& study, const StudyRequirement& one) {
  return is_person(one.judge) && one.judged == Judgement::met && is_current(study, one);
}

template <typename Wanted>
std::vector<const StudyRequirement*> of_method(const Journal& study, const std::string& version, Wanted wanted) {
  std::vector<const StudyRequirement*> found;
  for (const StudyRequirement& one : study.thinking.requirements)
    if (!one.question && one.version == version && wanted(one)) found.push_back(&one);
  return found;
}

bool none_drawn(const Study& study, const std::string& version) {
  return of_method(study, version, [](const StudyRequirement&) { return true; }).empty();
}

/// `code`: the code that the requirement has not been confirmed for; empty if it has.
std::string unconfirmed(const Study& study, const std::string& version, const std::string& code) {
  const auto open = unjudged(study, version);
  if (open.empty()) return "";
  return fmt::format("requirement {} has not been confirmed for {}: {}", open.front()->id, code, open.front()->text);
}

}  // namespace

const WorkspaceHash& code_meant(const StudyTerms& study, const StudyRequirement& one) {
  const CodeVersion* version = study.code.version(one.version);
  return version ? version->workspace.hash : study.workspace.hash;
}

bool is_current(const Study& study, const StudyRequirement& one) {
  return one.workspace == code_meant(study, one);
}

bool needs_requirements(const Study& study) {
  if (!study.workspace.by.empty()) return true;
  const auto open = study.open_batch();
  return std::ranges::any_of(open, [&](const HypothesisRecord* record) {
    return find_by(study.thinking.lines, &LineOfWork::role, record->hypothesis.by) != nullptr;
  });
}

std::vector<const StudyRequirement*> unjudged(const Study& study, const std::string& version) {
  return of_method(study, version, [&](const StudyRequirement& one) {
    return !one.file.empty() && (one.judged == Judgement::open || !is_current(study, one));
  });
}

std::vector<const StudyRequirement*> unmet(const Study& study, const std::string& version) {
  return of_method(study, version, [&](const StudyRequirement& one) {
    const bool denied = one.judged == Judgement::unmet && is_current(study, one);
    return denied || (one.file.empty() && !is_met_by_word(study, one));
  });
}

std::string unmet_requirements(const Study& study) {
  if (!needs_requirements(study)) return "";
  if (none_drawn(study, "")) return "nobody has said what the question requires of the code: bind_requirement";
  if (const auto lacking = unmet(study, ""); !lacking.empty()) return lacking_words(lacking);
  return unconfirmed(study, "", "the code as it is");
}

std::string unreviewed(const Study& study, const std::string& version) {
  if (none_drawn(study, version))
    return fmt::format("nobody has said what is required of {}: bind_requirement", version);
  return unmet(study, version).empty() ? unconfirmed(study, version, version) : "";
}

std::string lacking_words(const std::vector<const StudyRequirement*>& lacking) {
  ETUDE_ASSERT(!lacking.empty());
  const StudyRequirement& first = *lacking.front();
  return fmt::format("requirement {} is not met{} ({}): {}{}; where that is wrong, a person says so: etude judge",
                     first.id, first.version.empty() ? "" : " by " + first.version, first.text,
                     first.judged == Judgement::unmet ? first.why : first.unmet,
                     lacking.size() > 1 ? fmt::format(" (and {} more)", lacking.size() - 1) : "");
}

std::string refused_judgement(const Study& study, const std::string& judge, const std::string& requirement, bool met) {
  const StudyRequirement* known = study.thinking.requirement(requirement);
  if (!known) return "there is no requirement " + requirement;
  if (known->question) return requirement + " is a part of the question: verdicts answer it";
  if (is_person(judge)) return "";
  if (is_person(known->judge) && is_current(study, *known)) return "a person has judged it: " + known->why;
  if (judge == known->by) return "who drew a requirement does not judge it";
  if (met && known->file.empty()) return requirement + " is bound to no code: it cannot be met";
  return "";
}

std::string answer_to(const Hypotheses& study, const StudyRequirement& requirement) {
  std::string answers;
  for (const HypothesisId& id : requirement.hypotheses) {
    const HypothesisRecord* record = study.hypothesis(id);
    if (!record || !record->result || !record->withdrawn.empty() || record->result->verdict == Verdict::inconclusive)
      continue;
    answers += fmt::format("{}{} {}", answers.empty() ? "" : ", ", id, name(record->result->verdict));
  }
  return answers.empty() ? "not answered" : answers;
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = {"summary", "interpretation", "limitations", "future_work"};
  return names;
}

}  // namespace kernel
