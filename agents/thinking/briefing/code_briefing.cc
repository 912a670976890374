#include "agents/thinking/briefing/code_briefing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/study/search_scores.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace agents {

using kernel::Study;

namespace {

constexpr std::size_t most_diff = 30000, most_log = 8000, most_versions = 40, most_printed = 10000;

bool fails(const kernel::KnownScore& score) {
  return score.n == 0 && score.failed > 0;
}

/// The score in the metric's own unit, also if the selection uses another scale.
std::string score_words(const kernel::Metric& metric, const kernel::KnownScore& score) {
  if (!score.mean) return fails(score) ? "fails" : "not run yet";
  const double signed_mean = metric.goal == kernel::Goal::minimize ? -*score.mean : *score.mean;
  const double mean = metric.scale == kernel::Scale::log ? std::exp(signed_mean) : signed_mean;
  return fmt::format("{} {}{}{} over {} runs{}", metric.name, prose::rounded(mean), metric.unit.empty() ? "" : " ",
                     metric.unit, score.n + score.failed,
                     score.failed > 0 ? fmt::format(", {} of them failed", score.failed) : "");
}

/// How much the score of one run varies between seeds; empty if no version has several runs yet.
std::string noise_words(const Study& study, const kernel::Metric& metric) {
  const std::optional<double>& sd = study.code.noise;
  if (!sd) return "";
  if (metric.scale == kernel::Scale::log)
    return fmt::format(" The score of one run varies by a factor of {} between seeds (one standard deviation).",
                       prose::rounded(std::exp(*sd)));
  return fmt::format(" The score of one run varies by {} between seeds (one standard deviation).",
                     prose::with_unit(prose::rounded(*sd), metric.unit));
}

/// Steps of earlier rounds from which no version came, and why.
std::string fruitless_steps(const Study& study, const kernel::CodeStep& step) {
  std::string list;
  for (const kernel::CodeStep& other : study.code.steps) {
    if (other.round >= step.round ||
        std::ranges::find(study.code.versions, other.id, &kernel::CodeVersion::step) != study.code.versions.end())
      continue;
    const auto line = std::ranges::find(study.thinking.lines, other.id, &kernel::LineOfWork::id);
    const bool known = line != study.thinking.lines.end() && !line->ending.empty();
    list += fmt::format("- {} ({}): no version came of it{}\n", other.id, code_about(other),
                        known ? ". " + newest_words(line->ending) : std::string("."));
  }
  return list;
}

/// Keep or discard: what became of each idea so far. The engineer's own change will be judged in the same way.
std::string ideas_note(const Study& study) {
  if (!study.spec.code || !study.spec.code->keeps_or_discards()) return "";
  const kernel::Metric& metric = study.spec.primary();
  const std::string unit = metric.scale == kernel::Scale::log ? " in the logarithm"
                           : metric.unit.empty()              ? ""
                                                              : " " + metric.unit;
  std::string list;
  for (const kernel::Idea& idea : kernel::ideas_of(study)) {
    const kernel::RungRanked* last = idea.second ? idea.second : idea.first;
    if (!last) continue;
    const kernel::NoiseFloor& floor = *last->floor;
    list += fmt::format("- {} from {}: {}{}\n", idea.version->id, idea.base, idea.kept() ? "kept" : "discarded",
                        floor.gain ? fmt::format(", gain {}{}, and the noise floor was {}", prose::rounded(*floor.gain),
                                                 unit, prose::rounded(floor.least))
                                   : "");
  }
  return list + fmt::format("- the base is {}: a version is kept only if it gains more than the noise floor, twice\n",
                            kernel::base_of_ideas(study));
}

/// The tree at the beginning of the round, for the steps that extend it. Scores of the validation tier only.
std::string tree_note(const Study& study, const kernel::CodeStep& step) {
  const kernel::Metric& metric = study.spec.primary();
  std::string list;
  const std::vector<kernel::KnownScore>& scores = study.code.known;
  const std::size_t skipped = scores.size() > most_versions + 1 ? scores.size() - most_versions - 1 : 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i > 0 && i <= skipped) continue;
    const kernel::KnownScore& score = scores[i];
    const kernel::CodeVersion* version = study.code.version(score.version);
    if (!version) {
      list += fmt::format("- {} (the person's own): {}\n", score.version, score_words(metric, score));
      continue;
    }
    list += fmt::format("- {} ({} of {}): {}. {}\n", version->id, kernel::name(version->op),
                        fmt::join(version->parents, " and "), score_words(metric, score), version->why);
    if (const kernel::Run* failed = fails(score) ? kernel::failed_run(study, version->id) : nullptr)
      list += fmt::format("  why it fails: {}\n", failed->reason.empty() ? "not known" : newest_words(failed->reason));
  }
  list += fruitless_steps(study, step);
  list += ideas_note(study);
  return fmt::format("## What counts\n\nThe evaluator's `{}`: {} is better.{}\n\n", metric.name,
                     metric.goal == kernel::Goal::minimize ? "lower" : "higher", noise_words(study, metric)) +
         "## The versions so far\n\n" + quoted("the kernel's record, and what engineers said", list, 30000) + "\n";
}

std::string failure_note(const kernel::RunBoard& board, const std::string& version, const FetchText& fetch) {
  const kernel::Run* run = kernel::failed_run(board, version);
  if (!run) return "";
  std::string text =
      fmt::format("\n## How {} fails\n\nIts run {}{}.\n", version, kernel::name(run->state),
                  run->outcome.end == kernel::JobEnd::exited ? fmt::format(" with exit status {}", run->outcome.exit)
                                                             : std::string());
  text += quoted("the reason, as it was recorded", newest_words(run->reason), 4000) + "\n";
  for (const auto& [label, log] : {std::pair{"stderr", run->err_log}, std::pair{"stdout", run->out_log}})
    if (log.bytes > 0) text += quoted_tail(fmt::format("{} of its run", label), fetch(log.sha256), most_log) + "\n";
  return text + "\n";
}

std::string diff_note(const char* which, const kernel::CodeVersion& version, const FetchText& fetch) {
  return fmt::format("\n## {}: what {} changes of the person's own\n\n", which, version.id) +
         quoted("the diff of " + version.id, fetch(version.diff.sha256), most_diff) + "\n";
}

/// For a reviewer: what an agent changed of a person's code, and why.
std::string amendment_note(const kernel::StudyTerms& terms, const FetchText& fetch) {
  const kernel::CodeAmendment& change = *terms.amendment();
  std::string found;
  for (const kernel::CheckFinding& finding : change.mends) found += "- " + newest_words(finding.message) + "\n";
  return "## What an agent changed\n\nAn agent (" + change.by +
         ") changed the person's code. Read the whole change: it must do what it is for, and nothing else.\n\n" +
         (found.empty() ? "" : quoted("the findings that it mends", found, 8000) + "\n") +
         quoted("the change of the person's code", fetch(change.diff.sha256), most_diff) + "\n";
}

/// For the engineer who binds the requirements and for the reviewer: the version without its scores.
std::string version_note(const kernel::StudyTerms& terms, const kernel::CodeVersion& version, const FetchText& fetch) {
  return fmt::format("## The version\n\n{}, with what its engineer said of it:\n\n", version.id) +
         quoted("an engineer", version.why, 2000) + "\n" +
         diff_note("The files that you read are its", version, fetch) + protected_note(terms) + "\n";
}

}  // namespace

std::string protected_note(const kernel::StudyTerms& terms) {
  std::string frozen;
  for (const kernel::ProtectedFile& file : terms.workspace.protect) frozen += file.path + "\n";
  return frozen.empty() ? "" : "\n## Protected\n\n" + quoted("names of files", frozen, 20000) + "\n";
}

const kernel::CodeVersion* version_meant(const kernel::StudyTerms& terms, const kernel::LineSubject& subject) {
  for (const kernel::CodeVersion& version : terms.code.versions)
    if (subject.workspace == version.workspace.hash.text()) return &version;
  return nullptr;
}

const kernel::WorkspaceRecord* code_base(const kernel::StudyTerms& terms, const kernel::LineSubject& subject) {
  if (const kernel::CodeVersion* version = version_meant(terms, subject)) return &version->workspace;
  const kernel::CodeStep* step = terms.code.step(subject.step);
  if (!step) return nullptr;
  const kernel::CodeVersion* parent = step->parents.empty() ? nullptr : terms.code.version(step->parents.front());
  return parent ? &parent->workspace : &terms.workspace;
}

std::string code_about(const kernel::CodeStep& step) {
  return fmt::format("{} {}", kernel::name(step.op), fmt::join(step.parents, " and "));
}

std::string subject_words(const kernel::StudyTerms& terms, const kernel::LineSubject& subject) {
  using kernel::LinePurpose;
  const std::string time = subject.again > 0 ? fmt::format(", time {}", subject.again + 1) : "";
  switch (subject.purpose) {
    case LinePurpose::other:
      return "";
    case LinePurpose::propose:
      return "what to test";
    case LinePurpose::mend:
      return "mend " + subject.workspace;
    case LinePurpose::require:
      return fmt::format("requirements of batch {} on {}{}", subject.batch, subject.workspace, time);
    case LinePurpose::review:
      return fmt::format("review {} {}{}", subject.workspace, subject.bound, time);
    case LinePurpose::unmet:
      return "unmet by " + subject.workspace;
    case LinePurpose::vet:
      return fmt::format("vetting {} on {}{}", subject.version, subject.workspace, time);
    case LinePurpose::step: {
      const kernel::CodeStep* step = terms.code.step(subject.step);
      return step ? code_about(*step) : "";
    }
    case LinePurpose::analyse:
      return fmt::format("batch {}", subject.batch);
    case LinePurpose::write:
      return "the report";
  }
  return "";
}

std::string code_notes(const Study& study, const kernel::LineSubject& subject, const FetchText& fetch) {
  if (const kernel::CodeVersion* version = version_meant(study, subject)) return version_note(study, *version, fetch);
  if (subject.purpose == kernel::LinePurpose::review && study.amendment() && !study.amendment()->diff.sha256.empty())
    return amendment_note(study, fetch);
  if (!study.code.step(subject.step)) return "";
  const kernel::CodeStep& step = *study.code.step(subject.step);
  std::string others;
  for (const kernel::CodeStep& other : study.code.steps)
    if (other.round == step.round && other.id != step.id)
      others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", other.id, code_about(other));
  const int most = study.spec.code ? study.spec.code->calls : 0;
  std::string text = fmt::format(
      "## Your step\n\n{}: {}.{}{}\n\n", step.id, code_about(step),
      others.empty() ? "" : " Others work on theirs meanwhile: " + others + ".",
      most > 0 ? fmt::format(" You have {} replies for it; after them it ends without a version.", most) : "");
  text += tree_note(study, step) + protected_note(study);
  for (std::size_t i = 0; i < step.parents.size(); ++i) {
    const kernel::CodeVersion* parent = study.code.version(step.parents[i]);
    if (!parent) continue;
    text += diff_note(i == 0 ? "Your branch begins with this version" : "The other version", *parent, fetch);
    if (step.op == kernel::CodeOperator::debug) text += failure_note(study, parent->id, fetch);
  }
  return text;
}

std::string scratch_text(const kernel::Run& run, const FetchText& fetch) {
  std::string text =
      run.state == kernel::RunState::succeeded
          ? "It ended with exit status 0."
          : fmt::format("It {}{}.", kernel::name(run.state), run.reason.empty() ? "" : ": " + newest_words(run.reason));
  for (const auto& [metric, value] : run.measurement.values) text += fmt::format("\n{} = {}", metric, value.value);
  for (const auto& [label, log] : {std::pair{"stdout", run.out_log}, std::pair{"stderr", run.err_log}})
    if (log.bytes > 0)
      text += "\n" + quoted_tail(fmt::format("{} of r{}", label, run.number), fetch(log.sha256), most_printed);
  return text;
}

}  // namespace agents
