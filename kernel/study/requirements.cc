#include "kernel/study/requirements.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"

namespace kernel {

namespace {

/// A person may judge a requirement as met without a place in the workspace that shows it.
bool is_met_by_word(const StudyTerms& terms, const StudyRequirement& one) {
  return is_person(one.judge) && one.judged == Judgement::met && is_current(terms, one);
}

template <typename Wanted>
std::vector<const StudyRequirement*> of_method(const Journal& study, const std::string& version, Wanted wanted) {
  std::vector<const StudyRequirement*> found;
  for (const StudyRequirement& one : study.thinking.requirements)
    if (!one.question && one.version == version && wanted(one)) found.push_back(&one);
  return found;
}

/// The kernel's own requirement does not count: it says nothing of what the question needs.
bool none_drawn(const Journal& journal, const std::string& version) {
  return of_method(journal, version, [](const StudyRequirement& one) { return one.by != kernel_actor; }).empty();
}

/// True if it is about an agent's change and the code is a person's again.
bool is_over(const StudyTerms& study, const StudyRequirement& one) {
  return one.by == kernel_actor && !study.amendment();
}

/// Empty if all requirements have been confirmed.
Reason unconfirmed(const Study& study, const std::string& version) {
  const auto open = unjudged(study, version);
  if (open.empty()) return {};
  Reason why{ReasonCode::requirement_open, {{"requirement", open.front()->id}, {"text", open.front()->text}}};
  if (!version.empty()) {
    why.code = ReasonCode::requirement_open_for;
    why.values["version"] = version;
  }
  return why;
}

}  // namespace

const WorkspaceHash& code_meant(const StudyTerms& study, const StudyRequirement& one) {
  const CodeVersion* version = study.code.version(one.version);
  return version ? version->workspace.hash : study.workspace.hash;
}

bool is_current(const StudyTerms& terms, const StudyRequirement& one) {
  return one.workspace == code_meant(terms, one);
}

bool needs_requirements(const Study& study) {
  if (!study.workspace.by.empty()) return true;
  const auto open = study.open_batch();
  return std::ranges::any_of(open, [&](const HypothesisRecord* record) {
    return find_by(study.thinking.lines, &LineOfWork::role, record->hypothesis.by) != nullptr;
  });
}

const StudyRequirement* requirement_on_amendment(const Study& study) {
  for (const StudyRequirement& one : study.thinking.requirements)
    if (one.by == kernel_actor) return &one;
  return nullptr;
}

bool is_read_by_person(const Study& study) {
  const StudyRequirement* one = requirement_on_amendment(study);
  return one && is_met_by_word(study, *one);
}

std::vector<const StudyRequirement*> unjudged(const Study& study, const std::string& version) {
  return of_method(study, version, [&](const StudyRequirement& one) {
    return !one.file.empty() && !is_over(study, one) && (one.judged == Judgement::open || !is_current(study, one));
  });
}

std::vector<const StudyRequirement*> unmet(const Study& study, const std::string& version) {
  return of_method(study, version, [&](const StudyRequirement& one) {
    const bool denied = one.judged == Judgement::unmet && is_current(study, one);
    return denied || (one.file.empty() && !is_over(study, one) && !is_met_by_word(study, one));
  });
}

Reason unmet_requirements(const Study& study) {
  if (!needs_requirements(study)) return {};
  if (none_drawn(study, "") || (study.compared && study.amendment() && !requirement_on_amendment(study)))
    return {ReasonCode::no_requirements};
  if (const auto lacking = unmet(study, ""); !lacking.empty()) return lacking_reason(lacking);
  return unconfirmed(study, "");
}

Reason unreviewed(const Study& study, const std::string& version) {
  if (none_drawn(study, version)) return {ReasonCode::no_requirements_of, {{"version", version}}};
  return unmet(study, version).empty() ? unconfirmed(study, version) : Reason{};
}

Reason lacking_reason(const std::vector<const StudyRequirement*>& lacking) {
  ETUDE_ASSERT(!lacking.empty());
  const StudyRequirement& first = *lacking.front();
  Reason why{ReasonCode::requirement_unmet,
             {{"requirement", first.id},
              {"text", first.text},
              {"why", first.judged == Judgement::unmet ? first.why : first.unmet}}};
  if (!first.version.empty())
    why.values["by"] = std::vector{Reason{ReasonCode::by_version, {{"version", first.version}}}};
  if (const auto more = static_cast<std::int64_t>(lacking.size()) - 1; more > 0)
    why.values["more"] = std::vector{Reason{ReasonCode::with_more, {{"more", more}}}};
  return why;
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

bool has_read(const Journal& journal, const std::string& role, const StudyRequirement& one) {
  const auto at_work = [&](const LineOfWork& line) { return !line.ended && line.role == role; };
  if (std::ranges::none_of(journal.thinking.lines, at_work)) return true;
  std::vector<std::pair<int, int>> read;
  const auto add = [&](const std::vector<ReadLines>& shown) {
    for (const ReadLines& lines : shown)
      if (lines.file == one.file) read.emplace_back(lines.from, lines.to);
  };
  for (const ModelCall& call : journal.thinking.calls) {
    if (!at_work(journal.thinking.lines[static_cast<std::size_t>(call.line)])) continue;
    add(call.shown);
    for (const ToolReturn& tool : call.tools) add(tool.read);
  }
  std::ranges::sort(read);
  int next = one.from;
  for (const auto& [from, to] : read)
    if (from <= next) next = std::max(next, to + 1);
  return next > one.to;
}

namespace {

std::set<std::string> models_of(const Thinking& thinking, auto wanted) {
  std::set<std::string> models;
  for (const ModelCall& call : thinking.calls)
    if (wanted(thinking.lines[static_cast<std::size_t>(call.line)])) models.insert(call.model);
  return models;
}

}  // namespace

std::vector<Reason> review_cautions(const Study& study) {
  std::vector<Reason> cautions;
  std::set<std::string> judges, drawers;
  for (const StudyRequirement& one : study.thinking.requirements) {
    if (one.question || one.judged == Judgement::open || is_person(one.judge)) continue;
    judges.insert(one.judge);
    drawers.insert(one.by);
  }
  const auto reviewers = models_of(study.thinking, [&](const LineOfWork& line) { return judges.contains(line.role); });
  const auto add = [&](ReasonCode code, const std::set<std::string>& models) {
    for (const std::string& model : models)
      if (reviewers.contains(model)) return cautions.push_back({code, {{"model", model}}});
  };
  const bool code_of_agent = !study.workspace.by.empty() || !study.code.versions.empty();
  if (code_of_agent)
    add(ReasonCode::reviewed_by_author, models_of(study.thinking, [](const LineOfWork& line) {
          return line.subject.purpose != LinePurpose::other && may_change_code(line.subject.purpose);
        }));
  if (cautions.empty())
    add(ReasonCode::drawn_by_reviewer,
        models_of(study.thinking, [&](const LineOfWork& line) { return drawers.contains(line.role); }));
  return cautions;
}

std::string answer_to(const Hypotheses& study, const StudyRequirement& requirement) {
  std::string answers;
  for (const HypothesisId& id : requirement.hypotheses) {
    const HypothesisRecord* record = study.hypothesis(id);
    if (!record || !record->result || !record->withdrawn.empty() || record->result->verdict == Verdict::inconclusive)
      continue;
    answers += fmt::format("{}{} {}", answers.empty() ? "" : ", ", id, words_of(record->result->verdict));
  }
  return answers.empty() ? "not answered" : answers;
}

std::string next_requirement(const Journal& journal) {
  const std::vector<StudyRequirement>& all = journal.thinking.requirements;
  return fmt::format("R{}", std::ssize(all) - std::ranges::count(all, kernel_actor, &StudyRequirement::by) + 1);
}

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> names = {"summary", "interpretation", "limitations", "future_work"};
  return names;
}

}  // namespace kernel
